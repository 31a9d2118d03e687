import { testResets } from './resets.ts'

testResets({ step: 17, largeStep: 4999, events: 50, newConnections: 2 })
