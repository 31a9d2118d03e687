import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { type Addressed, outgoingRequest } from '../../src/cli/send/request.ts'
import { signed } from '../../src/cli/send/signatures.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { Secret } from '../../src/wire/secret.ts'
import { RUN, withRun } from '../cli/doctor/stand-in.ts'
import { RunningCommand } from '../support/cli.ts'
import { ED25519, secretsOf } from './events.ts'
import type { Block, Page } from './pages.ts'
import type { Session } from './session.ts'
import { runNative } from './workflows.ts'

/** How the commands of a sender's page begin. */
export const FIRST_COMMAND = 'hookline init --sender '

/** What only the sender can do: of these pages alone. */
export const NOT_WALKED: Readonly<Record<string, string>> = {
  discord: 'with a key of the test in place of that of Discord',
  'aws-sns': 'which fires nothing: only Amazon can sign an event',
}

/**
 * The commands of a sender's page in one shell as they stand, `connect` with a trial: from nothing
 * to the run, and the workflow that was written fires on the event that reached GitHub.
 */
export async function walkSender(block: Block, page: Page, session: Session): Promise<void> {
  const [name = ''] = block.text.slice(FIRST_COMMAND.length).split('\n')
  const path = `.github/workflows/${name}.yml`
  const written = () => readFileSync(join(session.folder, path), 'utf8').replace(/@1{40}.*/, '@v1')
  const pushed = Object.defineProperty({}, `${name}.yml`, { enumerable: true, get: written })
  session.github.always(withRun({ workflows: pushed }, { name }))
  // Also where a walk that failed has been here before.
  const clone = 'rm -rf .git .github && git init -q && git remote add origin'
  const cloned = await session.run(`${clone} https://github.com/octo/repo.git`)
  expect(cloned).toMatchObject({ code: 0, stderr: '' })
  // 1. Its commands, as the reader pastes them; the secret is pasted at the question of gh.
  const { secret } = senderNamed(name) ?? {}
  const values: Readonly<Record<string, string | undefined>> = secretsOf(page.text)
  const value = secret === undefined ? undefined : values[secret]
  const flags = [
    '--try --json --yes',
    ...(secret === undefined || block.text.includes('--secret-env')
      ? []
      : [`--secret-env ${secret}`]),
  ]
  const script = `${block.text.trimEnd()} ${flags.join(' ')}`
  const shell = new RunningCommand([], {
    cwd: session.folder,
    env: { ...session.env, ...(secret && value && { [secret]: value, PASTED: value }) },
    as: () => ['bash', '-euo', 'pipefail', '-c', script],
  })
  // 2. What is to be done with the URL, and the request of the sender, to the end of the run.
  try {
    const { url } = await event(shell, 'ready')
    const [, urlSecret] = /`gh secret set (\w+)`/.exec(page.text) ?? []
    if (urlSecret) await session.run(`PASTED='${url}' gh secret set ${urlSecret}`)
    if (name === 'aws-sns') await shell.told(/sent without a signature: Amazon alone can sign it/)
    if (name === 'discord') {
      await shell.told(/only Discord can sign a trial/)
      await callAsDiscord(String(url), session)
    }
    await shell.printed(/^{"event":"request".*"status":200,.*}$/m)
    expect(await event(shell, 'end')).toMatchObject({ run: RUN, conclusion: 'success' })
  } finally {
    endConnect(session)
    await shell.ended()
  }
  // 3. What was written is what the page shows, and it fires on what reached GitHub.
  expect(`# ${path}\n${written()}`).toBe(
    page.blocks.find(({ language }) => language === 'yaml')?.text,
  )
  const dispatches = session.github.calls.filter(({ method }) => method === 'POST')
  expect(dispatches.flatMap(({ violations }) => violations)).toEqual([])
  const triggered = name !== 'aws-sns'
  const secrets = storedIn(session)
  await runNative(name, written(), session, { isFromPage: true, triggered, secrets })
}

async function event(shell: RunningCommand, kind: string): Promise<Record<string, unknown>> {
  const [line] = await shell.printed(new RegExp(`^{"event":"${kind}".*}$`, 'm'))
  return JSON.parse(line)
}

/** It sends a wrong signature and a PING before it takes a URL; then a command comes. */
async function callAsDiscord(url: string, session: Session): Promise<void> {
  const local = readFileSync(join(session.folder, '.session/tunnelled'), 'utf8').trim()
  const here = (called: Addressed) =>
    fetch(local + called.url.pathname + called.url.search, called.request)
  const command = await outgoingRequest(new URL(url), { fixture: 'discord.command', header: [] })
  const bytes = new TextEncoder().encode('{"type":1,"token":"t"}')
  const ping = { ...command, request: { ...command.request, body: bytes } }
  const timed = { timestamp: Math.floor(Date.now() / 1000), id: '1' }
  const by = (key: string, one: Addressed) => signed(one, 'discord', new Secret(key), timed)
  const [, privateKey] = ED25519
  expect((await here(by('0'.repeat(64), ping))).status).toBe(401)
  expect(await (await here(by(privateKey, ping))).json()).toEqual({ type: 1 })
  expect(await (await here(by(privateKey, command))).json()).toEqual({ type: 5 })
}

/** What the page's `gh secret set` put into the repository. */
function storedIn(session: Session): Record<string, string> {
  const folder = join(session.folder, '.session/secrets')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

/** As Ctrl-C does; a walk that failed early has not come so far. */
function endConnect({ folder }: Session): void {
  const file = join(folder, '.session/pids')
  if (!existsSync(file)) return
  const pids = readFileSync(file, 'utf8').trim().split('\n')
  process.kill(Number(pids.at(-1)), 'SIGTERM')
}
