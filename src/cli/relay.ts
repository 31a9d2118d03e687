import { writeSync } from 'node:fs'
import { Command } from 'commander'
import { weakKeyProblems } from '../relay/config.ts'
import type { RunningServer } from '../relay/http-server.ts'
import { UserError } from '../wire/errors.ts'
import { webhookUrl } from '../wire/path.ts'
import { parsePort, plainSetting, presetOf, readSetting } from '../wire/settings.ts'
import { environmentHelp, RELAY_SETTINGS } from '../wire/settings-help.ts'
import { reportError, stopOnSignal, warn } from './terminal.ts'
import { openTunnel } from './tunnel.ts'
import { unusedProxyProblems } from './unused-proxy.ts'

interface RelayCommandOptions {
  readonly host: string
  readonly port: string
  readonly repository?: string
  readonly outbox?: string
  readonly tunnel?: boolean
}

const HELP = `
${environmentHelp(...RELAY_SETTINGS)}

Examples:
  $ hookline relay --port 8080
  $ hookline relay --repository octo/repo
  $ hookline relay --outbox /var/lib/hookline/outbox.db
  $ hookline relay --tunnel`

export function relayCommand(): Command {
  return new Command('relay')
    .description('forward webhooks to GitHub as repository_dispatch events')
    .option('--host <host>', 'address to listen on', readSetting(process.env, 'HOST'))
    .option(
      '--port <port>',
      'port to listen on, 0 for a free one',
      plainSetting(process.env, 'PORT') ?? presetOf('PORT'),
    )
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
  warn([...weakKeyProblems(process.env), ...unusedProxyProblems(process.env)])
  say(`hookline relay listening on ${relay.url}\n`)
  if (tunnel) await tunnelTo(relay, repository)
}

/** A relay that was to be public is of no use without its tunnel: the one ends with the other. */
async function tunnelTo(relay: RunningServer, repository: string | undefined): Promise<void> {
  try {
    const tunnel = await openTunnel(relay.url)
    process.once('exit', tunnel.close)
    say(`${(await publicLines(tunnel.url, repository, process.env)).join('\n')}\n`)
    await tunnel.ended
    throw new UserError({ message: 'the tunnel ended', hint: 'start the relay again' })
  } catch (error) {
    process.exitCode = reportError(error)
    await relay.close()
    process.exit()
  }
}

/** The webhook URL at a public address, and a line that fires it; of the first workflow found here. */
async function publicLines(
  relay: string,
  repository: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const { ANY_REQUEST, exampleLine } = await import('../triggers/example-line.ts')
  const { triggersHere } = await import('./workflows-here.ts')
  const { originRepository } = await import('./files.ts')
  const { shellOf } = await import('../wire/shell.ts')
  const [first = { workflow: 'hook', trigger: 'webhook', example: undefined }] = triggersHere()
  const { workflow, trigger, example = ANY_REQUEST } = first
  const servesOne =
    repository !== undefined || readSetting(env, 'HOOKLINE_REPOSITORY') !== undefined
  const place = servesOne ? undefined : originRepository() || 'owner/name'
  const url = webhookUrl({ relay, repository: place, workflow, trigger })
  // A relay with a token of its own is brought one of its keys.
  const shell = shellOf(env, process.platform)
  const firstKey =
    shell.name === 'posix'
      ? '\u0024{HOOKLINE_ACCESS_KEYS%%[, ]*}'
      : "$(($env:HOOKLINE_ACCESS_KEYS -split '[, ]')[0])"
  const hasKeys = plainSetting(env, 'HOOKLINE_ACCESS_KEYS')
  const credential = hasKeys ? firstKey : shell.variable('HOOKLINE_GITHUB_TOKEN')
  return [
    `public address: ${relay}`,
    `webhook URL:    ${url}${example.path}`,
    `try it:         ${exampleLine(url, example, credential, shell.request)}`,
  ]
}

/** A relay works without anyone to tell of it: a stream of Node would end the process. */
function say(line: string): void {
  try {
    writeSync(1, line)
  } catch {
    // The log says so.
  }
}
