import { readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exampleOf } from '../../src/cli/send/example-events.ts'
import type { Detail, Welcome } from '../../src/inspector/api.ts'
import { ACT, runAct } from '../support/act.ts'
import { runShared } from '../support/cli.ts'
import { type Dev, startDev } from '../support/dev.ts'
import { ask, detail, run } from '../support/inspector.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/workflows/', import.meta.url))
const NAMES = readdirSync(EXAMPLES).map((file) => file.replace(/\.yml$/, ''))
/**
 * Examples without a request from the page: two poll, Amazon must sign for one, and one has its own
 * signature.
 */
const UNSENT = ['aws-sns', 'bot', 'bot-chat-ops', 'curl']
const COMPARED = NAMES.filter((name) => !UNSENT.includes(name))
/** A secret that is valid for every scheme. */
const SECRET = `whsec_${Buffer.from('a-secret-of-thirty-two-characters').toString('base64')}`
/** Secrets with their own format. */
const FORMED: Readonly<Record<string, string>> = {
  ZAPIER_LOGIN: 'zap:a-password-of-thirty-two-characters',
  TRELLO_CALLBACK_URL: 'https://relay.example/octo/repo/trello/trello',
}
const GENEROUS = 300_000

/** Stands in for act: it stores the event of `dev --run`, and runs nothing. */
const KEEPER = `#!/bin/sh
while [ $# -gt 0 ]; do
  [ "$1" = --workflows ] && file=$(basename "$2" .yml)
  [ "$1" = --eventpath ] && event=$2
  shift
done
cp "$event" "$(dirname "$0")/$file.json"
`

/** The page's decision about a job must equal act's for the same event. */
;(ACT ? describe : describe.skip)('the verdicts of dev are those of act', () => {
  let dev: Dev
  let welcome: Welcome
  let folder: string
  const secrets: Record<string, string> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hookline-verdicts-'))
    await mkdir(join(folder, 'workflows'))
    const files: Record<string, string> = {}
    for (const name of COMPARED) {
      const text = readFileSync(join(EXAMPLES, `${name}.yml`), 'utf8')
      for (const [, secret = ''] of text.matchAll(/secrets\.(\w+)/g))
        secrets[secret] = FORMED[secret] ?? SECRET
      await cp(join(EXAMPLES, `${name}.yml`), join(folder, `workflows/${name}.yml`))
      files[`workflows/${name}.yml`] = text
    }
    const built = await runShared(['build'], { cwd: folder })
    expect(built).toMatchObject({ exitCode: 0 })
    for (const name of COMPARED) {
      const native = `.github/workflows/${name}.yml`
      files[native] = await readFile(join(folder, native), 'utf8')
    }
    files['.env'] = Object.entries(secrets)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('')
    await writeFile(join(folder, 'act'), KEEPER, { mode: 0o755 })
    dev = await startDev({
      files,
      args: ['--run'],
      env: { HOOKLINE_ACT: join(folder, 'act'), ...secrets },
    })
    welcome = await run(dev.url)
  }, GENEROUS)
  afterAll(async () => {
    await dev.stop()
    await rm(folder, { recursive: true, force: true })
  })

  let sent = 0
  /**
   * Sends the composer's default request, or a sender's signed example, and returns the result of
   * dev.
   */
  async function fire(name: string): Promise<Detail | undefined> {
    const trigger = welcome.triggers.find(({ workflow }) => workflow === name)
    if (!trigger) return undefined
    const example = exampleOf(name) ?? exampleOf(trigger.scheme ?? name)
    const { headers, body } = example?.request({ id: crypto.randomUUID(), now: new Date() }) ?? {}
    const own = headers && {
      ...{ method: 'POST', headers, encoding: 'text' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }
    const order = { ...trigger.request, ...own, of: null, sign: true }
    const answer = await ask(dev.url, '/inspector/replay', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(order),
    })
    expect(answer).toMatchObject({ status: 200 })
    return detail(dev.url, ++sent)
  }

  test.each(COMPARED)(
    '%s',
    async (name) => {
      const shown = await fire(name)
      expect(shown?.outcome).toBe('fired')
      await dev.command.told(new RegExp(`act: runs \\S+/${name}\\.yml[^]*?act: succeeded`))
      const payload = JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))
      const file = `.github/workflows/${name}.yml`
      const text = (await readFile(join(folder, file), 'utf8')).replace(/^ *queue: .*\n/gm, '')
      // The examples have descriptive names, not those of their files.
      const env = { GITHUB_WORKFLOW_REF: `octo/repo/${file}@refs/heads/main` }
      const event = { name: 'repository_dispatch', payload, secrets, env }
      const { jobs, log } = await runAct({ [file]: text }, event)
      const begun = new Set(Object.keys(jobs).map((job) => job.replace(/-\d+$/, '')))
      const told = (shown?.jobs ?? []).flatMap(({ jobs }) => jobs)
      expect(told.length).toBeGreaterThan(0)
      for (const { id, verdict } of told.filter(({ verdict }) => verdict !== 'unknown')) {
        expect([id, verdict, begun.has(id) ? '' : log]).toEqual([
          id,
          begun.has(id) ? 'runs' : 'skipped',
          begun.has(id) ? '' : log,
        ])
      }
    },
    GENEROUS,
  )
})
