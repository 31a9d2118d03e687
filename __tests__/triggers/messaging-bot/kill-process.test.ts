import { testKilledProcesses } from './kill-process.ts'

testKilledProcesses({ schedules: 5 })
