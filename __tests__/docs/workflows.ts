import { expect } from '@jest/globals'
import { parse } from 'yaml'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { compileText } from '../compiler/support/compiled.ts'
import { validate } from '../compiler/support/editor.ts'
import { fillIn } from '../compiler/support/evaluate.ts'
import { parserErrors } from '../compiler/support/github.ts'
import { Repository } from '../compiler/support/repository.ts'
import { dispatchEvent } from '../support/action.ts'
import { checkByLevel } from '../support/findings.ts'
import { eventFor, type Sent, secretsOf } from './events.ts'
import { MANIFEST } from './manifest.ts'
import { type Event, type JobRun, runWorkflow, type Surroundings } from './runner.ts'
import type { Session } from './session.ts'

/** The request for a workflow of the pages, and the required result. */
export interface Scenario extends Sent {
  /** The event is the one that the page's own commands sent; they must have sent one. */
  readonly isFromPage?: boolean
  /** `false`: nothing must fire. */
  readonly triggered?: boolean
  /** The expected output of the scripts. */
  readonly prints?: readonly string[]
  /** The expected public calls of the scripts, with some fields. */
  readonly calls?: readonly (readonly [what: RegExp, fields: object])[]
  /** Files of the repository, after a checkout step. */
  readonly checkout?: Readonly<Record<string, string>>
  /** Replaces the event that the trigger requires. */
  readonly event?: Event
  readonly vars?: Readonly<Record<string, string>>
  /** The reader's secrets; by default a value for each name. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Inputs of a workflow that is called, or started manually. */
  readonly call?: Readonly<Record<string, string>>
}

interface HooklineStep {
  readonly id?: string
  readonly with: Readonly<Record<string, string>>
}

/** Syntax of 2026, which is newer than GitHub's parser in the tests. */
const TOO_NEW = /^ *(queue: max|timezone: .*)\n/gm

/** Checks a native workflow without running it. */
export async function checkNative(name: string, text: string): Promise<void> {
  expect(await parserErrors(name, text.replace(TOO_NEW, ''))).toEqual([])
  for (const { id, with: inputs } of hooklineSteps(text)) {
    expect(MANIFEST.inputs).toEqual(expect.arrayContaining(Object.keys(inputs)))
    const read = [...text.matchAll(new RegExp(`\\bsteps\\.${id}\\.outputs\\.([\\w-]+)`, 'g'))]
    expect(outputsOf(inputs.on)).toEqual(
      expect.arrayContaining([...new Set(read.map(([, output]) => output))]),
    )
  }
}

/** Scripts that read untrusted input by an expression instead of `env`. */
export function untrustedScripts(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) =>
    key === 'run' && typeof one === 'string' && UNTRUSTED.test(one) ? [one] : untrustedScripts(one),
  )
}

const UNTRUSTED = /\$\{\{.*\b(outputs|inputs|client_payload|matrix)\b/

function outputsOf(on = ''): string[] {
  const names = Object.keys(onSection(on))
  return [
    ...MANIFEST.outputs,
    ...names.flatMap((name) => Object.keys(TRIGGERS.get(name)?.outputs ?? {})),
  ]
}

function onSection(on: unknown): Record<string, never> {
  const section = typeof on === 'string' ? parse(on) : on
  if (typeof section === 'string') return { [section]: {} as never }
  return Array.isArray(section)
    ? Object.fromEntries(section.map((name) => [name, {}]))
    : (section ?? {})
}

function hooklineSteps(text: string): HooklineStep[] {
  const { jobs } = parse(text) as {
    jobs: Record<string, { steps?: (HooklineStep & { uses?: string })[] }>
  }
  return Object.values(jobs)
    .flatMap(({ steps = [] }) => steps)
    .filter(({ uses }) => uses?.startsWith('hookline/hookline@'))
    .map((step) => ({ ...step, with: step.with ?? {} }))
}

/** Runs it as GitHub does, on an event that fires. */
export async function runNative(
  name: string,
  text: string,
  session: Session,
  scenario: Scenario = {},
  files: Readonly<Record<string, string>> = {},
): Promise<JobRun[]> {
  const secrets = scenario.secrets ?? secretsOf([text, ...Object.values(files)].join('\n'))
  const [step] = hooklineSteps(text)
  const on = onSection(fillIn(step?.with.on ?? '', { secrets }))
  const event = scenario.event ?? (await eventOf(name, on, secrets, session, scenario))
  const inputs = {
    'telegram-api-url': session.telegram.url,
    ...(/state: branch:|shouldDeduplicate: true/.test(text) && {
      state: `file:${session.folder}/state-${name}.json`,
    }),
  }
  const from = session.elsewhere.calls.length
  const { call = {}, vars = {} } = scenario
  const around = {
    call,
    vars,
    files,
    secrets,
    inputs,
    replyInputs: { 'telegram-api-url': session.elsewhere.url },
    env: session.env,
    checkout: scenario.checkout ?? {},
  }
  const runs = await runWorkflow(text, name, event, around)
  expect(failures(runs)).toEqual([])
  const fired = runs.flatMap(({ actions }) => actions.map(({ outputs }) => outputs.triggered))
  if (fired.length > 0) expect(fired).toEqual([String(scenario.triggered ?? true)])
  const stdout = runs.map((run) => run.stdout).join('')
  for (const wanted of scenario.prints ?? []) expect(stdout).toContain(wanted)
  const calls = session.elsewhere.calls.slice(from)
  expect(calls).toHaveLength(scenario.calls?.length ?? calls.length)
  for (const [index, [what, fields]] of (scenario.calls ?? []).entries()) {
    expect(calls[index]).toMatchObject({ what: expect.stringMatching(what), fields })
  }
  await runUnfired(text, name, event, around, session)
  return runs
}

/** Runs it on an event that fires nothing: no job may fail, and no request may be sent. */
async function runUnfired(
  text: string,
  name: string,
  event: Event,
  around: Surroundings,
  session: Session,
): Promise<void> {
  const quiet = unfiredEvent(event)
  if (!quiet) return
  const from = session.elsewhere.calls.length
  const runs = await runWorkflow(text, name, quiet, around)
  expect(failures(runs)).toEqual([])
  const fired = runs.flatMap(({ actions }) => actions.map(({ outputs }) => outputs.triggered))
  expect(fired.filter((triggered) => triggered !== 'false')).toEqual([])
  expect(session.elsewhere.calls.slice(from)).toEqual([])
}

/**
 * A webhook for an undeclared trigger whose name meets the job's condition; for a poll, the same
 * event again after the message is acknowledged. `undefined` for any other event.
 */
function unfiredEvent(event: Event): Event | undefined {
  if (event.event === 'schedule') return event
  if (event.event !== 'repository_dispatch') return undefined
  const { client_payload: sent, ...rest } = event.payload as {
    readonly client_payload: { readonly path: string }
  }
  const [workflow, trigger = ''] = sent.path.replace(/^\//, '').split(/[/?]/)
  const payload = { ...sent, path: `${workflow}/${trigger}_other` }
  return { ...event, payload: { ...rest, client_payload: payload } }
}

function failures(runs: readonly JobRun[]): unknown[] {
  return runs
    .filter(({ result }) => result === 'failure')
    .map(({ id, stdout, actions }) => [id, stdout, actions.map((action) => action.stdout)])
}

/** Fields that do not describe the event itself. */
const PLAIN: readonly string[] = ['isFromPage', 'triggered', 'prints', 'calls', 'secrets']

async function eventOf(
  workflow: string,
  on: Record<string, object>,
  secrets: Readonly<Record<string, string>>,
  { telegram, github }: Session,
  sent: Scenario,
) {
  const plain = Object.keys(sent).every((key) => PLAIN.includes(key))
  const sentBefore = github.calls.findLast(({ body }) => isFor(workflow, body))
  if (sentBefore && plain) return dispatchEvent(JSON.parse(sentBefore.body).client_payload)
  if (sent.isFromPage) throw new Error(`no command of the page sends anything to ${workflow}`)
  const [declared] = Object.entries(on).filter(([name]) => TRIGGERS.has(name))
  if (!declared) throw new Error('no trigger is declared, and no event is given')
  const [trigger, options] = declared
  return eventFor({ workflow, trigger }, options, secrets, { sent, telegram })
}

/** An event that the page's own commands sent is preferred. */
function isFor(workflow: string, dispatch: string): boolean {
  return dispatch !== '' && JSON.parse(dispatch).client_payload?.path?.startsWith(`${workflow}/`)
}

/** `hookline check --strict` must find no error in a file. */
export async function checkStrictly(path: string, text: string): Promise<void> {
  const repository = new Repository()
  repository.write(
    'workflows/hook.yml',
    'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
  )
  repository.write(path, text)
  const { root } = repository
  repository.write('.github/hookline.yml', `state: ${stateOf(text)}\n`)
  const checked = await checkByLevel({ root, globs: [path], strict: true })
  repository.remove()
  // A workflow that only calls others, or installs the command, uses no action of Hookline.
  const isChecked = path.startsWith('workflows/') || text.includes('uses: hookline/hookline')
  const { count, errors, fixed } = checked
  expect({ count, errors, fixed }).toEqual({ count: Number(isChecked), errors: [], fixed: [] })
}

/** A source for the compiler must have no mistake, compile, be accepted by GitHub, and run. */
export async function runSource(
  name: string,
  text: string,
  session: Session,
  scenario: Scenario = {},
  called: Readonly<Record<string, string>> = {},
): Promise<void> {
  expect([validate(parse(text)), validate.errors]).toEqual([true, null])
  await checkStrictly(`workflows/${name}.yml`, text)
  const { main, jobs, isOne } = await compileText(text, { name, state: stateOf(text) })
  await checkNative(`${name}.yml`, main)
  expect(await parserErrors(`${name}.jobs.yml`, jobs.replace(TOO_NEW, ''))).toEqual([])
  const secrets = secretsOf(text)
  const event =
    scenario.event ?? (await eventOf(name, onSection(parse(text).on), secrets, session, scenario))
  const files = isOne ? called : { ...called, [`.github/workflows/${name}.jobs.yml`]: jobs }
  await runNative(name, main, session, { ...scenario, event }, files)
}

function stateOf(text: string): string {
  return /shouldDeduplicate: true|skipFirst: true/.test(text) ? 'branch:state' : 'none'
}
