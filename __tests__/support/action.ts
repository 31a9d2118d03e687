import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'
import { bundle } from './build.ts'
import { ACTION_NODE } from './node24.ts'
import { readOutputFile } from './output-file.ts'

/** The bundles that GitHub runs, as in action.yml and reply/action.yml. */
const BUNDLES = {
  main: bundle('action/index.js'),
  post: bundle('action/post.js'),
  reply: bundle('reply/index.js'),
}

export interface ActionRun {
  readonly event: string
  /** An event as an object, or the content of the event file as a string. */
  readonly payload: unknown
  /** Inputs by the names of action.yml. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Working copy of the repository, which contains the workflow files. */
  readonly workspace?: string
  /** Name of the calling workflow; default `hook`. */
  readonly calling?: string
  /** Kills the process, like a machine failure; the run is then rejected. */
  readonly kill?: AbortSignal
}

/** The state that the `main` process saved for its `post` process, by name. */
export type SavedState = Readonly<Record<string, string>>

export interface ActionResult {
  readonly exitCode: number | null
  /** Step outputs, parsed as the runner parses them. */
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly state: SavedState
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs the built action as a runner does: on Node 24 if available, with only the runner's
 * environment.
 */
export function runAction(run: ActionRun): Promise<ActionResult> {
  return runProcess('main', run)
}

/** Runs the action's `post` process, which the runner starts after the job has succeeded. */
export function runPost(run: ActionRun, state: SavedState): Promise<ActionResult> {
  return runProcess('post', withState(run, state))
}

function withState(run: ActionRun, state: SavedState): ActionRun {
  const variables = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value])
  return { ...run, env: { ...run.env, ...Object.fromEntries(variables) } }
}

async function runProcess(
  part: keyof typeof BUNDLES,
  run: ActionRun,
  start = (file: string, env: Record<string, string>) => runProgram([file], env, run.kill),
): Promise<ActionResult> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-action-'))
  try {
    const files = await runnerFiles(folder, run.payload)
    const env = { ...runnerVariables(run, folder), ...files, ...run.env }
    return await resultOf(await start(BUNDLES[part], env), files)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Runs the built action as `runAction` does, but in a process that all runs of a suite share and
 * that reloads the action for each run. For tests of effects, not of the start or end of a process.
 */
export function runInShared(run: ActionRun): Promise<ActionResult> {
  return runProcess('main', run, inTurn)
}

/** Runs the action's `post` process in the shared process. */
export function runPostInShared(run: ActionRun, state: SavedState): Promise<ActionResult> {
  return runProcess('post', withState(run, state), inTurn)
}

/** Runs the built action `reply` in the shared process, with inputs of reply/action.yml. */
export function runReplyInShared(run: ActionRun): Promise<ActionResult> {
  return runProcess('reply', run, inTurn)
}

let shared: ChildProcess | undefined
let last: Promise<unknown> = Promise.resolve()

afterAll(() => {
  shared?.kill()
  shared = undefined
})

/** Runs one after the other, because they share the environment of the process. */
function inTurn(file: string, env: Record<string, string>): Promise<Ended> {
  const ended = last.then(() => runThere(file, env))
  last = ended.catch(() => {})
  return ended
}

async function runThere(file: string, env: Record<string, string>): Promise<Ended> {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const
  shared ??= spawn(ACTION_NODE, [MANY, file], { stdio: [...stdio], env: {} })
  const child = shared
  const gone = new AbortController()
  const onExit = () => gone.abort(new Error('the shared process of the action ended'))
  child.once('exit', onExit)
  try {
    const answer = once(child, 'message', { signal: gone.signal })
    child.send({ bundle: file, env })
    const [ended] = await answer
    return ended
  } finally {
    child.off('exit', onExit)
  }
}

/** The program for {@link runActions}, which handles one event after the other. */
const MANY = fileURLToPath(new URL('many-actions.cjs', import.meta.url))

/**
 * Runs the built action for many events in one process, which takes a tenth of the time. The action
 * is reloaded for each event, and has ended when nothing keeps the process busy.
 *
 * @param https port of a stand-in without TLS that receives every HTTPS request
 */
export async function runActions(
  runs: readonly ActionRun[],
  { https }: { readonly https?: number } = {},
): Promise<ActionResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-actions-'))
  try {
    const prepared = await Promise.all(
      runs.map(async (run, number) => {
        const own = join(folder, String(number))
        await mkdir(own)
        const files = await runnerFiles(own, run.payload)
        return { files, env: { ...runnerVariables(run, own), ...files, ...run.env } }
      }),
    )
    const list = join(folder, 'runs.json')
    await writeFile(list, JSON.stringify(prepared.map(({ env }) => env)))
    const { stdout, stderr } = await runProgram([MANY, BUNDLES.main, list, String(https ?? '')], {})
    if (stderr !== '') throw new Error(stderr)
    const ended: readonly Ended[] = JSON.parse(stdout)
    const errors = ended.map((end) => end.stderr).join('')
    if (errors !== '') throw new Error(errors)
    return await Promise.all(
      ended.map((end, number) => resultOf(end, prepared[number]?.files ?? NONE)),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

type Files = Awaited<ReturnType<typeof runnerFiles>>

type Ended = Pick<ActionResult, 'exitCode' | 'stdout' | 'stderr'>

const NONE = { GITHUB_EVENT_PATH: '', GITHUB_OUTPUT: '', GITHUB_STATE: '', GITHUB_STEP_SUMMARY: '' }

/** Reads the files that a run wrote for the runner. */
async function resultOf(ended: Ended, files: Files): Promise<ActionResult> {
  const outputs = readOutputFile(await readFile(files.GITHUB_OUTPUT, 'utf8'))
  const state = readOutputFile(await readFile(files.GITHUB_STATE, 'utf8'))
  const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8')
  return { ...ended, outputs, state, summary }
}

/** A `repository_dispatch` event as GitHub creates it from the relay's request. */
export function dispatchEvent(clientPayload: unknown, action = 'webhook') {
  return { event: 'repository_dispatch', payload: { action, client_payload: clientPayload } }
}

async function runnerFiles(folder: string, payload: unknown) {
  const files = {
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STATE: join(folder, 'state'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
  }
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  await writeFile(files.GITHUB_EVENT_PATH, text)
  await writeFile(files.GITHUB_OUTPUT, '')
  await writeFile(files.GITHUB_STATE, '')
  await writeFile(files.GITHUB_STEP_SUMMARY, '')
  return files
}

function runnerVariables(
  { event, inputs = {}, workspace, calling = 'hook' }: ActionRun,
  folder: string,
) {
  const variables = Object.entries(inputs).map(([name, value]) => [
    `INPUT_${name.toUpperCase()}`,
    value,
  ])
  return {
    ...Object.fromEntries(variables),
    GITHUB_ACTIONS: 'true',
    GITHUB_EVENT_NAME: event,
    GITHUB_WORKSPACE: workspace ?? folder,
    GITHUB_REPOSITORY: 'octo/repo',
    GITHUB_RUN_ID: '1',
    GITHUB_WORKFLOW_REF: `octo/repo/.github/workflows/${calling}.yml@refs/heads/main`,
  }
}

function runProgram(
  args: readonly string[],
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(ACTION_NODE, args, {
      env,
      timeout: 170_000,
      killSignal: 'SIGKILL',
      signal,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }))
  })
}
