import { testKilledAction } from './killed.ts'

testKilledAction({ step: 1 })
