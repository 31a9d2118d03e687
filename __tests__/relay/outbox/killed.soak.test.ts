import { testKilledRelay } from './killed.ts'

testKilledRelay({ events: 2_000, kills: 30 })
