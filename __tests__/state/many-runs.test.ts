import { testManyRuns } from './many-runs.ts'

testManyRuns({ events: 60, concurrent: 32 })
