import { testHour } from './hour.ts'

testHour({ events: 36_000 })
