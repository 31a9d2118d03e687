import { once } from 'node:events'
import { CLI_BUNDLE, RunningCommand } from './cli.ts'
import type { GitHub } from './github.ts'
import { NODE24 } from './node24.ts'
import { RELAY_KEY } from './relay-keys.ts'
import { until } from './until.ts'

/** A relay with a database, started from its bundle, on a Node with SQLite. */
export interface BuiltRelay {
  readonly url: string
  /** Ends it by SIGKILL, if it has not ended yet. */
  kill(): Promise<void>
  /** Sends SIGTERM. @returns its exit code */
  stop(): Promise<number | null>
}

interface Setup {
  /** Folder of its file. */
  readonly folder: string
  /** Path of the command line's bundle. */
  readonly cli?: string
  /** A free port by default. */
  readonly port?: number
  readonly settings: Readonly<Record<string, string>>
}

export async function startBuiltRelay(given: Setup): Promise<BuiltRelay> {
  const { folder, cli = CLI_BUNDLE, port = 0, settings } = given
  const relay = new RunningCommand(['relay', '--port', String(port), '--data', folder], {
    env: { NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...settings },
    as: (args) => [NODE24 ?? '', cli, ...args],
  })
  const [, url = ''] = await relay.printed(/(http:\/\/\S+)/)
  return {
    url,
    kill: async () => {
      const { process } = relay
      process.kill('SIGKILL')
      if (process.exitCode === null && process.signalCode === null) await once(process, 'close')
    },
    stop: () => relay.stop(),
  }
}

/** Sends an event with the token of its repository. @returns the status */
export async function sendTo(relay: Pick<BuiltRelay, 'url'>, repository: string, body: string) {
  return (await postTo(relay, repository, body)).status
}

/** Sends an event with a query. @returns the response, whose body was read */
export async function postTo(
  { url }: Pick<BuiltRelay, 'url'>,
  repository: string,
  body: string,
  query = '',
): Promise<Response> {
  const answer = await fetch(`${url}/o/${repository}/hook/webhook${query}`, {
    method: 'POST',
    headers: { 'x-platform-authorization': `ghp_a-token-for-${repository}-alone` },
    body,
  })
  await answer.arrayBuffer()
  return answer
}

interface Crash extends Omit<Setup, 'settings'> {
  /** A stand-in for GitHub. */
  readonly github: GitHub
}

/**
 * Queues an event in a relay while GitHub is down, kills the relay, and starts it again with the
 * same file.
 *
 * @returns the response to the sender, and the bodies that GitHub received after the second start
 */
export async function killedWithAnEvent({ github, ...setup }: Crash) {
  const settings = { HOOKLINE_API_URL: github.url, HOOKLINE_RELAY_KEY: RELAY_KEY }
  const first = await startBuiltRelay({ ...setup, settings })
  // An event whose token GitHub never accepted is not queued.
  const told = [await sendTo(first, 'kept', 'before')]
  github.always({ status: 503 })
  told.push(await sendTo(first, 'kept', 'while GitHub was down'))
  await first.kill()
  github.reset()
  const second = await startBuiltRelay({ ...setup, settings })
  await until(() => github.calls.length > 0)
  const bodies = github.calls.map(({ body }) => JSON.parse(body).client_payload.body)
  await second.kill()
  return { told, bodies }
}
