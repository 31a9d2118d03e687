import { testHour } from './hour.ts'

testHour({ events: 300 })
