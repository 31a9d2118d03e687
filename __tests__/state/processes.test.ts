import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { compileSources } from '../support/compiled.ts'
import { startContentsApi } from '../support/contents-api.ts'

/**
 * What a process does that claims the keys of every round, and prints those that it was given. It
 * begins a round when all are ready to.
 */
const CLAIMER = `
  import { once } from 'node:events'
  const [folder, kind, place, id, rounds] = process.argv.slice(1)
  const load = (file) => import(folder + '/' + file)
  const { createStore } = await load('state/store.js')
  const { fileShelf } = await load('state/file.js')
  const { branchShelf } = await load('state/branch.js')
  const { stateFiles } = await load('action/store.js')
  const { githubApi } = await load('action/store.js')
  // The stand-in answers in milliseconds, not in tenths of a second: waits are as much shorter.
  const pace = kind === 'file' ? 1 : 50
  const sleep = (ms) => new Promise((r) => setTimeout(r, ms / pace))
  const ports = { sleep, random: Math.random }
  const shelf = kind === 'file'
    ? fileShelf(place, 'state.json', stateFiles, ports)
    : branchShelf('state', githubApi('token'), ports)
  const store = createStore(shelf)
  const given = []
  for (let round = 0; round < Number(rounds); round++) {
    // Each process asks for other ones of the round's keys, and every key is asked for by some.
    const keys = ['a', 'b', 'c', 'd'].filter((_, at) => (at + Number(id)) % 4 !== 0)
    const named = keys.map((key) => key + round)
    const trigger = { workflow: 'hook', trigger: 't' + (round % 8) }
    process.send('ready')
    await once(process, 'message')
    const standing = await store.claim(trigger, named, { id, at: 1000 })
    given.push(...named.filter((_, at) => standing[at] === 'fresh'))
  }
  process.stdout.write(JSON.stringify(given))
  process.disconnect()
`

let compiled: ReturnType<typeof compileSources>
let folder: string

beforeAll(() => {
  compiled = compileSources()
})
afterAll(() => compiled.remove())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-processes-'))
})
afterEach(() => rm(folder, { recursive: true }))

function node(script: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const printed = new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('close', () => resolve(text))
  })
  return { child, printed }
}

function claimers(kind: string, place: string, rounds: number, env = {}): Promise<string[][]> {
  const ids = Array.from({ length: 8 }, (_, index) => String(index))
  const started = ids.map((id) =>
    node(CLAIMER, [compiled.folder, kind, place, id, String(rounds)], env),
  )
  keepInStep(started.map(({ child }) => child))
  return Promise.all(started.map(async ({ printed }) => JSON.parse(await printed)))
}

/** Lets the processes go on when every one of them is ready. */
function keepInStep(children: readonly ChildProcess[]): void {
  let ready = 0
  const report = () => {
    ready = (ready + 1) % children.length
    if (ready === 0) for (const child of children) child.send('go')
  }
  for (const child of children) child.on('message', report)
}

function keysOf(rounds: number): string[] {
  return Array.from({ length: rounds }, (_, round) =>
    ['a', 'b', 'c', 'd'].map((key) => key + round),
  ).flat()
}

describe('8 processes that claim overlapping keys at once', () => {
  test('200 rounds on a file: every key is given to exactly one, and nothing is left over', async () => {
    const path = join(folder, 'state.json')
    const given = await claimers('file', path, 200)
    expect(given.flat().sort()).toEqual(keysOf(200).sort())
    expect(await readdir(folder)).toEqual(['state.json'])
    // A re-run of the same runs is given the very same keys again.
    expect(await claimers('file', path, 200)).toEqual(given)
  }, 300_000)

  test('200 rounds on a branch: every key is given to exactly one, and to a re-run again', async () => {
    const api = await startContentsApi()
    const env = { GITHUB_API_URL: api.url, GITHUB_REPOSITORY: 'octo/repo' }
    const given = await claimers('branch', '', 200, env)
    const { commits, roots } = api.history('state')
    const outrun = api.calls.filter(({ method }) => method === 'PUT').length - commits
    const again = await claimers('branch', '', 200, env)
    await api.close()
    expect(given.flat().sort()).toEqual(keysOf(200).sort())
    expect(again).toEqual(given)
    expect(roots).toBe(1)
    expect(outrun).toBeGreaterThan(200) // they did meet
  }, 300_000)
})

describe('R38: a process that is killed', () => {
  /** Claims a key, and is killed by its own hand before the file operation of that number. */
  const KILLED = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const [folder, place, id, number] = process.argv.slice(1)
    let left = Number(number)
    for (const name of ['writeFile', 'link', 'rename', 'rm', 'readFile']) {
      const real = fs[name]
      fs[name] = async (...args) => {
        if (left-- === 0) {
          if (name === 'writeFile') await real(args[0], String(args[1]).slice(0, 20))
          process.kill(process.pid, 'SIGKILL')
        }
        return real(...args)
      }
    }
    syncBuiltinESMExports()
    const load = (file) => import(folder + '/' + file)
    const { createStore } = await load('state/store.js')
    const { fileShelf } = await load('state/file.js')
    const { stateFiles } = await load('action/store.js')
    const ports = { sleep: (ms) => new Promise((r) => setTimeout(r, ms)), random: Math.random }
    const store = createStore(fileShelf(place, 'state.json', stateFiles, ports))
    const [standing] = await store.claim({ workflow: 'hook', trigger: 'webhook' }, ['key'], { id, at: 1000 })
    process.stdout.write(standing)
  `

  test('at every file operation leaves the state whole, old or new, and the next one gets through', async () => {
    const path = join(folder, 'state.json')
    const before = '{"format":"hookline-state","version":1,"triggers":{}}\n'
    const outcomes: string[] = []
    for (let number = 0; outcomes.at(-1) !== 'ended'; number++) {
      await writeFile(path, before)
      const { printed } = node(KILLED, [compiled.folder, path, '1', String(number)])
      if ((await printed) === 'fresh') {
        outcomes.push('ended')
        continue
      }
      const after = await readFile(path, 'utf8')
      const isNew = after.includes('"run":"1"')
      if (!isNew) expect(after).toBe(before)
      const next = await node(KILLED, [compiled.folder, path, '2', '-1']).printed
      expect(next).toBe(isNew ? 'busy' : 'fresh')
      outcomes.push(isNew ? 'new' : 'old')
    }
    expect(outcomes).toEqual(expect.arrayContaining(['old', 'new', 'ended']))
    expect(outcomes.length).toBeGreaterThan(6)
  }, 120_000)

  test('its lock is not taken away while it lives', async () => {
    const { stateFiles } = await import('../../src/action/store.ts')
    const lock = join(folder, 'lock')
    expect(await stateFiles.create(lock, stateFiles.owner())).toBe(true)
    expect(stateFiles.isGone((await stateFiles.read(lock)) ?? '')).toBe(false)
    const { child, printed } = node('', [])
    const owner = stateFiles.owner().replace(` ${process.pid} `, ` ${child.pid} `)
    await printed
    expect(stateFiles.isGone(owner)).toBe(true)
    expect(stateFiles.isGone(owner.replace(/^\S+/, 'another-host'))).toBe(false)
  })
})
