import { writeSync } from 'node:fs'
import { Command } from 'commander'
import { weakKeyProblems } from '../relay/config.ts'
import type { RunningServer } from '../relay/http-server.ts'
import { UserError } from '../wire/errors.ts'
import { parsePort } from './http.ts'
import { reportError, stopOnSignal, warn } from './terminal.ts'

interface RelayCommandOptions {
  readonly host: string
  readonly port: string
  readonly repository?: string
  readonly outbox?: string
  readonly tunnel?: boolean
}

const HELP = `
Environment:
  HOOKLINE_TOKEN, HOOKLINE_KEYS  the relay holds the token, and a request brings one of the keys
  HOOKLINE_EVENT, HOOKLINE_REF   workflow_dispatch starts the one workflow that a URL names, on that ref
  HOOKLINE_API_URL               GitHub's API, by default https://api.github.com
  HOOKLINE_SEAL_KEYS             opens sealed tokens, and seals what the outbox keeps
  HOOKLINE_OPERATOR_KEY          shows you /outbox and /metrics, and lets hookline outbox in

Examples:
  $ npx hookline relay --port 8080
  $ npx hookline relay --repository octo/repo
  $ npx hookline relay --outbox /var/lib/hookline/outbox.db
  $ npx hookline relay --tunnel`

export function relayCommand(): Command {
  return new Command('relay')
    .description('forward webhooks to GitHub as repository_dispatch events')
    .option('--host <host>', 'address to listen on', process.env.HOST || '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
    .option('--repository <owner/name>', 'serve /webhook/<workflow>/<trigger> for this repository')
    .option('--outbox <file>', 'keep here what GitHub cannot take now, and hand it over later')
    .option('--tunnel', 'give it a public address, by cloudflared')
    .addHelpText('after', HELP)
    .action(run)
}

async function run({ host, port, repository, outbox, tunnel }: RelayCommandOptions): Promise<void> {
  // Loaded only here: undici alone would double the time that `hookline --help` takes.
  const { startRelay } = await import('../relay/node.ts')
  const relay = await startRelay({
    ...{ host, port: parsePort(port), env: process.env },
    ...{ repository, outbox },
  })
  // A log that nobody reads may hold a write back for ever; all that counts is done by then.
  stopOnSignal({ close: () => relay.close().finally(() => process.exit()) })
  warn(weakKeyProblems(process.env))
  say(`hookline relay listening on ${relay.url}\n`)
  if (tunnel) await tunnelTo(relay, repository)
}

/** A relay that was to be public is of no use without its tunnel: the one ends with the other. */
async function tunnelTo(relay: RunningServer, repository: string | undefined): Promise<void> {
  const { openTunnel, publicUrl } = await import('./tunnel.ts')
  try {
    const tunnel = await openTunnel(relay.url)
    process.once('exit', tunnel.close)
    say(`${(await publicUrl(tunnel.url, repository, process.env)).join('\n')}\n`)
    await tunnel.ended
    throw new UserError({ message: 'the tunnel ended', hint: 'start the relay again' })
  } catch (error) {
    process.exitCode = reportError(error)
    await relay.close()
    process.exit()
  }
}

/** A relay works without anyone to tell of it: a stream of Node would end the process. */
function say(line: string): void {
  try {
    writeSync(1, line)
  } catch {
    // The log says so.
  }
}
