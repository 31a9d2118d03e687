import { execFile } from 'node:child_process'
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import {
  createDataFolder,
  type DataFolder,
  dataFolder,
  findLocalRelay,
  openRelayKey,
  removeAddress,
  rotateRelayKey,
  volumeWarning,
  writeAddress,
} from '../../../src/relay/node/data-folder.ts'
import { newRelayKey } from '../../../src/relay/store/relay-key.ts'
import { refuseInsecureAddress } from '../../../src/wire/address.ts'
import { UserError } from '../../../src/wire/errors.ts'

let root: string
let folder: DataFolder
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'data-'))
  folder = dataFolder({ data: join(root, 'state', 'hookline'), env: {} })
})
afterEach(() => rm(root, { recursive: true }))

/** The first problem of a failed promise. */
async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  )
  expect(error).toBeInstanceOf(UserError)
  const [problem] = (error as UserError).problems
  return `${problem?.message}\n${problem?.hint}`
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

test.each([
  [{ data: '/a', env: { HOOKLINE_DATA: '/b', STATE_DIRECTORY: '/c' } }, '/a'],
  [{ env: { HOOKLINE_DATA: '/b', STATE_DIRECTORY: '/c' } }, '/b'],
  [{ env: { STATE_DIRECTORY: '/c:/d', XDG_STATE_HOME: '/e' } }, '/c'],
  [{ env: { XDG_STATE_HOME: '/e' } }, '/e/hookline'],
  [{ env: { XDG_STATE_HOME: 'relative' } }, join(homedir(), '.local/state/hookline')],
  [{ env: {} }, join(homedir(), '.local/state/hookline')],
  [{ env: { LOCALAPPDATA: '/l' }, platform: 'win32' as const }, '/l/hookline'],
])('%j is the folder %s', (choice, path) => {
  expect(dataFolder(choice)).toMatchObject({ path, database: join(path, 'relay.db') })
})

describe('the relay key', () => {
  test('the first start creates folder and key; later ones read it', async () => {
    await createDataFolder(folder)
    const first = await openRelayKey(folder, {})
    expect([await modeOf(folder.path), await modeOf(folder.key)]).toEqual(['700', '600'])
    expect(Buffer.from(await readFile(folder.key, 'utf8'), 'base64')).toHaveLength(32)
    expect(await readdir(folder.path)).toEqual(['relay.key'])
    const second = await openRelayKey(folder, {})
    expect([first.isNew, second.isNew, second.source]).toEqual([true, false, folder.key])
    expect(second.keys[0].id).toBe(first.keys[0].id)
  })

  test('of 20 concurrent starts, one creates the key, and all have it', async () => {
    await createDataFolder(folder)
    const all = await Promise.all(Array.from({ length: 20 }, () => openRelayKey(folder, {})))
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(new Set(all.map(({ keys }) => keys[0].id)).size).toBe(1)
    expect(await readdir(folder.path)).toEqual(['relay.key'])
  })

  test('HOOKLINE_RELAY_KEY takes precedence, and no file is written', async () => {
    await createDataFolder(folder)
    const key = newRelayKey().reveal()
    const { source, isNew } = await openRelayKey(folder, { HOOKLINE_RELAY_KEY: key })
    expect([source, isNew]).toEqual(['HOOKLINE_RELAY_KEY', false])
    expect(await readdir(folder.path)).toEqual([])
    expect(await problemOf(openRelayKey(folder, { HOOKLINE_RELAY_KEY: 'abc' }))).toMatch(
      /^HOOKLINE_RELAY_KEY is not a relay key/,
    )
  })

  test('a database without its key gets no new key', async () => {
    await createDataFolder(folder)
    await writeFile(folder.database, '')
    expect(await problemOf(openRelayKey(folder, {}))).toMatch(/relay\.key is missing.*Restore/s)
    expect(await readdir(folder.path)).toEqual(['relay.db'])
  })

  test.each(['', '\n', 'not a key\n', `${'A'.repeat(40)}\n`])(
    'a file with %j is refused, named, and not overwritten',
    async (text) => {
      await createDataFolder(folder)
      await writeFile(folder.key, text)
      const shown = await problemOf(openRelayKey(folder, {}))
      expect(shown).toContain(`${folder.key} is not a relay key`)
      expect(shown).not.toContain(text.trim() || 'no text')
      expect(await readFile(folder.key, 'utf8')).toBe(text)
    },
  )

  test('a folder in place of the file, and a file in place of the folder, are refused', async () => {
    await mkdir(folder.key, { recursive: true })
    expect(await problemOf(openRelayKey(folder, {}))).toContain('EISDIR')
    const inFile = dataFolder({ data: join(root, 'file'), env: {} })
    await writeFile(inFile.path, '')
    expect(await problemOf(createDataFolder(inFile))).toMatch(/EEXIST.*--data/s)
  })

  const onLinux = process.platform === 'linux' ? test : test.skip
  onLinux.each(['/proc/x', '/proc/x/y'])(
    'the folder %s is refused, and never waited for',
    async (data) => {
      expect(await problemOf(createDataFolder(dataFolder({ data, env: {} })))).toMatch(
        /\/proc\/x.*--data/s,
      )
    },
  )
})

describe('rotateRelayKey', () => {
  test('puts a new key in front, and keeps mode and link', async () => {
    await createDataFolder(folder)
    const { keys } = await openRelayKey(folder, {})
    await chmod(folder.key, 0o440)
    expect(await rotateRelayKey(folder, {})).toBe(2)
    const after = await openRelayKey(folder, {})
    expect(after.keys.map(({ id }) => id).slice(1)).toEqual([keys[0].id])
    expect(await modeOf(folder.key)).toBe('440')
    const linked = dataFolder({ data: join(root, 'linked'), env: {} })
    await createDataFolder(linked)
    await symlink(folder.key, linked.key)
    expect(await rotateRelayKey(linked, {})).toBe(3)
    expect((await openRelayKey(folder, {})).keys).toHaveLength(3)
  })

  test('changes nothing while another rotation runs, without a file, or with the variable', async () => {
    await createDataFolder(folder)
    expect(await problemOf(rotateRelayKey(folder, {}))).toMatch(/no such file.*--data/s)
    await openRelayKey(folder, {})
    const before = await readFile(folder.key, 'utf8')
    await link(folder.key, `${folder.key}.new`)
    expect(await problemOf(rotateRelayKey(folder, {}))).toMatch(/relay\.key\.new exists/)
    const variable = { HOOKLINE_RELAY_KEY: newRelayKey().reveal() }
    expect(await problemOf(rotateRelayKey(folder, variable))).toMatch(/is in HOOKLINE_RELAY_KEY/)
    expect(await readFile(folder.key, 'utf8')).toBe(before)
  })
})

test('of rotations that overlap in any way, each one that succeeds leaves its key', async () => {
  for (let round = 0; round < 20; round++) {
    const own = dataFolder({ data: join(root, `round ${round}`), env: {} })
    await createDataFolder(own)
    await openRelayKey(own, {})
    const all = await Promise.allSettled(
      [0, 1, 2, 3, 4].map(async (number) => {
        await sleep((number * round) / 10)
        return rotateRelayKey(own, {})
      }),
    )
    const succeeded = all.filter(({ status }) => status === 'fulfilled').length
    expect(succeeded).toBeGreaterThan(0)
    expect((await openRelayKey(own, {})).keys).toHaveLength(1 + succeeded)
  }
})

const PROGRAM = `
  import { createDataFolder, dataFolder, findLocalRelay, openRelayKey } from '#module'
  const folder = dataFolder({ data: process.argv[2], env: {} })
  try {
    if (process.argv[3] === 'find') await findLocalRelay({ data: process.argv[2], env: {} })
    else {
      await createDataFolder(folder)
      await openRelayKey(folder, {})
    }
    console.log('ok')
  } catch (error) {
    console.log(error.name, error.problems?.[0].message, error.problems?.[0].hint)
  }`

/** Runs a start in a process of its own. */
async function program(): Promise<string> {
  const file = join(root, 'start.mjs')
  const source = fileURLToPath(new URL('../../../src/relay/node/data-folder.ts', import.meta.url))
  await build({
    stdin: { contents: PROGRAM.replace('#module', source), resolveDir: root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: file,
    nodePaths: [fileURLToPath(new URL('../../../node_modules', import.meta.url))],
  })
  return file
}

const run = async (command: string, args: readonly string[]) =>
  (await promisify(execFile)(command, [...args])).stdout

test('10 processes that start concurrently have one key, and leave nothing else', async () => {
  const file = await program()
  const start = () => run(process.execPath, [file, folder.path])
  const all = await Promise.all(Array.from({ length: 10 }, start))
  expect(all.join('')).toBe('ok\n'.repeat(10))
  expect(await readdir(folder.path)).toEqual(['relay.key'])
})

// Every file is readable and writable for root, so another user starts the program.
const asUser = process.getuid?.() === 0 ? test : test.skip

asUser('without rights, the error names the way in', async () => {
  const file = await program()
  await chmod(root, 0o755)
  const nobody = (path: string, what = 'start') =>
    run('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, file, path, what])
  expect(await nobody(join(root, 'new'))).toMatch(/UserError .*permission denied \(EACCES\)/)
  await createDataFolder(folder)
  await openRelayKey(folder, {})
  await writeAddress(folder, '127.0.0.1', 3000)
  await chmod(join(root, 'state'), 0o755)
  expect(await nobody(folder.path, 'find')).toMatch(/EACCES.*sudo hookline.*docker exec/)
  await chmod(folder.path, 0o777)
  expect(await nobody(folder.path)).toMatch(/relay\.key: permission denied/)
})

asUser('a key file of another user keeps its owner and group', async () => {
  await createDataFolder(folder)
  await openRelayKey(folder, {})
  await chown(folder.key, 65534, 65533)
  await rotateRelayKey(folder, {})
  expect(await stat(folder.key)).toMatchObject({ uid: 65534, gid: 65533 })
})

asUser('a full disk leaves no key, and no other file', async () => {
  const file = await program()
  await mkdir(folder.path, { recursive: true })
  const script = `ulimit -f 0; trap '' XFSZ; exec "$@"`
  const printed = await run('bash', ['-c', script, 'bash', process.execPath, file, folder.path])
  expect(printed).toMatch(/UserError .*too large \(EFBIG\)/)
  expect(await readdir(folder.path)).toEqual([])
})

describe('a command finds the relay of this machine', () => {
  test('by the address that the relay wrote, until it ends', async () => {
    await createDataFolder(folder)
    const { keys } = await openRelayKey(folder, {})
    const choice = { env: { HOOKLINE_DATA: folder.path } }
    const hosts = [
      ['127.0.0.1', 'http://127.0.0.1:3000/'],
      ['0.0.0.0', 'http://127.0.0.1:3000/'],
      ['::', 'http://127.0.0.1:3000/'],
      ['::1', 'http://[::1]:3000/'],
    ] as const
    for (const [host, href] of hosts) {
      await writeAddress(folder, host, 3000)
      const found = await findLocalRelay(choice)
      expect([found.address.href, found.keyName]).toEqual([href, folder.key])
      expect(found.key.reveal()).toBe(await readFile(folder.key, 'utf8'))
    }
    expect(await modeOf(folder.address)).toBe('600')
    expect(keys).toHaveLength(1)
    await writeFile(folder.database, '')
    await removeAddress(folder)
    expect(await problemOf(findLocalRelay(choice))).toMatch(/is not running.*--relay/s)
  })

  test('names every folder that it looked in', async () => {
    const choice = { env: { XDG_STATE_HOME: root } }
    const shown = await problemOf(findLocalRelay(choice))
    expect(shown).toContain(`${join(root, 'hookline')}, /var/lib/hookline`)
    const chosen = await problemOf(findLocalRelay({ ...choice, data: folder.path }))
    expect(chosen).not.toContain('/var/lib')
  })

  test('refuses a file that has no address, and a relay whose key is elsewhere', async () => {
    await createDataFolder(folder)
    await writeFile(folder.address, 'x y')
    const choice = { data: folder.path, env: {} }
    expect(await problemOf(findLocalRelay(choice))).toContain('contains no address')
    await writeAddress(folder, '127.0.0.1', 1)
    expect(await problemOf(findLocalRelay(choice))).toMatch(/no such file.*HOOKLINE_RELAY_KEY/s)
  })
})

test.each([
  ['https://relay.example.com', true],
  ['http://127.0.0.1:3000', true],
  ['http://127.9.9.9', true],
  ['http://[::1]:3000', true],
  ['http://localhost:3000', true],
  ['http://relay.example.com', false],
  ['http://localhost.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://0.0.0.0:3000', false],
  ['http://192.168.1.4:3000', false],
  ['http://[::ffff:127.0.0.1]', false],
])('a key may travel to %s: %s', (address, isAllowed) => {
  const refuse = () => refuseInsecureAddress(new URL(address))
  if (isAllowed) expect(refuse()).toBeUndefined()
  else expect(refuse).toThrow('neither an https address nor on this machine')
})

describe('volumeWarning', () => {
  async function machine(mark = '.dockerenv') {
    await mkdir(join(root, 'proc/1'), { recursive: true })
    await mkdir(join(root, 'run'), { recursive: true })
    await writeFile(join(root, mark), mark === 'proc/1/cgroup' ? '0::/docker/1f\n' : '')
    await mkdir(folder.path, { recursive: true })
  }
  const warning = async (env = {}) => (await volumeWarning(folder, { env, root }))?.message

  test.each([
    ['.dockerenv', true],
    ['run/.containerenv', true],
    ['proc/1/cgroup', true],
    ['run/other', false],
  ])('with the mark %s, a folder on the root is told: %s', async (mark, isTold) => {
    await machine(mark)
    expect(await warning()).toEqual(isTold ? expect.stringContaining('mounted volume') : undefined)
    expect(await warning({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toContain(folder.path)
  })

  const isLinux = process.platform === 'linux'
  ;(isLinux ? test : test.skip)('a volume is enough, and a tmpfs is not', async () => {
    await machine()
    const warningAt = (path: string) => volumeWarning({ ...folder, path }, { env: {}, root })
    // Both are mounts of their own on every Linux.
    expect(await warningAt('/proc')).toBeUndefined()
    expect((await warningAt('/dev'))?.message).toContain('mounted volume')
  })
})
