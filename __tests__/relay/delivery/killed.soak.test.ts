import { testKilledRelay } from './killed.ts'

testKilledRelay(3000, 30)
