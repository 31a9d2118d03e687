import { testKilledRelay } from './killed.ts'

testKilledRelay(90, 2)
