import { testOutcomes } from './outcomes.ts'

testOutcomes(1000)
