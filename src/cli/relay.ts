import { writeSync } from 'node:fs'
import { Command } from 'commander'
import type { DataFolder } from '../relay/node/data-folder.ts'
import type { RunningRelay } from '../relay/node/start.ts'
import { UsageError } from '../wire/errors.ts'
import {
  parsePort,
  RELAY_SETTINGS,
  rawSetting,
  readSetting,
  settingDefault,
} from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { plainTextProblems } from './forge-tokens.ts'
import { unusedProxyProblems } from './programs.ts'
import { stopOnSignal, warn } from './terminal.ts'

interface RelayCommandOptions {
  readonly host: string
  readonly port: string
  readonly repository?: string
  readonly data?: string
  readonly stateless?: true
  readonly allowTokens?: true
}

const HELP = `
${environmentHelp(...RELAY_SETTINGS)}

Examples:
  $ hookline relay
  $ hookline relay --data /srv/hookline --port 8080
  $ hookline relay --stateless --repository octo/repo`

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
      '--data <folder>',
      "folder of the database and the relay key (default: systemd's folder, else hookline in the user's state folder)",
    )
    .option('--stateless', 'run without a database: token URLs only')
    .option(
      '--allow-tokens',
      'accept GitHub tokens: in token URLs, and to manage endpoints with this token',
    )
    .addHelpText('after', HELP)
    .action(runRelay)
    .addCommand(keyCommand())
    .addCommand(rotateKeyCommand())
    .addCommand(backupCommand())
}

function keyCommand(): Command {
  return new Command('key')
    .description('print the admin bearer of the relay on this machine')
    .option('--read', 'print the bearer for status and metrics alone')
    .action(async ({ read }: { read?: true }, command: Command) => {
      const { findRelayKey } = await import('../relay/node/data-folder.ts')
      const { readRelayKeys } = await import('../relay/store/relay-key.ts')
      const found = await findRelayKey({ data: dataOf(command), env: process.env })
      const [first] = await readRelayKeys(found.key, found.keyName)
      process.stdout.write(`${(read ? first.read : first.admin).reveal()}\n`)
    })
}

function rotateKeyCommand(): Command {
  return new Command('rotate-key')
    .description('put a new relay key in front of the others in the file')
    .action(async (_: object, command: Command) => {
      const { findRelayKey, rotateRelayKey } = await import('../relay/node/data-folder.ts')
      const { folder } = await findRelayKey({ data: dataOf(command), env: process.env })
      const count = await rotateRelayKey(folder, process.env)
      process.stdout.write(
        `${folder.key} has ${count} keys now, the new one first.\nRestart the relay, which then encrypts its database with the new key.\nRemove an old key when the status counts 0 rows of it.\n`,
      )
    })
}

function backupCommand(): Command {
  return new Command('backup')
    .description('copy the database of a running relay into a new file')
    .argument('<file>', 'file to write')
    .option('--relay <url>', 'address of the relay (default: the relay on this machine)')
    .action(async (file: string, { relay }: { relay?: string }, command: Command) => {
      const { findRelay } = await import('./find-relay.ts')
      const client = await findRelay({ relay, data: dataOf(command) })
      const bytes = await client.download('/backup', file)
      process.stdout.write(
        `${file}: ${bytes} bytes. It can be read only with the relay key: back up relay.key too.\n`,
      )
    })
}

/** The subcommands share the flag --data of `relay`. */
function dataOf(command: Command): string | undefined {
  return command.optsWithGlobals<{ data?: string }>().data
}

async function runRelay({
  host,
  port,
  repository,
  data,
  stateless,
  allowTokens,
}: RelayCommandOptions): Promise<void> {
  if (stateless && data !== undefined) {
    throw new UsageError({
      message: '--stateless cannot be combined with --data',
      hint: 'A stateless relay has no database. Omit one of them.',
    })
  }
  // A dynamic import, because undici alone doubles the time of `hookline --help`.
  const { startRelay } = await import('../relay/node/start.ts')
  const { dataFolder } = await import('../relay/node/data-folder.ts')
  const folder = stateless ? undefined : dataFolder({ data, env: process.env })
  const relay = await startRelay({
    host,
    port: parsePort(port),
    env: { ...process.env, ...(allowTokens && { HOOKLINE_ALLOW_TOKENS: 'true' }) },
    repository,
    folder,
  })
  // Exit explicitly: a blocked log stream would keep the process alive after every event is stored.
  stopOnSignal({ close: () => relay.close().finally(() => process.exit()) })
  const insecure = plainTextProblems(readSetting(process.env, 'HOOKLINE_API_URL'))
  warn([...relay.warnings, ...unusedProxyProblems(process.env), ...insecure])
  writeLine(`hookline relay listening on ${relay.url}\n`)
  if (folder) writeLine(`${folderLines(folder, relay).join('\n')}\n`)
}

/** What the first start of a relay shows, and never the key. */
function folderLines({ path, key }: DataFolder, { hasNewKey }: RunningRelay): readonly string[] {
  return [
    `data folder: ${path}`,
    ...(hasNewKey ? [`created the relay key: ${key}`] : []),
    'next: hookline endpoint create <name> --repository <owner/name> --workflow <file>',
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
