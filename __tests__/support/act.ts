import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll } from '@jest/globals'
import { bundle } from './build.ts'
import { ACTION_NODE } from './node24.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The program: `HOOKLINE_ACT`, `act` on the PATH, or one beside the clone; `null` if there is none.
 */
export const ACT = findAct()
if (ACT === null) process.stderr.write('no act is installed: nothing is tried on a runner\n')

function findAct(): string | null {
  const programs = [process.env.HOOKLINE_ACT || 'act', join(ROOT, '../shared/bin/act')]
  const starts = (program: string) => {
    try {
      execFileSync(program, ['--version'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  return programs.find(starts) ?? null
}

export interface ActRun {
  readonly exitCode: number | null
  /** The log of all jobs of the run. */
  readonly log: string
  /** The result of each started job, by its name in the log. */
  readonly jobs: Readonly<Record<string, 'success' | 'failure'>>
}

interface ActEvent {
  readonly name: string
  readonly payload: unknown
  readonly secrets?: Readonly<Record<string, string>>
  /** Variables that the runner sets. */
  readonly env?: Readonly<Record<string, string>>
}

/** Stand-ins for parts of the runner that need the network. */
interface Surroundings {
  /** Actions of others by reference, such as `actions/checkout@v6`: the text of each `action.yml`. */
  readonly actions?: Readonly<Record<string, string>>
  /** Programs by name: the text of each script. */
  readonly programs?: Readonly<Record<string, string>>
  /** A folder for a bare clone of the repository, which git then finds under https://github.com/octo/repo. */
  readonly origin?: string
}

/** Runs a workflow file with act, in its own repository, with the built actions. */
export async function runAct(
  files: Readonly<Record<string, string>>,
  { name, payload, secrets = {}, env = {} }: ActEvent,
  { actions = {}, programs = {}, origin }: Surroundings = {},
): Promise<ActRun> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-act-'))
  try {
    const repository = join(folder, 'repository')
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, file)), { recursive: true })
      writeFileSync(join(repository, file), content)
    }
    commit(repository)
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(ACTION_NODE, join(bin, 'node'))
    for (const [program, script] of Object.entries(programs)) {
      writeFileSync(join(bin, program), script, { mode: 0o755 })
    }
    if (origin !== undefined) {
      execFileSync('git', ['clone', '-q', '--bare', repository, origin])
      const remote = ['remote', 'add', 'origin', 'https://github.com/octo/repo']
      execFileSync('git', remote, { cwd: repository })
      const config = `[url "file://${origin}"]\n\tinsteadOf = https://github.com/octo/repo\n`
      writeFileSync(join(folder, '.gitconfig'), config)
    }
    const local = Object.entries(actions).map(([reference, content]) => {
      const action = join(folder, 'actions', reference)
      mkdirSync(action, { recursive: true })
      writeFileSync(join(action, 'action.yml'), content)
      commit(action)
      return ['--local-repository', `${reference}=${action}`]
    })
    const event = join(folder, 'event.json')
    writeFileSync(event, JSON.stringify(payload))
    const given = Object.entries(secrets).flatMap(([key, value]) => ['-s', `${key}=${value}`])
    const set = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`])
    const args = [
      ...[name, '-e', event, '-P', 'ubuntu-latest=-self-hosted', '--pull=false'],
      ...[
        '--action-offline-mode',
        '--local-repository',
        `hookline/hookline@v1=${actionRepository()}`,
        ...local.flat(),
        ...given,
        ...set,
      ],
    ]
    const child = spawn(ACT ?? '', args, {
      cwd: repository,
      env: { HOME: folder, PATH: `${bin}:${process.env.PATH}`, ACT_DISABLE_VERSION_CHECK: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    const log = `${out}${err}`
    const ended = [...log.matchAll(/\[[^\]]*?\/(.+?)\s*\].*Job (succeeded|failed)/g)]
    const jobs = ended.map(([, job = '', how]) => {
      return [job, how === 'succeeded' ? 'success' : 'failure'] as const
    })
    return { exitCode: await closed, log, jobs: Object.fromEntries(jobs) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

let published: string | undefined

/** The files of the actions in a release, for all runs of a suite; act copies them for each run. */
function actionRepository(): string {
  if (published) return published
  const action = mkdtempSync(join(tmpdir(), 'hookline-published-'))
  for (const part of ['action.yml', 'reply/action.yml']) {
    mkdirSync(dirname(join(action, part)), { recursive: true })
    cpSync(join(ROOT, part), join(action, part))
  }
  for (const part of ['action', 'reply']) {
    cpSync(dirname(bundle(`${part}/index.js`)), join(action, 'dist', part), { recursive: true })
  }
  commit(action)
  published = action
  return action
}

afterAll(() => {
  if (published) rmSync(published, { recursive: true })
  published = undefined
})

function commit(folder: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '-m', 'all')
}
