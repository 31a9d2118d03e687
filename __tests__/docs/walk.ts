import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { type AddressedRequest, outgoingRequest } from '../../src/cli/send/outgoing-request.ts'
import { signed } from '../../src/cli/send/signatures.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { Secret } from '../../src/wire/secret.ts'
import { RUN, withRun } from '../cli/doctor/stand-in.ts'
import { RunningCommand } from '../support/cli.ts'
import { ED25519, secretsOf } from './events.ts'
import type { Block, Page } from './pages.ts'
import { CLONE, type Session } from './session.ts'
import { runNative } from './workflows.ts'

/** The command that writes the workflow on a sender's page. */
export const FIRST_COMMAND = /^hookline init --sender (\S+)/m

/** Pages whose commands are not run, because only the sender has the key. */
export const NOT_WALKED: Readonly<Record<string, string>> = {
  discord: 'signed with a key of the test',
  'aws-sns': 'which starts nothing without a signature of Amazon',
}

/**
 * Runs the commands of a sender's page in one shell, with a test event from `connect`, until the
 * run. Then the written workflow fires on the event that GitHub received.
 */
export async function walkSender(block: Block, page: Page, session: Session): Promise<void> {
  const [, name = ''] = FIRST_COMMAND.exec(block.text) ?? []
  const path = `.github/workflows/${name}.yml`
  const written = () => readFileSync(join(session.folder, path), 'utf8').replace(/@1{40}.*/, '@v1')
  const pushed = Object.defineProperty({}, `${name}.yml`, { enumerable: true, get: written })
  session.github.always(withRun({ workflows: pushed }, { name }))
  // Earlier commands that failed may have left files.
  const cloned = await session.run(CLONE)
  expect(cloned).toMatchObject({ code: 0, stderr: '' })
  // 1. Run the commands as a reader does; the secret is pasted at gh's prompt.
  const { secret } = senderNamed(name) ?? {}
  const named = `${page.text}\nsecrets.${secret}`
  const values: Readonly<Record<string, string | undefined>> = secretsOf(named)
  const value = secret === undefined ? undefined : values[secret]
  const flags = [
    '--send-test --json --yes',
    ...(secret === undefined || block.text.includes('--secret-env')
      ? []
      : [`--secret-env ${secret}`]),
  ]
  const script = `${block.text.trimEnd()} ${flags.join(' ')}`
  const shell = new RunningCommand([], {
    cwd: session.folder,
    env: { ...session.env, ...(secret && value && { [secret]: value, PASTED: value }) },
    as: () => ['bash', '--norc', '-euo', 'pipefail', '-c', script],
  })
  // 2. Store what the page says, and follow the sender's request to the end of the run.
  try {
    const { url } = await event(shell, 'ready')
    for (const stored of storedBy(page.text)) {
      const pasted = stored === secret ? value : url
      await session.run(`PASTED='${pasted}' gh secret set ${stored}`)
    }
    if (name === 'aws-sns') await shell.told(/Amazon.*sign/)
    if (name === 'discord') {
      await shell.told(/Discord.*sign/)
      await callAsDiscord(String(url), session)
    }
    await shell.printed(/^{"event":"request".*"status":200,.*}$/m)
    expect(await event(shell, 'end')).toMatchObject({ run: RUN, outcome: 'success' })
  } finally {
    endConnect(session)
    await shell.ended()
  }
  // 3. A sender's page shows the written workflow, which must fire on the event that GitHub
  // received.
  if (page.name.startsWith('docs/senders/')) {
    const shown = page.blocks.find(({ text }) => text.startsWith('# .github/workflows/'))
    expect(`# ${path}\n${written()}`).toBe(shown?.text)
  }
  const dispatches = session.github.calls.filter(({ method }) => method === 'POST')
  expect(dispatches.flatMap(({ violations }) => violations)).toEqual([])
  const triggered = name !== 'aws-sns'
  const secrets = storedIn(session)
  await runNative(name, written(), session, { isFromPage: true, triggered, secrets })
}

/** The repository secrets that a page stores, by a command or by the key `s` of `connect`. */
function storedBy(text: string): string[] {
  const found = text.matchAll(
    /^gh secret set (\w+)$|as the repository secret `(\w+)`|It becomes `(\w+)`/gm,
  )
  return [...found].flatMap(([, ...names]) => names.filter((name) => name !== undefined))
}

async function event(shell: RunningCommand, kind: string): Promise<Record<string, unknown>> {
  const [line] = await shell.printed(new RegExp(`^{"event":"${kind}".*}$`, 'm'))
  return JSON.parse(line)
}

/** Discord sends a wrong signature and a PING before it accepts a URL; then it sends a command. */
async function callAsDiscord(url: string, session: Session): Promise<void> {
  const local = readFileSync(join(session.folder, '.session/tunnelled'), 'utf8').trim()
  const here = (called: AddressedRequest) =>
    fetch(local + called.url.pathname + called.url.search, called.request)
  const command = await outgoingRequest(new URL(url), { example: 'discord.command', header: [] })
  const bytes = new TextEncoder().encode('{"type":1,"token":"t"}')
  const ping = { ...command, request: { ...command.request, body: bytes } }
  const timed = { timestamp: Math.floor(Date.now() / 1000), id: '1' }
  const by = (key: string, one: AddressedRequest) => signed(one, 'discord', new Secret(key), timed)
  const [, privateKey] = ED25519
  expect((await here(by('0'.repeat(64), ping))).status).toBe(401)
  expect(await (await here(by(privateKey, ping))).json()).toEqual({ type: 1 })
  expect(await (await here(by(privateKey, command))).json()).toEqual({ type: 5 })
}

/** The secrets that the page's `gh secret set` stored in the repository. */
function storedIn(session: Session): Record<string, string> {
  const folder = join(session.folder, '.session/secrets')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** Sends Ctrl-C; `connect` may not run if earlier commands failed. */
export function endConnect({ folder }: Session): void {
  const file = join(folder, '.session/pids')
  if (!existsSync(file)) return
  const pids = readFileSync(file, 'utf8').trim().split('\n')
  try {
    process.kill(Number(pids.at(-1)), 'SIGTERM')
  } catch {} // it has ended
}
