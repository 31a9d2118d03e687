import { testProcesses } from './processes.ts'

testProcesses({ rounds: 200, processes: 8, killStep: 1, stopStep: 1 })
