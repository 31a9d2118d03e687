import { testKilledRelay } from './killed.ts'

testKilledRelay({ events: 90, kills: 2 })
