import { testKilledRelay } from './killed.ts'

testKilledRelay(2000, 30)
