import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { fillIn } from './evaluate.ts'

interface RunStep {
  readonly id?: string
  readonly run: string
  readonly env?: Readonly<Record<string, string>>
}

/** A workflow of which the steps of job `a` are run by a shell. */
export interface ShellJob {
  readonly shell: string
  readonly workflow: string
}

/**
 * Runs the steps of many jobs as a runner does, once for each text: expressions are filled in, and what
 * a step writes into `$GITHUB_ENV` and `$GITHUB_OUTPUT` is there for the next. One process runs the
 * first steps of all jobs of a shell, one the second ones: to start one takes longer than most steps.
 *
 * @returns by job the texts of which something was executed: each would leave the file `pwned`
 */
export function executedSteps(jobs: readonly ShellJob[], texts: readonly string[]): string[][] {
  const root = mkdtempSync(join(tmpdir(), 'hookline-steps-'))
  try {
    const runs = jobs.flatMap((job, number) => {
      const steps: readonly RunStep[] = parse(job.workflow).jobs.a.steps
      return texts.map((text, at) => new Run(`${number}.${at}`, job, [...steps], text))
    })
    for (const { name } of runs) mkdirSync(join(root, name))
    for (const shell of new Set(jobs.map((job) => job.shell))) {
      const own = new Map(runs.flatMap((run) => (run.job.shell === shell ? [[run.name, run]] : [])))
      for (
        let left = [...own.values()];
        left.length > 0;
        left = left.filter((run) => run.hasNext)
      ) {
        writeFileSync(join(root, 'all'), left.map((run) => run.nextStep()).join(''))
        const ended = spawnSync(shell, ['all'], { ...IN_SHELL, cwd: root })
        if (ended.status !== 0) throw new Error(`the steps failed: ${ended.stderr}`)
        for (const line of ended.stdout.split('\n')) {
          const [name = '', file = ''] = line.split(' ')
          own.get(name)?.take(file, join(root, name, file))
        }
      }
    }
    return jobs.map((job) =>
      runs.flatMap((run) => (run.job === job && run.isPwned ? run.text : [])),
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const IN_SHELL = { encoding: 'utf8', timeout: 120_000, maxBuffer: 10_000_000 } as const

/** The files of the runner, by what `GITHUB_` and their names in capitals are. */
const FILES = ['env', 'output', 'path', 'step_summary']

/** A job on its way for one text. */
class Run {
  readonly name: string
  readonly job: ShellJob
  readonly text: string
  isPwned = false
  readonly #steps: RunStep[]
  #env: Record<string, string> = {}
  readonly #outputs: Record<string, { outputs: Record<string, string> }> = {}
  #id: string | undefined

  constructor(name: string, job: ShellJob, steps: RunStep[], text: string) {
    this.name = name
    this.job = job
    this.text = text
    this.#steps = steps
  }

  get hasNext(): boolean {
    return this.#steps.length > 0
  }

  /** A command that runs the next step in a folder of the run, and names the files that it has left there. */
  nextStep(): string {
    const { id, run, env = {} } = this.#steps.shift() ?? { run: '' }
    this.#id = id
    const on = { webhook: { outputs: { body: { x: this.text } } } }
    const github = { env: './env', output: './output' }
    const own = Object.entries(env).map(
      ([name, value]) =>
        [name, fillIn(value, { on, env: this.#env, steps: this.#outputs })] as const,
    )
    const variables: Record<string, string> = { ...this.#env, ...Object.fromEntries(own) }
    const script = fillIn(run, { on, env: variables, github, steps: this.#outputs })
    const files = FILES.map((file) => [`GITHUB_${file.toUpperCase()}`, `./${file}`])
    // Only a shell that starts looks at what a step before it may have set: BASH_ENV.
    const isOwnShell = Object.keys(this.#env).length > 0
    const command = isOwnShell ? `exec ${this.job.shell} -c` : 'eval'
    const exports = exporting({ ...Object.fromEntries(files), ...variables })
    const evil = isOwnShell ? 'echo touch pwned > evil.sh' : ':'
    return `cd ${this.name}; ${evil}
for file in ${FILES.join(' ')}; do if [ -s $file ]; then : > $file; fi; done
(${exports}${command} ${quoted(script)}) </dev/null >/dev/null 2>&1
for file in env output; do if [ -s $file ]; then echo ${this.name} $file; fi; done
if [ -e pwned ]; then echo ${this.name} pwned; fi
cd ..
`
  }

  take(file: string, path: string): void {
    const entries = () => entriesOf(readFileSync(path, 'utf8'))
    if (file === 'pwned') this.isPwned = true
    else if (file === 'env') this.#env = { ...this.#env, ...entries() }
    else if (this.#id) this.#outputs[this.#id] = { outputs: entries() }
  }
}

/** `name=value` and `name<<mark` … `mark`, line by line. */
function entriesOf(text: string): Record<string, string> {
  const entries: [string, string][] = []
  const lines = text.split('\n')
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const [, name = '', sign, rest = ''] = /^([^=<]+)(=|<<)(.*)$/.exec(line) ?? []
    if (sign === '=') entries.push([name, rest])
    const end = sign === '<<' ? lines.indexOf(rest) : -1
    if (end >= 0)
      entries.push([
        name,
        lines
          .splice(0, end + 1)
          .slice(0, -1)
          .join('\n'),
      ])
  }
  return Object.fromEntries(entries)
}

/** What sets variables in a shell, but for those that it cannot name. */
export function exporting(variables: Readonly<Record<string, string>>): string {
  const named = Object.entries(variables).filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
  return named.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join('')
}

/** A text as one word of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
