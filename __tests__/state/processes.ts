import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { stateFiles } from '../../src/action/state-store.ts'
import { openBranch } from '../../src/state/branch.ts'
import { openFile } from '../../src/state/file.ts'
import { createStore } from '../../src/state/store.ts'
import { builtModules } from '../support/build.ts'
import { startContentsApi } from '../support/contents-api.ts'
import { randomOf } from '../support/fake-time.ts'
import { named, type SingleStore, single, storePlace } from '../support/stores.ts'

/** Several processes share one state. */
export function testProcesses({
  rounds,
  processes,
  killStep,
  stopStep,
}: {
  readonly rounds: number
  readonly processes: number
  readonly killStep: number
  readonly stopStep: number
}): void {
  /**
   * Claims the keys of every round in a process, and prints those that it got. A round begins when
   * all processes are ready.
   */
  const CLAIMER = `
  import { once } from 'node:events'
  const [folder, kind, place, id, rounds] = process.argv.slice(1)
  const load = (file) => import(folder + '/' + file)
  const { createStore } = await load('state/store.js')
  const { openFile } = await load('state/file.js')
  const { openBranch } = await load('state/branch.js')
  const { stateFiles, githubPort } = await load('action/state-store.js')
  ${randomOf}
  // The stand-in answers in milliseconds, not in tenths of a second: waits are as much shorter.
  const pace = kind === 'file' ? 1 : 50
  const sleep = (ms) => new Promise((r) => setTimeout(r, ms / pace))
  const common = { sleep, random: randomOf(Number(id)), now: Date.now, repository: 'octo/repo' }
  const known = { read: async () => undefined, write: async () => {} }
  const files = stateFiles('/')
  const backend = kind === 'file'
    ? openFile(place, { ...common, files })
    : openBranch('state', { ...common, github: githubPort('token'), known })
  const store = createStore(backend)
  const given = []
  for (let round = 0; round < Number(rounds); round++) {
    // Each process asks for other ones of the round's keys, and every key is asked for by some.
    const keys = ['a', 'b', 'c', 'd'].filter((_, at) => (at + Number(id)) % 4 !== 0)
    const named = keys.map((key) => key + round)
    const trigger = { workflow: 'hook', trigger: 't' + (round % 8) }
    process.send('ready')
    await once(process, 'message')
    const claimed = named.map((key) => ({ key }))
    const wanted = { ...trigger, keys: claimed, lease: 3600000 }
    const [states] = await store.claim([wanted], { id, at: 1000 })
    given.push(...named.filter((_, at) => states[at].status === 'new'))
  }
  process.stdout.write(JSON.stringify(given))
  process.disconnect()
`

  let compiled: string
  let folder: string

  beforeAll(async () => {
    compiled = await builtModules()
  }, 300_000)
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

  /** Of 3 processes, at least 2 claim each key. */
  const IDS = Array.from({ length: processes }, (_, id) => String(id))

  function claimers(kind: string, place: string, count: number, env = {}): Promise<string[][]> {
    const started = IDS.map((id) => node(CLAIMER, [compiled, kind, place, id, String(count)], env))
    keepInStep(started.map(({ child }) => child))
    return Promise.all(started.map(async ({ printed }) => JSON.parse(await printed)))
  }

  /** Lets the processes continue when every one of them is ready. */
  function keepInStep(children: readonly ChildProcess[]): void {
    let ready = 0
    const report = () => {
      ready = (ready + 1) % children.length
      if (ready === 0) for (const child of children) child.send('go')
    }
    for (const child of children) child.on('message', report)
  }

  /** The keys of a re-run of each of those runs in this process, which must be the same. */
  async function claimedAgain(store: SingleStore): Promise<string[][]> {
    const given = IDS.map((): string[] => [])
    for (const [at, id] of IDS.entries()) {
      for (let round = 0; round < rounds; round++) {
        const keys = ['a', 'b', 'c', 'd'].filter((_, at) => (at + Number(id)) % 4 !== 0)
        const own = keys.map((key) => key + round)
        const trigger = { workflow: 'hook', trigger: `t${round % 8}` }
        const run = { id, at: 1000 }
        const states = await store.claim(trigger, named(own), run, { lease: 3_600_000 })
        given[at]?.push(...own.filter((_, at) => states[at]?.status === 'new'))
      }
    }
    return given
  }

  function keysOf(count: number): string[] {
    return Array.from({ length: count }, (_, round) =>
      ['a', 'b', 'c', 'd'].map((key) => key + round),
    ).flat()
  }

  describe('processes that claim overlapping keys concurrently', () => {
    test(`${rounds} rounds on a file: exactly one process gets each key, and no file is left over`, async () => {
      const path = join(folder, 'state.json')
      const given = await claimers('file', path, rounds)
      expect(given.flat().sort()).toEqual(keysOf(rounds).sort())
      expect(await readdir(folder)).toEqual(['state.json'])
      const backend = openFile('state.json', storePlace(folder))
      expect(await claimedAgain(single(createStore(backend)))).toEqual(given)
    }, 300_000)

    test(`${rounds} rounds on a branch: exactly one process gets each key, and its re-run gets the key again`, async () => {
      const api = await startContentsApi()
      const env = { GITHUB_API_URL: api.url, GITHUB_REPOSITORY: 'octo/repo' }
      const given = await claimers('branch', '', rounds, env)
      const { commits, roots } = api.history('state')
      const writes = api.calls.filter(({ body }) => String(body.query).startsWith('mutation'))
      const outrun = writes.length - commits
      Object.assign(process.env, env)
      const again = await claimedAgain(single(createStore(openBranch('state', storePlace(folder)))))
      await api.close()
      expect(given.flat().sort()).toEqual(keysOf(rounds).sort())
      expect(again).toEqual(given)
      expect(roots).toBe(1)
      expect(outrun).toBeGreaterThan(0) // the processes did compete
    }, 300_000)
  })

  describe('a process that is killed', () => {
    /**
     * Claims a key, and kills itself before the file operation of that number; or it pauses there
     * for longer than its lease, and continues.
     */
    const FAULTY = `
    import fs from 'node:fs/promises'
    import { syncBuiltinESMExports } from 'node:module'
    const [folder, place, id, number, fault] = process.argv.slice(1)
    let left = Number(number)
    const interrupt = async (before) => {
      if (left-- !== 0) return
      await before?.()
      if (fault === 'stop') process.kill(process.pid, 'SIGSTOP')
      else process.kill(process.pid, 'SIGKILL')
    }
    for (const name of ['open', 'rename', 'rm', 'readFile', 'readdir', 'stat', 'mkdir']) {
      const real = fs[name]
      fs[name] = async (...args) => {
        await interrupt()
        const result = await real(...args)
        if (name !== 'open') return result
        const { writeFile } = result
        result.writeFile = async (text) => {
          await interrupt(() => writeFile.call(result, text.slice(0, 20)))
          return writeFile.call(result, text)
        }
        const { sync } = result
        result.sync = async () => {
          await interrupt()
          return sync.call(result)
        }
        return result
      }
    }
    syncBuiltinESMExports()
    const load = (file) => import(folder + '/' + file)
    const { createStore } = await load('state/store.js')
    const { openFile } = await load('state/file.js')
    const { stateFiles } = await load('action/state-store.js')
    ${randomOf}
    const sleep = (ms) => new Promise((r) => setTimeout(r, ms))
    const common = { sleep, random: randomOf(Number(id)), now: Date.now, repository: 'octo/repo' }
    const store = createStore(openFile(place, { ...common, files: stateFiles('/') }))
    const trigger = { workflow: 'hook', trigger: 'webhook' }
    const run = { id, at: Date.now() }
    const keys = [{ key: 'key' }, { key: id }]
    const [[state]] = await store.claim([{ ...trigger, keys, lease: 3600000 }], run)
    process.stdout.write(state.status)
  `

    /** The status of the common key for the next run, in this process. */
    async function claimNext(): Promise<string> {
      const store = single(createStore(openFile('state.json', storePlace(folder))))
      const trigger = { workflow: 'hook', trigger: 'webhook' }
      const run = { id: '2', at: Date.now() }
      const [state] = await store.claim(trigger, named(['key', '2']), run, { lease: 3_600_000 })
      return state?.status ?? ''
    }

    const BEFORE = '{"format":"hookline-state","version":1,"triggers":{}}\n'

    /** Simulates a lock that its owner no longer renews. */
    async function letLockExpire(): Promise<void> {
      const past = new Date(Date.now() - 60_000)
      await utimes(join(folder, 'state.json.lock'), past, past).catch(() => {})
    }

    test('at every file operation leaves the state whole, old or new, and the next one gets through', async () => {
      const path = join(folder, 'state.json')
      const outcomes: string[] = []
      for (let number = 0; outcomes.at(-1) !== 'ended'; number += killStep) {
        await writeFile(path, BEFORE)
        const { printed } = node(FAULTY, [compiled, path, '1', String(number), 'kill'])
        if ((await printed) === 'new') {
          outcomes.push('ended')
          continue
        }
        const after = await readFile(path, 'utf8')
        const isNew = after.includes('"run":"1"')
        if (!isNew) expect(after).toBe(BEFORE)
        await letLockExpire()
        expect(await claimNext()).toBe(isNew ? 'claimed' : 'new')
        expect(await readdir(folder)).toEqual(['state.json'])
        outcomes.push(isNew ? 'new' : 'old')
      }
      expect(outcomes).toEqual(expect.arrayContaining(['old', 'new', 'ended']))
      expect(outcomes.length).toBeGreaterThan(killStep === 1 ? 8 : 4)
    })

    test('a process that was suspended until its lock expired changes nothing later', async () => {
      const path = join(folder, 'state.json')
      let isEnded = false
      let wasOvertaken = 0
      for (let number = 0; !isEnded; number += stopStep) {
        await writeFile(path, BEFORE)
        const late = node(FAULTY, [compiled, path, '1', String(number), 'stop'])
        const stopped = await hasStopped(late.child)
        if (!stopped) {
          isEnded = true
          continue
        }
        await letLockExpire()
        expect(await claimNext()).not.toBe('')
        late.child.kill('SIGCONT')
        await late.printed
        const { triggers } = JSON.parse(await readFile(path, 'utf8'))
        const claims: { key: string; run: string }[] = triggers['octo/repo/hook/webhook'].claims
        // In any order, both have their own key, and one of them has the common key.
        expect(claims.map(({ key }) => key).sort()).toEqual(['1', '2', 'key'])
        if (claims.find(({ key }) => key === 'key')?.run === '2') wasOvertaken++
      }
      expect(wasOvertaken).toBeGreaterThan(stopStep === 1 ? 3 : 1)
    }, 240_000)
  })

  /** Whether a process is suspended, before it ends. */
  async function hasStopped({ pid, exitCode }: ChildProcess): Promise<boolean> {
    for (let round = 0; round < 600; round++) {
      const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => 'gone) Z')
      const state = /\) (\w)/.exec(status)?.[1]
      if (state === 'T') return true
      if (state === 'Z' || state === 'X' || exitCode !== null) return false
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return false
  }

  describe('a lock', () => {
    const trigger = { workflow: 'hook', trigger: 'webhook' }
    const open = (repository = 'octo/repo', now = Date.now) =>
      single(createStore(openFile('state.json', storePlace(folder, { repository, now }))))
    const claim = (store: SingleStore, id = '1') =>
      store.claim(trigger, named(['a']), { id, at: 0 }, { lease: 3_600_000 })
    const lock = () => join(folder, 'state.json.lock')

    test.each([
      ['of a container that is gone', 'another-host 1 0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'],
      ['of a process whose number another one has now', `host ${process.pid} x`],
      ['that is empty', ''],
    ])('%s is taken over when its lease has ended', async (_, text) => {
      await writeFile(lock(), text)
      const past = new Date(Date.now() - 6_000)
      await utimes(lock(), past, past)
      expect(await claim(open())).toEqual([{ status: 'new' }])
      expect(await readdir(folder)).toEqual(['state.json'])
    })

    test('from a clock far ahead is taken over after the time of a lease, and not before', async () => {
      await writeFile(lock(), 'x')
      const future = new Date(Date.now() + 3_600_000)
      await utimes(lock(), future, future)
      let ahead = 0
      const place = storePlace(folder, {
        now: () => Date.now() + ahead,
        sleep: async () => {
          ahead += 1_000
        },
      })
      expect(await claim(single(createStore(openFile('state.json', place))))).toEqual([
        { status: 'new' },
      ])
      expect(ahead).toBeGreaterThanOrEqual(5_000)
      expect(ahead).toBeLessThan(10_000)
    })

    test('that is renewed is left alone', async () => {
      await writeFile(lock(), 'x')
      let now = 0
      const place = storePlace(folder, {
        now: () => now,
        files: { ...stateFiles(folder), renewedAt: async () => Math.floor(now / 4_000) * 4_000 },
        sleep: async () => {
          now += 1_000
        },
      })
      const store = single(createStore(openFile('state.json', place)))
      await expect(claim(store)).rejects.toThrow(/hold this lock/)
      expect(now).toBeGreaterThan(60_000)
      expect(await readdir(folder)).toEqual(['state.json.lock'])
    })

    test('is renewed while it is held', async () => {
      await writeFile(lock(), 'x')
      const past = new Date(1_000)
      await utimes(lock(), past, past)
      const files = stateFiles(folder)
      const stop = files.keepRenewing('state.json.lock', 5)
      while ((await files.renewedAt('state.json.lock')) === 1_000) {
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      stop()
      expect(Date.now() - Number(await files.renewedAt('state.json.lock'))).toBeLessThan(60_000)
    })

    test('leftovers of killed runs are swept, and other files are not', async () => {
      const id = '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'
      const left = [`state.json.${id}.tmp`]
      const others = ['state.json.bak', `other.json.${id}.tmp`, 'state.json.notes.tmp']
      for (const name of [...left, ...others]) await writeFile(join(folder, name), 'x')
      await claim(open())
      expect((await readdir(folder)).sort()).toEqual([...others, 'state.json'].sort())
    })

    test('repositories that share a file keep their keys apart', async () => {
      await claim(open())
      await open().commit(trigger, { id: '1', at: 5 })
      expect(await claim(open(), '2')).toEqual([{ status: 'done', run: '1' }])
      expect(await claim(open('octo/other'), '2')).toEqual([{ status: 'new' }])
    })
  })
}
