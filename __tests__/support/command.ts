import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { compiledSources } from './build.ts'

export interface CommandRun {
  readonly arguments?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Starts one command of the command line as a process of its own. */
export async function startCommand(name: string, run: CommandRun): Promise<ChildProcess> {
  const file = join(await compiledSources(), `cli/${name}.js`)
  const script = `import { ${name}Command } from ${JSON.stringify(file)}
await ${name}Command().parseAsync(process.argv.slice(1), { from: 'user' })`
  const nodeArguments = ['--input-type=module', '-e', script, '--', ...(run.arguments ?? [])]
  const child = spawn(process.execPath, nodeArguments, {
    env: { PATH: process.env.PATH ?? '', ...run.env },
  })
  child.stdin?.end(run.input ?? '')
  return child
}

/** Runs it to its end. */
export async function runCommand(name: string, run: CommandRun) {
  const child = await startCommand(name, run)
  const [output, errors, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'close'),
  ])
  return { code, output: output.trim(), errors }
}

/** What a run of several in one process came to. */
export interface CommandResult {
  readonly output: string
  /** The error that it ended with, as Node prints one. */
  readonly errors: string
}

/** Runs it several times in one process, one after the other: each start would cost as much as all else. */
export async function runCommands(
  name: string,
  runs: readonly CommandRun[],
): Promise<readonly CommandResult[]> {
  const file = join(await compiledSources(), `cli/${name}.js`)
  const script = `import { ${name}Command } from ${JSON.stringify(file)}\n${REPEATED(name)}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env.PATH ?? '' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(runs))
  return JSON.parse(await text(child.stdout))
}

const REPEATED = (name: string) => `
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { inspect } from 'node:util'
const write = process.stdout.write.bind(process.stdout)
const results = []
for (const { arguments: given = [], env = {}, input = '' } of await json(process.stdin)) {
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true })
  const result = { output: '', errors: '' }
  process.stdout.write = (text) => { result.output += text }
  process.stderr.write = (text) => { result.errors += text }
  try {
    await ${name}Command().exitOverride().parseAsync(given, { from: 'user' })
  } catch (error) {
    result.errors += inspect(error)
  }
  for (const variable of Object.keys(env)) delete process.env[variable]
  results.push({ ...result, output: result.output.trim() })
}
write(JSON.stringify(results), () => process.exit())
`
