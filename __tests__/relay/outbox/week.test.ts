import { testWeek } from './week.ts'

testWeek({ events: 1_300 })
