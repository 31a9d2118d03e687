import { testWeek } from './week.ts'

testWeek({ events: 201_600 })
