import { testKilledBatches } from './batches-killed.ts'

testKilledBatches({ events: 3_000, kills: 20 })
