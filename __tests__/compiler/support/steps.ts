import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { fillIn } from './evaluate.ts'

interface RunStep {
  readonly id?: string
  readonly run: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs the steps of job `a` as a runner does, once for each text: expressions are filled in, and what
 * a step writes into `$GITHUB_ENV` and `$GITHUB_OUTPUT` is there for the next.
 *
 * @returns the texts of which something was executed: each would leave the file `pwned`
 */
export function executedSteps(shell: string, workflow: string, texts: readonly string[]): string[] {
  const root = mkdtempSync(join(tmpdir(), 'hookline-steps-'))
  try {
    const { steps }: { steps: readonly RunStep[] } = parse(workflow).jobs.a
    const runs = texts.map((text, at) => new Run(join(root, String(at)), text))
    for (const step of steps) {
      for (const run of runs) run.prepare(step, shell)
      const all = `for at in ${runs.map((_, at) => at).join(' ')}; do (cd $at && sh ./step) </dev/null >/dev/null 2>&1; done`
      spawnSync('sh', ['-c', all], { cwd: root, timeout: 60_000 })
      for (const run of runs) run.take(step)
    }
    return runs.filter((run) => run.isPwned).map((run) => run.text)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

class Run {
  readonly text: string
  readonly #folder: string
  #env: Record<string, string> = {}
  readonly #steps: Record<string, { outputs: Record<string, string> }> = {}

  constructor(folder: string, text: string) {
    this.text = text
    this.#folder = folder
    mkdirSync(folder)
    writeFileSync(join(folder, 'evil.sh'), 'touch pwned\n')
  }

  get isPwned(): boolean {
    return existsSync(join(this.#folder, 'pwned'))
  }

  prepare({ run, env = {} }: RunStep, shell: string): void {
    const on = { webhook: { outputs: { body: { x: this.text } } } }
    const github = { env: './env', output: './output' }
    const own = Object.entries(env).map(
      ([name, value]) => [name, fillIn(value, { on, env: this.#env, steps: this.#steps })] as const,
    )
    const variables: Record<string, string> = { ...this.#env, ...Object.fromEntries(own) }
    const files = ['env', 'output', 'path', 'step_summary']
    const exports = Object.entries(variables).filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    for (const file of files) writeFileSync(join(this.#folder, file), '')
    const contexts = { on, env: variables, github, steps: this.#steps }
    writeFileSync(join(this.#folder, 'script'), fillIn(run, contexts))
    writeFileSync(
      join(this.#folder, 'step'),
      [
        ...files.map((file) => `export GITHUB_${file.toUpperCase()}=./${file}`),
        ...exports.map(([name, value]) => `export ${name}=${quoted(value)}`),
        `exec ${shell} script`,
      ].join('\n'),
    )
  }

  take({ id }: RunStep): void {
    this.#env = { ...this.#env, ...entriesOf(this.#read('env')) }
    if (id) this.#steps[id] = { outputs: entriesOf(this.#read('output')) }
  }

  #read(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8')
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

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
