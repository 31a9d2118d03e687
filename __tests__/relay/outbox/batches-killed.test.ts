import { testKilledBatches } from './batches-killed.ts'

testKilledBatches({ events: 100, kills: 1 })
