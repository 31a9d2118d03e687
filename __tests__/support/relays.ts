import { startRelay } from '../../src/relay/node/start.ts'
import { figuresOf } from './figures.ts'
import { startOnWorkerd } from './workerd.ts'

export interface RelayUnderTest {
  readonly url: string
  /** The lines of its log. */
  readonly log: readonly string[]
  close(): Promise<void>
}

export interface RelaySetup {
  /** Settings as environment variables. */
  readonly env: Readonly<Record<string, string>>
  /** `owner/name` for the self-hosted form. */
  readonly repository?: string
}

export type StartRelay = (setup: RelaySetup) => Promise<RelayUnderTest>

export async function startOnNode({ env, repository }: RelaySetup): Promise<RelayUnderTest> {
  const log: string[] = []
  const write = (line: string) => void log.push(line)
  const figures = figuresOf(env)
  const relay = await startRelay({ host: '127.0.0.1', port: 0, env, repository, write, figures })
  return { url: relay.url, log, close: relay.close }
}

/** Every runtime of the relay; the same tests run on each. */
export const RUNTIMES: readonly (readonly [name: string, start: StartRelay])[] = [
  ['Node', startOnNode],
  ['workerd', startOnWorkerd],
]
