import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ACTION_NODE } from './node24.ts'
import { readOutputFile } from './output-file.ts'

/** The bundles that GitHub runs, as action.yml names them. */
const BUNDLES = {
  main: fileURLToPath(new URL('../../dist/action/index.js', import.meta.url)),
  post: fileURLToPath(new URL('../../dist/action/post.js', import.meta.url)),
}

export interface ActionRun {
  readonly event: string
  /** An event as an object, or the text of the event file as it stands. */
  readonly payload: unknown
  /** Inputs by the names of action.yml. */
  readonly inputs?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Working copy of the repository; workflow files are looked for in it. */
  readonly workspace?: string
  /** Name of the calling workflow; `hook` when left out. */
  readonly calling?: string
  /** Kills the process, as a machine that goes down does; the run is then rejected. */
  readonly kill?: AbortSignal
}

/** What the step's `main` process saved for its `post` process, by name. */
export type SavedState = Readonly<Record<string, string>>

export interface ActionResult {
  readonly exitCode: number | null
  /** Step outputs, read back as the runner reads them. */
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly state: SavedState
  readonly stdout: string
  readonly stderr: string
}

/** Runs the built action as a runner would: on Node 24 where there is one, with nothing in the environment but what it sets. */
export function runAction(run: ActionRun): Promise<ActionResult> {
  return runProcess('main', run)
}

/** Runs the action's `post` process, which the runner starts when the job has succeeded. */
export function runPost(run: ActionRun, state: SavedState): Promise<ActionResult> {
  const variables = Object.entries(state).map(([name, value]) => [`STATE_${name}`, value])
  return runProcess('post', { ...run, env: { ...run.env, ...Object.fromEntries(variables) } })
}

async function runProcess(part: keyof typeof BUNDLES, run: ActionRun): Promise<ActionResult> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-action-'))
  try {
    const files = await runnerFiles(folder, run.payload)
    const ended = await runBundle(
      BUNDLES[part],
      { ...runnerVariables(run, folder), ...files, ...run.env },
      run.kill,
    )
    const outputs = readOutputFile(await readFile(files.GITHUB_OUTPUT, 'utf8'))
    const state = readOutputFile(await readFile(files.GITHUB_STATE, 'utf8'))
    const summary = await readFile(files.GITHUB_STEP_SUMMARY, 'utf8')
    return { ...ended, outputs, state, summary }
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** A `repository_dispatch` event as GitHub makes one of what the relay sent. */
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

function runBundle(
  bundle: string,
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<Pick<ActionResult, 'exitCode' | 'stdout' | 'stderr'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(ACTION_NODE, [bundle], {
      env,
      timeout: 60_000,
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
