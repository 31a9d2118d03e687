import { testBatchHour } from './batch-hour.ts'

testBatchHour({ events: 36_000 })
