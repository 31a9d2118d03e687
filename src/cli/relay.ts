import { writeSync } from 'node:fs'
import { Command } from 'commander'
import type { RunningServer } from '../relay/http/node-server.ts'
import { weakKeyProblems } from '../relay/relay-config.ts'
import { webhookUrl } from '../wire/path.ts'
import {
  parsePort,
  RELAY_SETTINGS,
  rawSetting,
  readSetting,
  settingDefault,
} from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { reportError, stopOnSignal, warn } from './terminal.ts'
import { openTunnel, type TunnelChange } from './tunnel.ts'
import { unusedProxyProblems } from './unused-proxy.ts'

interface RelayCommandOptions {
  readonly host: string
  readonly port: string
  readonly repository?: string
  readonly outbox?: string
  readonly receipts?: true
  readonly tunnel?: boolean
  readonly allowTokens?: true
}

const HELP = `
${environmentHelp(...RELAY_SETTINGS)}

Examples:
  $ hookline relay --port 8080
  $ hookline relay --repository octo/repo
  $ hookline relay --outbox /var/lib/hookline/outbox.db --receipts
  $ hookline relay --tunnel`

export function relayCommand(): Command {
  return new Command('relay')
    .description('forward webhook requests to GitHub, which starts the workflows')
    .option('--host <host>', 'address to listen on', readSetting(process.env, 'HOST'))
    .option(
      '--port <port>',
      'port to listen on; 0 selects a free port',
      rawSetting(process.env, 'PORT') ?? settingDefault('PORT'),
    )
    .option('--repository <owner/name>', 'serve only this repository, at /webhook/…')
    .option(
      '--outbox <file>',
      'queue events in this database while GitHub is unavailable',
      rawSetting(process.env, 'HOOKLINE_OUTBOX'),
    )
    .option('--receipts', 'follow each event to its run; needs --outbox and a GitHub credential')
    .option(
      '--allow-tokens',
      'accept GitHub tokens, although the relay has a credential of its own',
    )
    .option('--tunnel', 'open a public address with cloudflared')
    .addHelpText('after', HELP)
    .action(runRelay)
}

async function runRelay({
  host,
  port,
  repository,
  outbox,
  receipts,
  tunnel,
  allowTokens,
}: RelayCommandOptions): Promise<void> {
  // A dynamic import, because undici alone doubles the time of `hookline --help`.
  const { startRelay } = await import('../relay/http/node.ts')
  const relay = await startRelay({
    host,
    port: parsePort(port),
    env: { ...process.env, ...(allowTokens && { HOOKLINE_ALLOW_TOKENS: 'true' }) },
    repository,
    outbox,
    receipts,
  })
  // Exit explicitly: a blocked log stream would keep the process alive after every event is stored.
  const stopping = new AbortController()
  stopOnSignal({
    close() {
      stopping.abort()
      return relay.close().finally(() => process.exit())
    },
  })
  warn([...weakKeyProblems(process.env), ...unusedProxyProblems(process.env)])
  writeLine(`hookline relay listening on ${relay.url}\n`)
  if (tunnel) await tunnelTo(relay, repository, stopping.signal)
}

/** Opens a tunnel, which is opened again if it ends. The relay ends if the first tunnel fails. */
async function tunnelTo(
  relay: RunningServer,
  repository: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const sayAddress = async (url: string) =>
    writeLine(`${(await publicLines(url, repository, process.env)).join('\n')}\n`)
  try {
    const onChange = (change: TunnelChange) => {
      if (change.kind === 'open') return void sayAddress(change.url)
      writeLine(`the tunnel ended; opening another one in ${change.retryIn / 1000} s\n`)
    }
    const tunnel = await openTunnel(relay.url, onChange, signal)
    await sayAddress(tunnel.url)
  } catch (error) {
    if (error === signal.reason) return // The process ends when the relay is closed.
    process.exitCode = reportError(error)
    await relay.close()
    process.exit()
  }
}

/** The public webhook URL of the first workflow in this folder, with a curl line. */
async function publicLines(
  relay: string,
  repository: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[]> {
  const { ANY_REQUEST, exampleLine } = await import('../triggers/example-line.ts')
  const { triggersHere } = await import('./workflows-here.ts')
  const { originRepository } = await import('./files.ts')
  const { currentShell: shellOf } = await import('../wire/shell.ts')
  const [first = { workflow: 'hook', trigger: 'webhook', example: undefined }] = triggersHere()
  const { workflow, trigger, example = ANY_REQUEST } = first
  const servesOne =
    repository !== undefined || readSetting(env, 'HOOKLINE_REPOSITORY') !== undefined
  const named = servesOne ? undefined : originRepository() || 'owner/name'
  const url = webhookUrl({ relay, repository: named, workflow, trigger })
  const shell = shellOf(env, process.platform)
  const credential = shell.variable('HOOKLINE_GITHUB_TOKEN')
  return [
    `public address: ${relay}`,
    `webhook URL:    ${url}${example.path}`,
    `try it:         ${exampleLine(url, example, credential, shell.request)}`,
  ]
}

/** Writes to standard output. The relay goes on if standard output is closed. */
function writeLine(line: string): void {
  try {
    writeSync(1, line)
  } catch {
    // The log already has the address.
  }
}
