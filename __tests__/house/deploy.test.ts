import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { SETTINGS } from '../../src/wire/settings.ts'
import { bundledPackage } from '../support/build.ts'
import { freePort } from '../support/free-port.ts'
import { NODE24 } from '../support/node24.ts'
import { relayKeys } from '../support/relay-keys.ts'
import { send } from '../support/raw-http.ts'

/**
 * Tests `deploy/` without Docker: the instructions of the image run in a folder, with its command, its
 * health check and its read-only file system; the other files are parsed strictly, and their program is
 * started if it is installed.
 */
const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')
const { default: WORKERD } = createRequire(import.meta.url)('workerd') as { default: string }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'))
  await cp(bundledPackage(), join(folder, 'clone'), { recursive: true })
  await cp(DEPLOY, join(folder, 'clone/deploy'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

test.each(readdirSync(DEPLOY))('%s contains only settings that the code reads', (name) => {
  const named = read(name).match(/\bHOOKLINE_\w+/g) ?? []
  expect(named.filter((setting) => !(setting in SETTINGS))).toEqual([])
})

describe('the image', () => {
  const steps = instructions(read('Dockerfile'))
  const only = (name: string) => {
    const found = steps.filter(([instruction]) => instruction === name)
    expect([name, found.length]).toEqual([name, 1])
    return found[0]?.[1] ?? ''
  }
  const env = Object.fromEntries(
    only('ENV')
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  )

  test('has only instructions that there are, and none of them as root at the end', () => {
    expect(steps.map(([name]) => name)).toEqual([
      ...['FROM', 'WORKDIR', 'COPY', 'COPY', 'RUN', 'USER', 'ENV', 'EXPOSE', 'VOLUME'],
      ...['HEALTHCHECK', 'ENTRYPOINT'],
    ])
    expect(only('USER')).toBe('node')
    expect(only('FROM')).toMatch(/^node:24-slim(?:@sha256:[0-9a-f]{64})?$/)
    expect(only('EXPOSE')).toBe(env.PORT)
    expect(Object.keys(env).filter((name) => name !== 'NODE_ENV' && !(name in SETTINGS))).toEqual(
      [],
    )
  })

  const run = NODE24 ? test : test.skip
  run('serves from what is copied into it, where nothing else can be written', async () => {
    const root = join(folder, 'image')
    await carryOut(steps, root)
    const volume = join(folder, 'volume')
    await mkdir(volume)
    const settings = {
      ...{ ...env, HOST: '127.0.0.1', PORT: String(await freePort()) },
      HOOKLINE_RELAY_KEY: relayKeys(),
    }
    const { command } = parse(read('compose.yaml')).services.relay
    const given = (command as string[]).map((word) => word.replace('/var/lib/hookline', volume))
    const words = inImage([...(JSON.parse(only('ENTRYPOINT')) as string[]), ...given], root)
    const [, text = ''] = /CMD (\[.*\])/s.exec(only('HEALTHCHECK')) ?? []
    const health = inImage(JSON.parse(text) as string[], root)
    const isHealthy = () => spawnSync(health[0] ?? '', health.slice(1), { env: settings }).status
    expect(isHealthy()).toBe(1)
    const [program = '', ...rest] = restricted(words)
    const child = spawn(program, rest, { cwd: root, env: { ...settings, PATH: process.env.PATH } })
    await line(child, 'listening')
    expect(isHealthy()).toBe(0)
    expect(readdirSync(volume)).toContain('outbox.db')
    child.kill('SIGTERM')
    await once(child, 'exit')
    await chmod(root, 0o755)
  })
})

/** As the unit and compose.yaml start it: without capabilities, which only root can drop, nor new privileges. */
function restricted(words: readonly string[]): string[] {
  if (process.getuid?.() !== 0) return [...words]
  return ['setpriv', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', ...words]
}

test('compose.yaml: a relay that cannot write but its volume, and Caddy before it', () => {
  const { services, volumes, ...rest } = parse(read('compose.yaml'))
  expect(rest).toEqual({})
  const { relay, caddy, ...others } = services
  expect(others).toEqual({})
  for (const service of [relay, caddy]) {
    expect(Object.keys(service).filter((key) => !SERVICE_KEYS.includes(key))).toEqual([])
    for (const name of Object.keys(service.environment)) expect(SETTINGS).toHaveProperty(name)
  }
  const { context, dockerfile } = relay.build
  expect(existsSync(join(DEPLOY, context, dockerfile))).toBe(true)
  expect(relay).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: '/tmp' })
  expect(relay.ports).toBeUndefined()
  expect(parseInt(relay.stop_grace_period, 10)).toBeGreaterThan(10)
  expect(existsSync(join(DEPLOY, `${relay.env_file}.example`))).toBe(true)
  const mounted = [...relay.volumes, ...caddy.volumes].map((text: string) => text.split(':')[0])
  const named = mounted.filter((name) => !name?.startsWith('./'))
  expect(named.sort()).toEqual(Object.keys(volumes).sort())
  const files = mounted.filter((name) => name?.startsWith('./'))
  for (const name of files) expect(existsSync(join(DEPLOY, name ?? ''))).toBe(true)
  expect(relay.volumes).toEqual([`outbox:${instruction('VOLUME')}`])
})

/** The keys of https://docs.docker.com/reference/compose-file/services/ that are used here. */
const SERVICE_KEYS = [
  ...['build', 'command', 'env_file', 'environment', 'volumes', 'tmpfs', 'read_only', 'cap_drop'],
  ...['security_opt', 'restart', 'stop_grace_period', 'image', 'ports', 'depends_on'],
]

test('Caddyfile: passes everything but the admin API on to the relay of compose.yaml', () => {
  const [, setting = '', service = '', port] =
    /^\{\$(\w+)\} \{\n.*respond @admin 404\n {4}reverse_proxy (\w+):(\d+)\n\}\n$/s.exec(
      read('Caddyfile'),
    ) ?? []
  expect(SETTINGS).toHaveProperty(setting)
  expect(parse(read('compose.yaml')).services).toHaveProperty(service)
  expect(port).toBe(instruction('EXPOSE'))
})

test('relay.env.example: a setting a line, each with what it is for', () => {
  const lines = read('relay.env.example').trimEnd().split('\n')
  const settings = lines.flatMap((text) => /^#?([A-Z_]+)=$/.exec(text)?.[1] ?? [])
  expect(settings.filter((name) => !(name in SETTINGS))).toEqual([])
  expect(lines.filter((text) => !/^(# .+|#?[A-Z_]+=)$/.test(text))).toEqual([])
  expect(settings).toContain('HOOKLINE_RELAY_KEY')
})

describe('hookline-relay.service', () => {
  const text = read('hookline-relay.service')

  test('has only what systemd knows', () => {
    let section = ''
    for (const each of text.split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
      const [, heading] = /^\[(\w+)\]$/.exec(each) ?? []
      const [, key] = /^(\w+)=(?:\S.*)?$/.exec(each) ?? []
      if (heading) section = heading
      const known = heading ? Object.keys(UNIT_KEYS) : UNIT_KEYS[section]
      expect([each, known]).toEqual([each, expect.arrayContaining([heading ?? key])])
    }
    const [, state] = /^StateDirectory=(\w+)$/m.exec(text) ?? []
    expect(text).toContain(`--outbox /var/lib/${state}/`)
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(text) ?? []
    expect(Number(seconds)).toBeGreaterThan(10)
  })

  const verified = existsSync('/usr/bin/systemd-analyze') ? test : test.skip
  verified('passes systemd itself', async () => {
    const file = join(folder, 'hookline-relay.service')
    const real = text.replace('/usr/bin/node /opt/hookline', `${process.execPath} ${folder}/clone`)
    await cp(join(DEPLOY, 'hookline-relay.service'), file)
    spawnSync('tee', [file], { input: real })
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    })
    // systemd may report problems of other units on a machine that does not run it.
    expect(stderr.split('\n').filter((said) => said.includes('hookline-relay.service:'))).toEqual(
      [],
    )
  })

  const started = NODE24 ? test : test.skip
  started('starts a relay with an outbox', async () => {
    const [, rest = ''] = /^ExecStart=\/usr\/bin\/node \/opt\/hookline\/(.*)$/m.exec(text) ?? []
    const given = rest
      .replace('--port 3000', '--port 0')
      .replace('/var/lib/hookline', folder)
      .split(' ')
    const env = { HOOKLINE_RELAY_KEY: relayKeys() }
    const child = spawn(NODE24 ?? '', given, { cwd: join(folder, 'clone'), env })
    expect(await line(child, 'listening')).toMatch(/^hookline relay listening on /)
    child.kill()
    await once(child, 'exit')
  })
})

/** Keys of systemd.unit(5), systemd.service(5) and systemd.exec(5) that a unit here may use. */
const UNIT_KEYS: Readonly<Record<string, readonly string[]>> = {
  Unit: ['Description', 'After', 'Wants', 'StartLimitIntervalSec'],
  Service: [
    ...['ExecStart', 'EnvironmentFile', 'StateDirectory', 'StateDirectoryMode', 'DynamicUser'],
    ...[
      'Restart',
      'RestartSec',
      'TimeoutStopSec',
      'NoNewPrivileges',
      'ProtectSystem',
      'ProtectHome',
    ],
    ...['PrivateTmp', 'PrivateDevices', 'ProtectClock', 'ProtectControlGroups', 'ProtectHostname'],
    ...['ProtectKernelLogs', 'ProtectKernelModules', 'ProtectKernelTunables', 'ProtectProc'],
    ...['LockPersonality', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictAddressFamilies'],
    ...['CapabilityBoundingSet', 'SystemCallArchitectures', 'SystemCallFilter'],
    ...['SystemCallErrorNumber', 'UMask'],
  ],
  Install: ['WantedBy'],
}

/** Programs that are not part of the package; a variable names their path, as for `act`. */
const RUNTIMES = [
  ['workerd.capnp', WORKERD, 'serve FILE --directory-path disk=DISK --socket-addr http=ADDRESS'],
] as const

describe.each(RUNTIMES)('%s', (name, program, words) => {
  const run = program ? test : test.skip
  run('serves the relay', async () => {
    const disk = join(folder, 'disk')
    await mkdir(disk, { recursive: true })
    const port = await freePort()
    const address = `127.0.0.1:${port}`
    const given = words
      .replace('FILE', join(folder, 'clone/deploy', name))
      .replace('DISK', disk)
      .replace('ADDRESS', address)
    const env = {
      ...{ HOST: '127.0.0.1', PORT: String(port), HOME: folder },
      HOOKLINE_RELAY_KEY: relayKeys(),
    }
    const stdio = ['ignore', 'ignore', 'inherit'] as const
    const child = spawn(program ?? '', given.split(' '), { env, stdio: [...stdio] })
    const answer = await firstAnswer(`http://${address}`)
    expect(JSON.parse(answer)).toMatchObject({
      ...{ dispatch: 'repository', outbox: name === 'workerd.capnp' },
      seal: '/.well-known/hookline-seal.json',
    })
    const target = '/octo/repo/hook/webhook'
    const refused = await send(`http://${address}`, { method: 'POST', target, body: '{}' })
    expect(refused).toMatchObject({ status: 401, body: expect.stringContaining('missing_token') })
    child.kill()
    await once(child, 'exit')
  })
})

/** The name and the arguments of each instruction, with continued lines joined. */
function instructions(text: string): [name: string, text: string][] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .trim()
    .split('\n')
  return lines.map((each) => {
    const [, name = '', rest = ''] = /^([A-Z]+) (\S.*)$/.exec(each) ?? []
    return [name, rest]
  })
}

function instruction(name: string): string | undefined {
  return instructions(read('Dockerfile')).find(([found]) => found === name)?.[1]
}

/** Runs the instructions of the image in a folder, and makes the folder read-only. */
async function carryOut(steps: readonly [string, string][], root: string): Promise<void> {
  let place = root
  for (const [name, text] of steps) {
    if (name === 'WORKDIR') place = join(root, text)
    if (name !== 'COPY') continue
    const [from = '', to = ''] = text.split(' ')
    const target = to.endsWith('/') ? join(place, to, from) : join(place, to)
    await mkdir(dirname(target), { recursive: true })
    await cp(join(folder, 'clone', from), target, { recursive: true })
  }
  spawnSync('chmod', ['-R', 'a-w', root])
}

/** Its words with this machine's `node`, and its paths below the folder. */
function inImage(words: readonly string[], root: string): string[] {
  return words.map((word) => {
    if (word === 'node') return NODE24 ?? ''
    return word.startsWith('/opt/') ? join(root, word) : word
  })
}

async function line(child: ChildProcess, part: string): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    if (text.includes(part)) return text.trim()
  }
  throw new Error(`it ended, and said: ${text}`)
}

async function firstAnswer(url: string): Promise<string> {
  for (let n = 0; n < 600; n++) {
    const answer = await fetch(`${url}/.well-known/hookline`).catch(() => undefined)
    if (answer) return answer.text()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('nothing listens')
}
