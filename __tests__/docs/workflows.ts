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

/** What is sent to a workflow of the pages, and what has to come of it. */
export interface Scenario extends Sent {
  /** The event is what the page's own commands have sent: they must have. */
  readonly isFromPage?: boolean
  /** `false`: nothing fires. */
  readonly triggered?: boolean
  /** What the scripts print. */
  readonly prints?: readonly string[]
  /** Public calls that the scripts make: what is asked, and some of its fields. */
  readonly calls?: readonly (readonly [what: RegExp, fields: object])[]
  /** Files of the repository, where a checkout step has come before. */
  readonly checkout?: Readonly<Record<string, string>>
  /** An event in place of the one that the trigger asks for. */
  readonly event?: Event
  readonly vars?: Readonly<Record<string, string>>
  /** As a reader has stored them; a value for each that is named, where left out. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Inputs of a workflow that is called, or started by hand. */
  readonly call?: Readonly<Record<string, string>>
}

interface HooklineStep {
  readonly id?: string
  readonly with: Readonly<Record<string, string>>
}

/** Younger than the parser of GitHub that tests have: in GitHub since 2026. */
const TOO_NEW = /^ *(queue: max|timezone: .*)\n/gm

/** Everything that can be said of a native workflow without running it. */
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

/** A script takes what comes from outside by `env`, and never as an expression. */
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

/** Runs it as GitHub would, on an event by which it fires. */
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

/** The same workflow on an event by which nothing fires: no job fails, and nobody is called. */
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
 * A webhook for a trigger that is not declared, whose name passes the condition of the job; of a poll
 * the same event again, when the message is acknowledged. `undefined` for an event of another kind.
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

/** What says nothing of the event itself. */
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

/** What the page's own commands sent before is the best of events. */
function isFor(workflow: string, dispatch: string): boolean {
  return dispatch !== '' && JSON.parse(dispatch).client_payload?.path?.startsWith(`${workflow}/`)
}

/** A workflow for the compiler: without a mistake, compiled, accepted by GitHub, and run. */
export async function runSource(
  name: string,
  text: string,
  session: Session,
  scenario: Scenario = {},
  called: Readonly<Record<string, string>> = {},
): Promise<void> {
  expect([validate(parse(text)), validate.errors]).toEqual([true, null])
  const repository = new Repository()
  repository.write(
    'workflows/hook.yml',
    'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
  )
  repository.write(`workflows/${name}.yml`, text)
  const checked = await checkByLevel({
    root: repository.root,
    globs: [`workflows/${name}.yml`],
    strict: true,
    state: stateOf(text),
  })
  repository.remove()
  expect(checked).toEqual({ count: 1, errors: [], warnings: checked.warnings, fixed: [] })
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
