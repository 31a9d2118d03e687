import { testKilledAction } from './killed.ts'

testKilledAction({ step: 6 })
