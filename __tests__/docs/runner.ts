import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { parse } from 'yaml'
import { evaluate, fillIn } from '../compiler/support/evaluate.ts'
import {
  type ActionResult,
  type ActionRun,
  runInShared,
  runPostInShared,
  runReplyInShared,
} from '../support/action.ts'
import { readOutputFile } from '../support/output-file.ts'
import { MANIFEST, REPLY_DEFAULTS } from './manifest.ts'

type Texts = Readonly<Record<string, string>>

interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: unknown
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
  readonly run?: string
}

interface Job {
  readonly needs?: string | readonly string[]
  readonly if?: unknown
  readonly uses?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, unknown>>
  readonly outputs?: Texts
  readonly strategy?: { readonly matrix?: Readonly<Record<string, unknown>> }
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly env?: Readonly<Record<string, unknown>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** The environment of a workflow on GitHub's runner. */
export interface Surroundings {
  /** Workflow files of the repository that are called, by path. */
  readonly files?: Texts
  readonly secrets?: Texts
  readonly vars?: Texts
  /** Environment of the programs of steps. */
  readonly env?: Texts
  /** Inputs of the action that a test sets, such as the address of the Bot API. */
  readonly inputs?: Texts
  /** Inputs of `reply` that a test sets. */
  readonly replyInputs?: Texts
  /** Inputs of a called workflow. */
  readonly call?: Texts
  /** The files of `actions/checkout`. */
  readonly checkout?: Texts
}

export type Event = Pick<ActionRun, 'event' | 'payload'>

/** The result of a job, or of one job of a matrix. */
export interface JobRun {
  readonly id: string
  readonly result: 'success' | 'failure' | 'skipped'
  readonly outputs: Texts
  /** The output of its scripts, and what they add to the job summary. */
  readonly stdout: string
  readonly actions: readonly ActionResult[]
}

interface Called extends Surroundings {
  readonly name: string
  readonly event: Event
}

/**
 * Runs a native workflow as GitHub does, as far as the pages use it: jobs in the order of `needs`,
 * conditions, matrices, called workflows, outputs; the built action; and scripts with bash.
 */
export function runWorkflow(text: string, name: string, event: Event, around: Surroundings) {
  return runJobs(text, { ...around, name, event })
}

async function runJobs(text: string, called: Called): Promise<JobRun[]> {
  const workflow = parse(text) as Workflow // GitHub's parser has accepted it before
  const runs: JobRun[] = []
  const left = new Map(Object.entries(workflow.jobs))
  while (left.size > 0) {
    const ready = [...left].find(([, job]) => needsOf(job).every((need) => !left.has(need)))
    if (!ready) throw new Error('the jobs need each other')
    const [id, job] = ready
    left.delete(id)
    runs.push(...(await runMatrix(id, job, workflow, runs, called)))
  }
  return runs
}

function needsOf({ needs = [] }: Job): string[] {
  return [needs].flat()
}

async function runMatrix(
  id: string,
  job: Job,
  workflow: Workflow,
  before: readonly JobRun[],
  called: Called,
): Promise<JobRun[]> {
  const needed = needsOf(job)
  const needs = Object.fromEntries(
    needed.map((need) => [need, summed(before.filter((run) => run.id === need))]),
  )
  const contexts = { ...contextsOf(called), needs }
  const failed = Object.values(needs).some(({ result }) => result !== 'success')
  if (!holds(job.if, contexts, failed)) {
    return [{ id, result: 'skipped', outputs: {}, stdout: '', actions: [] }]
  }
  const rows = combinations(filled(job.strategy?.matrix ?? {}, contexts))
  if (rows.length === 0) throw new Error(`${id}: the matrix has no values`)
  const runs: JobRun[] = []
  for (const [index, matrix] of rows.entries()) {
    const own = { ...contexts, matrix, strategy: { 'job-index': index, 'job-total': rows.length } }
    runs.push(...(await runJob(id, job, workflow, own, called)))
  }
  return runs
}

type Contexts = Readonly<Record<string, unknown>>

function contextsOf({ event, name, secrets = {}, vars = {}, call = {} }: Called): Contexts {
  const github = {
    event: event.payload,
    event_name: event.event,
    repository: 'octo/repo',
    repository_owner: 'octo',
    workflow: name,
    ref: 'refs/heads/main',
    run_id: '1',
    server_url: 'https://github.com',
    token: 'ghs_example',
  }
  return { github, secrets, vars, inputs: call, job: { status: 'success' } }
}

async function runJob(
  id: string,
  job: Job,
  workflow: Workflow,
  contexts: Contexts,
  called: Called,
) {
  if (job.uses === undefined) return [await runSteps(id, job, workflow, contexts, called)]
  const text = called.files?.[job.uses.replace('./', '')]
  if (text === undefined) throw new Error(`${id}: no file ${job.uses}`)
  // inputs of a called workflow are strings here
  const call = filled(job.with ?? {}, contexts) as Texts
  const runs = await runJobs(text, { ...called, call })
  return [
    { id, ...summed(runs), stdout: '', actions: [] },
    ...runs.map((run) => ({ ...run, id: `${id}/${run.id}` })),
  ]
}

async function runSteps(
  id: string,
  job: Job,
  workflow: Workflow,
  contexts: Contexts,
  called: Called,
): Promise<JobRun> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-job-'))
  const env = texts({ ...filled(workflow.env ?? {}, contexts), ...filled(job.env ?? {}, contexts) })
  const steps: Record<string, { outputs: Texts; outcome: string; conclusion: string }> = {}
  const posts: (() => Promise<unknown>)[] = []
  const actions: ActionResult[] = []
  let [stdout, failed] = ['', false]
  for (const step of job.steps ?? []) {
    const now = { ...contexts, env, steps, job: { status: failed ? 'failure' : 'success' } }
    const done = { outputs: {}, outcome: 'skipped', conclusion: 'skipped' }
    // The runner evaluates the `env` of every step before its `if`, and an error fails the step.
    // Source: actions/runner, StepsRunner.cs, evaluateStepEnvFailed.
    const own = environmentOf(step, now)
    if ('fault' in own) {
      stdout += `${own.fault}\n`
      Object.assign(done, { outcome: 'failure', conclusion: 'failure' })
      failed = true
    } else if (holds(step.if, { ...now, env: { ...env, ...own.env } }, failed)) {
      const ran = await runStep(step, { ...now, env: { ...env, ...own.env } }, folder, called)
      stdout += ran.stdout
      if (ran.action) actions.push(ran.action)
      if (ran.post) posts.unshift(ran.post)
      const outcome = ran.ok ? 'success' : 'failure'
      Object.assign(done, { outputs: ran.outputs, outcome, conclusion: outcome })
      failed ||= !ran.ok
    }
    if (step.id) steps[step.id] = done
  }
  if (!failed) for (const post of posts) await post()
  await rm(folder, { recursive: true })
  const outputs = texts(filled(job.outputs ?? {}, { ...contexts, steps, env }))
  return { id, result: failed ? 'failure' : 'success', outputs, stdout, actions }
}

function environmentOf(step: Step, contexts: Contexts): { env: Texts } | { fault: string } {
  try {
    return { env: texts(filled(step.env ?? {}, contexts)) }
  } catch (error) {
    return { fault: `env: ${error instanceof Error ? error.message : error}` }
  }
}

interface Ran {
  readonly ok: boolean
  readonly outputs: Texts
  readonly stdout: string
  readonly action?: ActionResult
  readonly post?: () => Promise<unknown>
}

async function runStep(
  step: Step,
  contexts: Contexts,
  folder: string,
  called: Called,
): Promise<Ran> {
  const env = contexts.env as Texts
  if (step.run !== undefined) {
    return runScript(fillIn(step.run, contexts), { ...called.env, ...env }, folder)
  }
  if (step.uses?.startsWith('actions/checkout@')) {
    for (const [file, text] of Object.entries(called.checkout ?? {})) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), text, { mode: 0o755 })
    }
  }
  if (step.uses?.startsWith('hookline/hookline/reply@')) return runReply(step, contexts, called)
  if (!step.uses?.startsWith('hookline/hookline@')) return { ok: true, outputs: {}, stdout: '' }
  const inputs = {
    ...MANIFEST.defaults,
    ...texts(filled(step.with ?? {}, contexts)),
    ...called.inputs,
  }
  const run = { ...called.event, calling: called.name, inputs, env, workspace: folder }
  const action = await runInShared(run)
  const { exitCode, outputs, stdout, state } = action
  return { ok: exitCode === 0, outputs, stdout, action, post: () => runPostInShared(run, state) }
}

async function runReply(step: Step, contexts: Contexts, called: Called): Promise<Ran> {
  const inputs = {
    ...REPLY_DEFAULTS,
    ...texts(filled(step.with ?? {}, contexts)),
    'fail-on-error': 'true',
    ...called.replyInputs,
  }
  const { exitCode, outputs, stdout } = await runReplyInShared({ ...called.event, inputs })
  return { ok: exitCode === 0, outputs, stdout }
}

async function runScript(script: string, env: Texts, folder: string): Promise<Ran> {
  const file = join(folder, `output-${crypto.randomUUID()}`)
  const github = {
    GITHUB_OUTPUT: file,
    GITHUB_STEP_SUMMARY: join(folder, `summary-${crypto.randomUUID()}.md`),
    RUNNER_TEMP: join(folder, '.runner-temp'),
  }
  const child = spawn('bash', ['-e', '-c', script], {
    cwd: folder,
    env: { ...env, ...github },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // Processes that a script leaves running are ended, as on a runner.
  child.on('exit', () => endGroup(child.pid))
  const [stdout, stderr, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ])
  const outputs = readOutputFile(await readFile(file, 'utf8').catch(() => ''))
  const summary = await readFile(github.GITHUB_STEP_SUMMARY, 'utf8').catch(() => '')
  return { ok: code === 0, stdout: stdout + stderr + summary, outputs }
}

function endGroup(leader: number | undefined): void {
  try {
    if (leader) process.kill(-leader, 'SIGTERM')
  } catch {} // no process was left
}

/** The value of an `if:`, with GitHub's additions. */
function holds(condition: unknown, contexts: Contexts, failed: boolean): boolean {
  if (condition === undefined) return !failed
  const text = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, '$1')
  const status = { always: true, failure: failed, success: !failed, cancelled: false }
  const asked = /\b(always|failure|success|cancelled)\(\)/g
  const filledIn = text.replace(asked, (_, name: keyof typeof status) => String(status[name]))
  const value = evaluate(`(${filledIn}) && true`, contexts) === true
  return filledIn === text ? value && !failed : value
}

/** Evaluates the expressions of values; a value that is one expression keeps its type. */
function filled(value: unknown, contexts: Contexts): Record<string, unknown> {
  return fill(value, contexts) as Record<string, unknown> // the callers pass mappings
}

function fill(value: unknown, contexts: Contexts): unknown {
  if (Array.isArray(value)) return value.map((one) => fill(one, contexts))
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, contexts)]))
  }
  if (typeof value !== 'string') return value
  const [, whole] = /^\$\{\{((?:(?!\$\{\{)[\s\S])*)\}\}$/.exec(value.trim()) ?? []
  return whole === undefined ? fillIn(value, contexts) : evaluate(whole, contexts)
}

function texts(values: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''),
    ]),
  )
}

function combinations(matrix: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  return Object.entries(matrix).reduce<Record<string, unknown>[]>(
    (rows, [key, values]) =>
      rows.flatMap((row) => [values].flat().map((value) => ({ ...row, [key]: value }))),
    [{}],
  )
}

/** Combines jobs into one: it fails if one failed; each output is that of the last job with it. */
function summed(runs: readonly JobRun[]): Pick<JobRun, 'result' | 'outputs'> {
  const results = runs.map(({ result }) => result)
  const worst = results.includes('failure')
    ? 'failure'
    : results.includes('success')
      ? 'success'
      : 'skipped'
  return { result: worst, outputs: Object.assign({}, ...runs.map(({ outputs }) => outputs)) }
}
