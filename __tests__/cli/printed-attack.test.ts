import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printed-'))
  await mkdir(join(folder, 'workflows'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs a command in the folder; returns all of its output. */
async function printedBy(name: string, args: readonly string[], env = {}): Promise<string> {
  const { stdout, stderr } = await runShared([name, ...args], { cwd: folder, env })
  return `${stdout}\n${stderr}`
}

/** Control characters of a terminal, and workflow commands of a runner. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\[/m

const EVIL = '\u009b31m \u009d0;title\u0007 \u202e ##[add-mask]x'
const SOURCE = `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: |
          ::add-mask::everything
          echo "${EVIL.replace('\u0007', '')}"
`

describe('control characters and workflow commands of a file are printed harmless:', () => {
  test.each([
    ['build', ['--check']],
    ['build', ['--check', '--json']],
    ['build', []],
    ['check', []],
    ['check', ['--json']],
  ])('%s %j', async (name, flags) => {
    await writeFile(join(folder, 'workflows/hook.yml'), SOURCE)
    await writeFile(
      join(folder, 'workflows/wrong.yml'),
      'on: {webhook: {method: "##[x] \u009b"}}\n',
    )
    const alone = name === 'build' ? ['workflows/hook.yml'] : []
    const printed = await printedBy(name, [...alone, ...flags])
    expect(printed).not.toMatch(OBEYED)
    expect(printed).toMatch(/hook\.yml|wrong\.yml/)
  })
})

const ONE = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
const AT = ['--repository', 'o/r'] as const
const ANY = ['--any-workflow', '--dispatch', 'repository'] as const

test.each([
  ['deliveries', []],
  ['deliveries', ['--json']],
  ['deliveries', ['show', ONE, ...AT]],
  ['deliveries', ['show', ONE, ...AT, '--json']],
  ['endpoint', ['list']],
  ['endpoint', ['list', '--json']],
  ['endpoint', ['show', 'o/orders']],
  ['endpoint', ['show', 'o/orders', '--url']],
  ['endpoint', ['show', 'o/orders', '--url', '--json']],
  ['endpoint', ['rotate', 'o/orders']],
  ['endpoint', ['create', 'orders', ...AT, ...ANY]],
  ['endpoint', ['create', 'orders', ...AT, ...ANY, '--json']],
  ['doctor', [...AT, '--endpoint', 'o/orders']],
  ['doctor', [...AT, '--endpoint', 'o/orders', '--json']],
] as const)(
  'control characters in the response of a relay are printed harmless: %s %j',
  async (name, args) => {
    const evil = `${EVIL}\n::error::x`
    const delivery = {
      ...{ id: evil, owner: evil, endpoint: evil, repository: evil, path: evil, method: evil },
      ...{ state: evil, reason: evil, receivedAt: evil, attempts: 2, nextAttemptAt: evil },
      ...{ run: evil, outcome: evil, conclusion: evil, credential: evil },
    }
    const endpoint = {
      ...{ owner: evil, name: evil, repository: evil, workflow: evil, trigger: evil },
      ...{ if: evil, verify: [evil], firstEvent: evil },
    }
    const answer = {
      ...{ deliveries: [delivery], delivery, payload: { body: `\n::stop-commands::x\n${EVIL}` } },
      ...{ endpoints: [endpoint], endpoint, url: `https://relay.example/${evil}`, next: null },
      ...{ credential: { failing: evil }, warnings: [evil], imbalance: evil },
      alarms: [{ alarm: evil, subject: evil, since: evil }],
    }
    const printed = await printedByRelay(name, args, (_, response) => {
      response.end(JSON.stringify(answer))
    })
    expect(printed).not.toMatch(OBEYED)
    expect(printed).toContain('31m')
  },
)

/** The output of a command whose relay is a stand-in. */
async function printedByRelay(
  name: string,
  args: readonly string[],
  respond: RequestListener,
): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const env = { HOOKLINE_RELAY_KEY: 'A'.repeat(43), HOOKLINE_API_URL: url }
  try {
    const given = args.map((arg) => arg.replace('<relay>', url))
    const relay = name === 'send' ? [] : ['--relay', url]
    return await printedBy(name, [...given, ...relay], env)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test.each([
  ['deliveries', []],
  ['deliveries', ['--json']],
  ['deliveries', ['show', ONE, ...AT]],
  ['deliveries', ['replay', ONE, ...AT]],
  ['deliveries', ['delete', ONE, ...AT, '--yes']],
  ['endpoint', ['list']],
  ['endpoint', ['create', 'orders', ...AT, ...ANY]],
  ['endpoint', ['create', 'orders', ...AT, ...ANY, '--json']],
  ['endpoint', ['show', 'o/orders']],
  ['endpoint', ['update', 'o/orders', '--expect', '3d']],
  ['endpoint', ['delete', 'o/orders']],
  ['doctor', [...AT, '--endpoint', 'o/orders']],
  ['send', ['<relay>/-/o/0123456789012345678901', '--data', '{}']],
] as const)(
  'control characters in the refusal of a relay are printed harmless: %s %j',
  async (name, args) => {
    const evil = `${EVIL}\n::error::x`
    const printed = await printedByRelay(name, args, (_, response) => {
      response.statusCode = 409
      response.end(JSON.stringify({ error: { code: evil, message: evil, hint: evil } }))
    })
    expect(printed).not.toMatch(OBEYED)
    expect(printed).toContain('31m')
  },
)

test('control characters in the headers of a relay are printed harmless: send --wait', async () => {
  const printed = await printedByRelay(
    'send',
    ['<relay>/hook/webhook', '--data', '{}', '--wait'],
    ({ url = '' }, response) => {
      response.statusCode = url.includes('/repos/') ? 403 : 200
      response.setHeader('x-hookline-delivery', 'd')
      response.setHeader('x-hookline-batch', '\u009b31m ##[error]x')
      response.setHeader('x-hookline-run', 'https://h/o\u009b31m/r/actions/runs/7')
      response.end('{}')
    },
  )
  expect(printed).not.toMatch(OBEYED)
  expect(printed).toContain('31m')
})

test.each([
  ['credential_required', 'Add --credential token'],
  ['invalid_endpoint', 'the text of the relay'],
])('endpoint create knows the refusal %s by its code', async (code, hint) => {
  const printed = await printedByRelay(
    'endpoint',
    ['create', 'orders', ...AT, ...ANY],
    (_, response) => {
      response.statusCode = 400
      const text = 'the text of the relay, in which "token" is missing'
      response.end(JSON.stringify({ error: { code, message: text, hint: text } }))
    },
  )
  expect(printed).toContain(hint)
})

test.each(['not an address', 'javascript:alert(1)', 'https://['])(
  'a URL that is none is not printed: %s',
  async (url) => {
    const printed = await printedByRelay(
      'endpoint',
      ['create', 'orders', ...AT, ...ANY],
      (_, response) => void response.end(JSON.stringify({ endpoint: {}, url })),
    )
    expect(printed).toContain('is not a relay')
    expect(printed).not.toContain(url)
  },
)

test.each([
  ['deliveries', []],
  ['deliveries', ['show', ONE, ...AT]],
  ['deliveries', ['show', ONE, ...AT, '--json']],
  ['deliveries', ['replay', ONE, ...AT]],
  ['endpoint', ['list']],
  ['endpoint', ['show', 'o/orders']],
] as const)('a response that lacks its fields is not of a relay: %s %j', async (name, args) => {
  const printed = await printedByRelay(name, args, (_, response) => void response.end('{}'))
  expect(printed).toContain('is not a relay')
})

test('every command prints untrusted JSON by printableJson', () => {
  // `init` prints only values of its own arguments.
  const own = new Set(['init.ts'])
  const folder = new URL('../../src/cli/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !own.has(name))
  const raw = files.flatMap((name) =>
    readFileSync(new URL(name, folder), 'utf8')
      .split('\n')
      .filter((line) => /(?:print|write)\(.*JSON\.stringify/.test(line))
      .filter((line) => !/printableJson\(JSON\.stringify/.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  )
  expect(raw).toEqual([])
})

test('check --fix follows no link to write a source', async () => {
  const outside = join(folder, 'outside')
  await writeFile(outside, 'precious')
  await writeFile(
    join(folder, 'workflows/hook.yml'),
    'on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "${{ on.webhook.outputs.body }}"\n',
  )
  await symlink('../outside', join(folder, 'workflows/hook.yml.part'))
  await printedBy('check', ['--fix'])
  expect(await readFile(outside, 'utf8')).toBe('precious')
  expect(await readFile(join(folder, 'workflows/hook.yml'), 'utf8')).toContain('env:')
  await expect(readlink(join(folder, 'workflows/hook.yml'))).rejects.toThrow()
})
