import { testResets } from './resets.ts'

testResets({ step: 1, largeStep: 997, events: 400, newConnections: 6 })
