import { testProcesses } from './processes.ts'

testProcesses({ rounds: 5, processes: 3, killStep: 3, stopStep: 4 })
