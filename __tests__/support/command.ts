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

/** Runs it once for each of these arguments, in one process. What it printed or refused, run by run. */
export async function runInTurn(
  name: string,
  runs: readonly (readonly string[])[],
  env: CommandRun['env'],
): Promise<string[]> {
  const file = join(await compiledSources(), `cli/${name}.js`)
  const script = `import { ${name}Command } from ${JSON.stringify(file)}
for (const given of JSON.parse(process.argv[1])) {
  await ${name}Command().parseAsync(given, { from: 'user' }).catch(({ message }) => console.log(message))
  process.stdout.write('\\0')
}`
  const args = ['--input-type=module', '-e', script, '--', JSON.stringify(runs)]
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return (await text(child.stdout)).split('\0').map((printed) => printed.trim())
}
