import { testOutcomes } from './outcomes.ts'

testOutcomes(100)
