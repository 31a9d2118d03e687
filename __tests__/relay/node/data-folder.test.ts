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
import { join, resolve } from 'node:path'
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
  findRelayKey,
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

/** The message and the hint of a failed promise; `<root>` is the folder of the test. */
async function told(work: Promise<unknown>) {
  return (await problemOf(work)).replaceAll(root, '<root>').split('\n')
}

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
  [{ env: {}, platform: 'win32' as const }, join(homedir(), 'AppData/Local/hookline')],
  [
    { env: { LOCALAPPDATA: '' }, platform: 'win32' as const },
    join(homedir(), 'AppData/Local/hookline'),
  ],
  [{ data: '', env: { HOOKLINE_DATA: 'b' } }, resolve('b')],
  [{ env: { STATE_DIRECTORY: '', XDG_STATE_HOME: '' } }, join(homedir(), '.local/state/hookline')],
])('%j is the folder %s', (choice, path) => {
  expect(dataFolder(choice)).toEqual({
    path,
    database: join(path, 'relay.db'),
    key: join(path, 'relay.key'),
    address: join(path, 'relay.address'),
  })
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
    expect(await told(openRelayKey(folder, {}))).toEqual([
      '<root>/state/hookline/relay.key is missing, and <root>/state/hookline/relay.db cannot be read without it',
      'Restore the file, or set HOOKLINE_RELAY_KEY. To start with an empty database, move <root>/state/hookline/relay.db away.',
    ])
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
    expect(await told(openRelayKey(folder, {}))).toEqual([
      '<root>/state/hookline/relay.key: the path is a directory (EISDIR)',
      'Name a file. The folder of the relay is <root>/state/hookline; choose another one with --data.',
    ])
    const inFile = dataFolder({ data: join(root, 'file'), env: {} })
    await writeFile(inFile.path, '')
    expect(await told(createDataFolder(inFile))).toEqual([
      '<root>/file: the file exists already (EEXIST)',
      'Remove the file, or choose another path. The folder of the relay is <root>/file; choose another one with --data.',
    ])
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
    expect(await readFile(folder.key, 'utf8')).toMatch(/^[\w+/]{43}=,[\w+/]{43}=\n$/)
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
    expect(await told(rotateRelayKey(folder, {}))).toEqual([
      '<root>/state/hookline/relay.key: no such file',
      'Name the folder of the relay with --data. The first start of the relay creates the key.',
    ])
    await openRelayKey(folder, {})
    const before = await readFile(folder.key, 'utf8')
    await link(folder.key, `${folder.key}.new`)
    expect(await told(rotateRelayKey(folder, {}))).toEqual([
      '<root>/state/hookline/relay.key.new exists: another command rotates the key, or was interrupted',
      'If no other command is running, delete <root>/state/hookline/relay.key.new.',
    ])
    await rm(`${folder.key}.new`)
    await mkdir(`${folder.key}.new`)
    expect(await told(rotateRelayKey(folder, {}))).toEqual([
      '<root>/state/hookline/relay.key.new exists: another command rotates the key, or was interrupted',
      'If no other command is running, delete <root>/state/hookline/relay.key.new.',
    ])
    expect(await readdir(folder.path)).toEqual(['relay.key', 'relay.key.new'])
    const variable = { HOOKLINE_RELAY_KEY: newRelayKey().reveal() }
    expect(await told(rotateRelayKey(folder, variable))).toEqual([
      'the relay key is in HOOKLINE_RELAY_KEY, and not in a file',
      'Put a new key in front, followed by a comma: HOOKLINE_RELAY_KEY="$(openssl rand -base64 32),$HOOKLINE_RELAY_KEY"',
    ])
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
      ['', 'http://127.0.0.1:3000/'],
      ['relay.local', 'http://relay.local:3000/'],
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
    expect(await told(findLocalRelay(choice))).toEqual([
      'the relay of <root>/state/hookline is not running',
      'Start it: hookline relay. For a relay elsewhere, name its address with --relay <url>.',
    ])
    await removeAddress(folder)
    await mkdir(folder.address)
    await removeAddress(folder)
    expect(await told(findLocalRelay(choice))).toEqual([
      '<root>/state/hookline/relay.address: the path is a directory (EISDIR)',
      'Name a file. The folder of the relay is <root>/state/hookline; choose another one with --data.',
    ])
  })

  test('by its key, whether or not it runs', async () => {
    const choice = { data: folder.path, env: {} }
    expect(await told(findRelayKey(choice))).toEqual([
      'found no relay key on this machine: <root>/state/hookline/relay.key',
      'The first start of the relay creates it: hookline relay. For a relay in another folder, add --data <folder>.',
    ])
    await createDataFolder(folder)
    await openRelayKey(folder, {})
    const { key, ...place } = await findRelayKey(choice)
    expect([key.reveal(), place]).toEqual([
      await readFile(folder.key, 'utf8'),
      { keyName: folder.key, folder },
    ])
    const env = { HOOKLINE_RELAY_KEY: 'the key' }
    const named = await findRelayKey({ ...choice, env })
    expect([named.key.reveal(), named.keyName]).toEqual(['the key', 'HOOKLINE_RELAY_KEY'])
    await rm(folder.key)
    await mkdir(folder.key)
    expect(await told(findRelayKey(choice))).toEqual([
      '<root>/state/hookline/relay.key: the path is a directory (EISDIR)',
      'Name a file. The folder of the relay is <root>/state/hookline; choose another one with --data.',
    ])
  })

  test('a file in place of a folder has no relay', async () => {
    await writeFile(join(root, 'file'), '')
    expect(await told(findLocalRelay({ data: join(root, 'file'), env: {} }))).toEqual([
      'found no relay on this machine: <root>/file',
      'Start one: hookline relay. For a relay in another folder, set HOOKLINE_DATA=<folder>; for a relay elsewhere, add --relay <url>.',
    ])
  })

  test('whose address cannot be written is not started', async () => {
    await mkdir(join(folder.address, 'x'), { recursive: true })
    expect((await told(writeAddress(folder, '127.0.0.1', 3000)))[0]).toContain(
      '<root>/state/hookline/relay.address: ',
    )
    expect(await readdir(folder.path)).toEqual(['relay.address'])
  })

  test('names every folder that it looked in', async () => {
    const choice = { env: { XDG_STATE_HOME: root } }
    expect(await told(findLocalRelay(choice))).toEqual([
      'found no relay on this machine: <root>/hookline, /var/lib/hookline',
      'Start one: hookline relay. For a relay in another folder, set HOOKLINE_DATA=<folder>; for a relay elsewhere, add --relay <url>.',
    ])
    expect(await told(findLocalRelay({ ...choice, data: folder.path }))).toEqual([
      'found no relay on this machine: <root>/state/hookline',
      'Start one: hookline relay. For a relay in another folder, set HOOKLINE_DATA=<folder>; for a relay elsewhere, add --relay <url>.',
    ])
    expect(await told(findRelayKey(choice))).toEqual([
      'found no relay key on this machine: <root>/hookline/relay.key, /var/lib/hookline/relay.key',
      'The first start of the relay creates it: hookline relay. For a relay in another folder, add --data <folder>.',
    ])
    const service = { env: { STATE_DIRECTORY: '/var/lib/hookline' } }
    expect(await told(findLocalRelay(service))).toEqual([
      'found no relay on this machine: /var/lib/hookline',
      'Start one: hookline relay. For a relay in another folder, set HOOKLINE_DATA=<folder>; for a relay elsewhere, add --relay <url>.',
    ])
  })

  test('refuses a file that has no address, and a relay whose key is elsewhere', async () => {
    await createDataFolder(folder)
    await writeFile(folder.address, 'x y')
    const choice = { data: folder.path, env: {} }
    expect(await told(findLocalRelay(choice))).toEqual([
      '<root>/state/hookline/relay.address contains no address',
      'Restart the relay, which writes the file, or add --relay <url>.',
    ])
    await writeFile(folder.address, ' http://127.0.0.1:1 \r\n')
    expect(await told(findLocalRelay(choice))).toEqual([
      '<root>/state/hookline/relay.key: no such file',
      'The relay has its key from HOOKLINE_RELAY_KEY. Set the same variable for this command.',
    ])
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
  async function machine(mark = '.dockerenv', group = '0::/docker/1f\n') {
    await mkdir(join(root, 'proc/1'), { recursive: true })
    await mkdir(join(root, 'run'), { recursive: true })
    await writeFile(join(root, mark), mark === 'proc/1/cgroup' ? group : '')
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

  test('says what is lost, and how to mount a volume', async () => {
    await machine()
    const problem = await volumeWarning(folder, { env: {}, root })
    expect(problem).toEqual({
      message: `${folder.path} is not on a mounted volume, so a new container loses all endpoints and waiting events`,
      hint: `Mount a volume: docker run -v hookline:${folder.path} …`,
    })
  })

  test.each([
    ['docker', true],
    ['containerd', true],
    ['kubepods', true],
    ['libpod', true],
    ['lxc', true],
    ['user.slice', false],
  ])('a control group of %s is a container: %s', async (name, isContainer) => {
    await machine('proc/1/cgroup', `12:cpu:/\n0::/${name}/1f\n`)
    expect((await warning()) !== undefined).toBe(isContainer)
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
