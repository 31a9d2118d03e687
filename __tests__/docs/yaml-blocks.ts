import { existsSync, readFileSync } from 'node:fs'
import { expect } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { exampleOf } from '../../src/cli/send/example-events.ts'
import { readSettingsFile, SETTINGS_FILE } from '../../src/compiler/compiler-settings.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { checkConfiguration } from './configuration-files.ts'
import type { Block, Page } from './pages.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Session } from './session.ts'
import {
  checkNative,
  checkStrictly,
  runNative,
  runSource,
  type Scenario,
  untrustedScripts,
} from './workflows.ts'

const ROOT = new URL('../../', import.meta.url)

/** Runs a YAML block by its kind; an unknown kind fails. */
export async function runYaml(block: Block, page: Page, session: Session): Promise<void> {
  const { text } = block
  if (checkConfiguration(text)) return
  const [, path = ''] = /^# (\S+\.ya?ml)\n/.exec(text) ?? []
  expect(untrustedScripts(parse(text)).length > 0).toBe(text.startsWith('# wrong\n'))
  if (path === '.github/dependabot.yml') return checkDependabot(text)
  if (path === '.pre-commit-config.yaml') return checkHooks(text)
  if (path === SETTINGS_FILE) {
    const { problems } = readSettingsFile({ name: path, file: path, text })
    return expect(problems).toEqual([])
  }
  const whole = wholeWorkflow(text, page)
  const name = path.replace(/.*\/|\.ya?ml$/g, '') || 'hook'
  const keys = [block.heading, ...(path ? [name] : [])].map((key) => `${page.name} ${key}`)
  const scenario = keys.map((key) => SCENARIOS[key]).find((found) => found) ?? exampleFor(page)
  if (whole === undefined) return checkSchemaLine(text)
  const called = nativeFiles(page)
  if (path.startsWith('workflows/') || whole.source) {
    return runSource(name, whole.text, session, scenario, called)
  }
  await checkNative(`${name}.yml`, whole.text)
  if (!text.startsWith('# wrong\n'))
    await checkStrictly(`.github/workflows/${name}.yml`, whole.text)
  await runNative(name, whole.text, session, scenario, called)
}

/** The example event of `send` for a page of a sender whose scheme other senders share. */
function exampleFor({ name }: Page): Scenario {
  const [, sender = ''] = /^docs\/senders\/(.+)\.md$/.exec(name) ?? []
  const isShared = ['bearer', 'basic', 'token'].includes(senderNamed(sender)?.scheme ?? '')
  const example = isShared ? exampleOf(sender) : undefined
  return example?.request({ id: crypto.randomUUID(), now: new Date() }) ?? {}
}

interface Whole {
  readonly text: string
  /** True for a source of the compiler. */
  readonly source?: boolean
}

/** Completes a part of a workflow to a whole one. */
function wholeWorkflow(text: string, page: Page): Whole | undefined {
  const content: unknown = parse(text)
  if (content === null) return undefined
  if (Array.isArray(content)) return around(content, text)
  const mapping = content as Record<string, unknown> // no page shows a plain string
  if ('on' in mapping && 'jobs' in mapping) return { text }
  if ('on' in mapping) return { text: `${text}jobs:\n  a: ${JOB}\n`, source: true }
  if ('jobs' in mapping) return { text: `on: {repository_dispatch: {types: [webhook]}}\n${text}` }
  if ('verify' in mapping) return { text: sourceOf(triggerOf(page), text), source: true }
  const names = Object.keys(mapping)
  if (names.every((name) => TRIGGERS.has(name))) return { text: nativeOf(text) }
  throw new Error(`nobody knows how to run YAML with the keys ${names.join(', ')}`)
}

const JOB = '{runs-on: ubuntu-latest, steps: [{run: echo done}]}'

function triggerOf({ name }: Page): string {
  const service = name.replace(/.*\/|\.md$/g, '').replace('-', '_')
  return TRIGGERS.has(service) ? service : 'webhook'
}

function sourceOf(trigger: string, options: string): string {
  const indented = options.replaceAll(/^/gm, '    ').trimEnd()
  return `on:\n  ${trigger}:\n${indented}\njobs:\n  a: ${JOB}\n`
}

function nativeOf(on: string): string {
  const secrets = [...new Set([...on.matchAll(/secrets\.(\w+)/g)].map(([, name]) => name))]
  const given = secrets.map((name) => `"${name}": \${{ toJSON(secrets.${name}) }}`).join(', ')
  const inputs = { on: on.replaceAll('${{', "${{ '${{' }}"), secrets: `{${given}}` }
  const step = { uses: 'hookline/hookline@v1', with: inputs }
  const polled = on.includes('messaging_bot')
  return stringify({
    on: polled
      ? { schedule: [{ cron: '*/5 * * * *' }] }
      : { repository_dispatch: { types: ['webhook'] } },
    jobs: { hook: { 'runs-on': 'ubuntu-latest', steps: [step] } },
  })
}

/** Puts steps into a job that begins with the action, or into the jobs of a compiled workflow. */
function around(steps: readonly unknown[], text: string): Whole {
  const job = { 'runs-on': 'ubuntu-latest', steps }
  if (/\bon\.\w+\.outputs/.test(text))
    return { text: stringify({ on: 'webhook', jobs: { a: job } }), source: true }
  // Only a message can get a reply.
  const trigger = text.includes('/reply@') ? 'messaging_bot: {webhook: true}' : 'webhook'
  const action = { id: 'hookline', uses: 'hookline/hookline@v1', with: { on: trigger } }
  const on = { repository_dispatch: { types: ['webhook'] } }
  const all = /uses: hookline\/hookline@/.test(text) ? steps : [action, ...steps]
  return { text: stringify({ on, jobs: { a: { ...job, steps: all } } }) }
}

/** The native workflows of a page, for workflows that call them. */
function nativeFiles({ blocks }: Page): Record<string, string> {
  return Object.fromEntries(
    blocks.flatMap(({ text }) => {
      const [, path] = /^# (\.github\/workflows\/\S+)\n/.exec(text) ?? []
      return path ? [[path, text]] : []
    }),
  )
}

function checkDependabot(text: string): void {
  const own = parse(readFileSync(new URL('.github/dependabot.yml', ROOT), 'utf8'))
  const { version, updates } = parse(text)
  expect(version).toBe(own.version)
  for (const update of updates) expect(own.updates).toContainEqual(expect.objectContaining(update))
}

/** Checks that the hooks of a user's configuration exist. */
function checkHooks(text: string): void {
  const own = parse(readFileSync(new URL('.pre-commit-hooks.yaml', ROOT), 'utf8'))
  const [{ repo, rev, hooks }, ...others] = parse(text).repos
  expect({ repo, others }).toEqual({ repo: 'https://github.com/hookline/hookline', others: [] })
  expect(rev).toMatch(/^v\d+\.\d+\.\d+$/)
  for (const { id } of hooks) expect(own).toContainEqual(expect.objectContaining({ id }))
}

/** Checks the comment by which editors find the schema. */
function checkSchemaLine(text: string): void {
  const [, file = ''] =
    /^# yaml-language-server: \$schema=https:\/\/raw\.githubusercontent\.com\/hookline\/hookline\/v1\/(\S+)\n$/.exec(
      text,
    ) ?? []
  expect([text, file !== '' && existsSync(new URL(file, ROOT))]).toEqual([text, true])
}
