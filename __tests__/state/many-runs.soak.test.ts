import { testManyRuns } from './many-runs.ts'

testManyRuns({ events: 500, concurrent: 16 })
