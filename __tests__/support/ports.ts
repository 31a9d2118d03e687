import { enginePorts } from '../../src/action/action-ports.ts'
import type { EnginePorts } from '../../src/engine/engine-ports.ts'

/** The real ports of the engine on a fixed clock, except the given ones. */
export function testPorts(other: Partial<EnginePorts> = {}): EnginePorts {
  const run = { id: '1', at: Date.UTC(2026, 0, 2, 3, 4) }
  return { ...enginePorts('http://127.0.0.1:9'), run, folder: '/nowhere', ...other }
}
