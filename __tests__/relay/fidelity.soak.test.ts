import { testFidelity } from './fidelity.ts'

testFidelity(1000)
