import { writeSync } from 'node:fs'
import { Command } from 'commander'
import { weakKeyProblems } from '../relay/config.ts'
import { parsePort } from './http.ts'
import { stopOnSignal, warn } from './terminal.ts'

interface RelayCommandOptions {
  readonly host: string
  readonly port: string
  readonly repository?: string
}

const HELP = `
Environment:
  HOOKLINE_TOKEN, HOOKLINE_KEYS  the relay holds the token, and a request brings one of the keys
  HOOKLINE_API_URL               GitHub's API, by default https://api.github.com

Examples:
  $ hookline relay --port 8080
  $ hookline relay --repository octo/repo`

export function relayCommand(): Command {
  return new Command('relay')
    .description('forward webhooks to GitHub as repository_dispatch events')
    .option('--host <host>', 'address to listen on', process.env.HOST || '127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for a free one', process.env.PORT || '3000')
    .option('--repository <owner/name>', 'serve /webhook/<workflow>/<trigger> for this repository')
    .addHelpText('after', HELP)
    .action(run)
}

async function run({ host, port, repository }: RelayCommandOptions): Promise<void> {
  // Loaded only here: undici alone would double the time that `hookline --help` takes.
  const { startRelay } = await import('../relay/node.ts')
  const relay = await startRelay({ host, port: parsePort(port), env: process.env, repository })
  // A log that nobody reads may hold a write back for ever; all that counts is done by then.
  stopOnSignal({ close: () => relay.close().finally(() => process.exit()) })
  warn(weakKeyProblems(process.env.HOOKLINE_KEYS))
  say(`hookline relay listening on ${relay.url}\n`)
}

/** A relay works without anyone to tell of it: a stream of Node would end the process. */
function say(line: string): void {
  try {
    writeSync(1, line)
  } catch {
    // The log says so.
  }
}
