import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'
import { memoryOutbox } from '../../src/relay/outbox/memory.ts'
import type { Outbox } from '../../src/relay/outbox/outbox.ts'
import { startWorkerd } from './workerd.ts'

/** An outbox as one kind of storage keeps it. */
export interface OutboxUnderTest {
  readonly outbox: Outbox
  /** Ends what holds it at once, as a power cut would, and opens it again. */
  restart(): Promise<Outbox>
  close(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export async function inMemory(): Promise<OutboxUnderTest> {
  const outbox = memoryOutbox()
  return { outbox, restart: async () => outbox, close: async () => {} }
}

/** In a file, by a process of the given Node. */
export async function inFile(node: string): Promise<OutboxUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'))
  const open = () => startProcess(node, join(folder, 'outbox.db'))
  let { outbox, end } = await open()
  return {
    outbox,
    restart: async () => {
      await end('SIGKILL')
      ;({ outbox, end } = await open())
      return outbox
    },
    close: async () => {
      await end('SIGTERM')
      await rm(folder, { recursive: true })
    },
  }
}

/** In a Durable Object, on disk. */
export async function inObject(): Promise<OutboxUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'outbox-'))
  const main = '__tests__/support/outbox-worker.ts'
  const script = join(folder, 'main.js')
  await writeFile(script, `export * from './${main}'\nexport { default } from './${main}'\n`)
  const names = [main, ...['outbox', 'sql'].map(moduleOfOutbox)]
  const modules = new Map(await Promise.all(names.map(withoutTypes)))
  const disk = await mkdtemp(join(folder, 'disk-'))
  const open = () => startWorkerd(script, {}, { disk, modules })
  let workerd = await open()
  const outbox = called(async (method, given) => {
    const body = JSON.stringify({ method, given })
    const answer = await fetch(workerd.url, { method: 'POST', body })
    return (await answer.json()) as Answer // what the worker answers
  })
  return {
    outbox,
    restart: async () => {
      await workerd.kill()
      workerd = await open()
      return outbox
    },
    close: async () => {
      await workerd.close()
      await rm(folder, { recursive: true })
    },
  }
}

function moduleOfOutbox(name: string): string {
  return `src/relay/outbox/${name}.ts`
}

async function withoutTypes(name: string): Promise<[string, string]> {
  const source = await readFile(join(ROOT, name), 'utf8')
  const jsc = { parser: { syntax: 'typescript' }, target: 'es2022' } as const
  return [name, (await transform(source, { jsc, module: { type: 'es6' } })).code]
}

async function startProcess(node: string, file: string) {
  const script = join(ROOT, '__tests__/support/outbox-process.ts')
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', script, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const outbox = await outboxOf(child)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  return { outbox, end }
}

async function outboxOf({ stdin, stdout }: ChildProcess): Promise<Outbox> {
  if (!stdin || !stdout) throw new Error('a process without streams')
  const lines = createInterface(stdout)
  await once(lines, 'line')
  const waiting = new Map<number, (answer: Answer) => void>()
  lines.on('line', (line) => {
    const { id, ...answer } = JSON.parse(line)
    waiting.get(id)?.(answer)
  })
  let last = 0
  return called((method, given) => {
    const id = ++last
    stdin.write(`${JSON.stringify({ id, method, given })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  })
}

interface Answer {
  readonly result?: unknown
  readonly error?: string
}

type Call = (method: string, given: readonly unknown[]) => Promise<Answer>

const METHODS = ['apply', 'find', 'list', 'members', 'usage', 'accepted'] as const

/** An outbox elsewhere. What JSON cannot say comes back as it was: `undefined`. */
function called(call: Call): Outbox {
  const entries = METHODS.map((method) => [
    method,
    async (...given: unknown[]) => {
      const { result, error } = await call(method, given)
      if (error !== undefined) throw Object.assign(new Error(error), { name: error })
      return withoutNull(result)
    },
  ])
  return Object.fromEntries(entries)
}

function withoutNull(result: unknown): unknown {
  if (result === null) return undefined
  if (Array.isArray(result)) return result.map(withoutNull)
  return typeof result === 'object' ? { batch: undefined, ...result } : result
}
