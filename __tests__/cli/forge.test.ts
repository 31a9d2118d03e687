import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { forgeHere } from '../../src/cli/forge.ts'
import { parseOrigin } from '../../src/cli/origin.ts'
import { CLI_BUNDLE, RunningCommand, runShared } from '../support/cli.ts'
import { ACTION_NODE } from '../support/node24.ts'
import { STARTED_DIRECTLY } from './doctor/stand-in.ts'

/** Every host that a command talks to is a stand-in on this machine; a clone's remote names it. */

const TOKEN = `ghp_${'F'.repeat(36)}`

interface Call {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
}

/** The forges that a host can be, by its responses to the two requests that detect it. */
type Kind = 'Forgejo' | 'Gitea' | 'GitHub Enterprise Server' | 'GitLab'
const VERSIONS: Partial<Record<Kind, string>> = { Forgejo: '9.0.3+gitea-1.22.0', Gitea: '1.24.2' }

let kind: Kind
const calls: Call[] = []
const server = createServer(async (request, response) => {
  for await (const _ of request);
  const { method = '', url = '', headers } = request
  calls.push({ method, url, authorization: headers.authorization })
  const json = (status: number, value: object, more = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...more })
      .end(JSON.stringify(value))
  const version = VERSIONS[kind]
  if (url === '/api/v1/version' && version) return json(200, { version })
  if (url === '/api/v3/meta' && kind === 'GitHub Enterprise Server') {
    return json(200, {}, { 'x-github-enterprise-version': '3.20.0' })
  }
  if (url.startsWith('/api/v3/repos/octo/shop/actions/runs'))
    return json(200, { workflow_runs: [] })
  if (url === '/api/v1/repos/octo/shop') return json(200, { default_branch: 'main' })
  if (url.includes('/dispatches') && version) {
    const page = `${host()}/octo/shop/actions/runs/4`
    return json(kind === 'Gitea' ? 200 : 201, { id: 9, run_number: 4, html_url: page, jobs: [] })
  }
  return json(404, { message: 'Not Found' })
})
const host = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

let folder: string
beforeEach(() => {
  calls.length = 0
  kind = 'GitHub Enterprise Server'
  folder = mkdtempSync(join(tmpdir(), 'hookline-forge-'))
  mkdirSync(join(folder, '.github/workflows'), { recursive: true })
  const env = { PATH: process.env.PATH, HOME: folder }
  for (const args of [
    ['init', '-q'],
    ['remote', 'add', 'origin', `${host()}/octo/shop.git`],
  ]) {
    execFileSync('git', args, { cwd: folder, env })
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runShared([...args], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, ...env },
  })

test.each([
  ['https://github.com/octo/shop.git', 'https://github.com'],
  ['git@github.com:octo/shop.git', 'https://github.com'],
  ['ssh://git@ssh.github.com:443/octo/shop.git', 'https://github.com'],
  ['git@github.example.com:octo/shop', 'https://github.example.com'],
  ['git://github.example.com/octo/shop.git', 'https://github.example.com'],
  ['git+ssh://git@github.example.com/octo/shop.git', 'https://github.example.com'],
  ['ssh://git@github.example.com:2222/octo/shop.git', 'https://github.example.com'],
  ['https://user:secret@octo.ghe.com/octo/shop/', 'https://octo.ghe.com'],
  ['http://127.0.0.1:3000/octo/shop.git', 'http://127.0.0.1:3000'],
  ['https://example.com/git/octo/shop.git', 'https://example.com/git'],
  ['git@work:octo/shop.git', undefined],
  ['/srv/git/octo/shop.git', undefined],
])('the remote %s is at %s', (remote, webUrl) => {
  expect(parseOrigin(remote)).toEqual({ repository: 'octo/shop', webUrl })
})

test.each([
  ['https://codeberg.org/my.org/shop.git', 'my.org/shop'],
  ['git@codeberg.org:my.org/shop.git', 'my.org/shop'],
  ['ssh://git@codeberg.org:2222/my.org/shop', 'my.org/shop'],
  ['https://codeberg.org/shop.git', undefined],
  ['../../shop.git', undefined],
])('the remote %s is of the repository %s', (remote, repository) => {
  expect(parseOrigin(remote)?.repository).toBe(repository)
})

describe('the forge', () => {
  test.each([
    ['https://github.com', {}, 'github', 'https://api.github.com/', 'https://github.com'],
    ['https://octo.ghe.com', {}, 'github', 'https://api.octo.ghe.com/', 'https://octo.ghe.com'],
    [undefined, {}, 'github', 'https://api.github.com/', 'https://github.com'],
    [
      undefined,
      { GH_HOST: 'octo.ghe.com' },
      'github',
      'https://api.octo.ghe.com/',
      'https://octo.ghe.com',
    ],
    [
      'https://github.com',
      { GH_HOST: 'octo.ghe.com' },
      'github',
      'https://api.github.com/',
      'https://github.com',
    ],
    [
      'https://git.test',
      { HOOKLINE_FORGE: 'github' },
      'github',
      'https://git.test/api/v3',
      'https://git.test',
    ],
    [
      'https://git.test',
      { HOOKLINE_FORGE: 'gitea' },
      'gitea',
      'https://git.test/api/v1',
      'https://git.test',
    ],
    [
      ...['https://github.com', { HOOKLINE_API_URL: 'https://git.test/api/v3' }],
      ...['github', 'https://git.test/api/v3', 'https://git.test'],
    ],
    [
      ...['https://github.com', { HOOKLINE_API_URL: 'https://codeberg.org/api/v1' }],
      ...['forgejo', 'https://codeberg.org/api/v1', 'https://codeberg.org'],
    ],
    [
      ...[undefined, { GITHUB_API_URL: 'https://api.octo.ghe.com' }],
      ...['github', 'https://api.octo.ghe.com/', 'https://octo.ghe.com'],
    ],
  ] as const)('of %s with %j is %s at %s', async (webUrl, env, itsKind, api, web) => {
    const forge = await forgeHere(env, { repository: 'octo/shop', webUrl })
    expect([forge.kind, forge.apiUrl.href, forge.webUrl]).toEqual([itsKind, api, web])
  })

  test.each([
    ['Forgejo', 'forgejo', '/api/v1'],
    ['Gitea', 'gitea', '/api/v1'],
    ['GitHub Enterprise Server', 'github', '/api/v3'],
  ] as const)('of an unknown host is asked without a token: %s', async (its, itsKind, api) => {
    kind = its
    const env = { HOOKLINE_GITHUB_TOKEN: TOKEN, GH_TOKEN: TOKEN }
    const forge = await forgeHere(env, { repository: 'octo/shop', webUrl: host() })
    expect([forge.kind, forge.apiUrl.href]).toEqual([itsKind, host() + api])
    expect(calls.every(({ authorization }) => authorization === undefined)).toBe(true)
  })
})

test('a host that GH_HOST names is not said to be the git remote', async () => {
  const args = ['doctor', '--repository', 'octo/repo']
  const { exitCode, stderr } = await runShared(args, {
    cwd: tmpdir(),
    env: { GH_HOST: 'localhost:1' },
  })
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('GH_HOST names localhost:1,')])
})

describe('in a clone from another host', () => {
  const NONE = {
    ...{ HOOKLINE_GITHUB_TOKEN: TOKEN, GH_TOKEN: TOKEN, GITHUB_TOKEN: TOKEN },
    ...{ GH_ENTERPRISE_TOKEN: TOKEN, GITHUB_ENTERPRISE_TOKEN: TOKEN },
  }

  test.each([
    ['doctor', []],
    ['connect', ['--yes']],
  ])('GitLab: %s asks nobody about the repository, and says why', async (command, args) => {
    kind = 'GitLab'
    const { exitCode, stderr } = await run([command, ...args], NONE)
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/neither GitHub nor Forgejo/)])
    expect(calls.map(({ url }) => url).toSorted()).toEqual(['/api/v1/version', '/api/v3/meta'])
    expect(calls.every(({ authorization }) => authorization === undefined)).toBe(true)
  })

  describe('init', () => {
    const written = async (itsKind: Kind, ...args: string[]) => {
      kind = itsKind
      const { stdout, stderr } = await run(['init', ...args])
      const [, file = ''] = /^Wrote (.*)$/m.exec(stdout) ?? []
      const text = readFileSync(join(folder, file), 'utf8')
      rmSync(join(folder, file))
      return { text, stdout, stderr }
    }

    test.each(['Forgejo', 'Gitea'] as const)(
      'on %s writes a workflow that starts there',
      async (itsKind) => {
        const { text, stderr } = await written(itsKind)
        expect(text).toContain('workflow_dispatch:')
        expect(text).not.toContain('repository_dispatch')
        expect(text).toContain('uses: https://github.com/hookline/hookline@')
        expect(stderr).toContain(`is ${itsKind}: workflow_dispatch starts the workflow`)
      },
    )

    test.each([
      ['a sender', ['--sender', 'stripe'], 'STRIPE_SIGNING_SECRET'],
      ['a bot', ['--kind', 'bot'], 'BOT_TOKEN'],
    ])('on Forgejo names its pages, and no command of gh, for %s', async (_, args, secret) => {
      const { stdout } = await written('Forgejo', ...args)
      expect(stdout).toContain(`  ${secret} at ${host()}/octo/shop/settings/actions/secrets\n`)
      expect(stdout).not.toMatch(/^ +gh /m)
    })

    test('on Forgejo names the forge for the compiler', async () => {
      const { text } = await written('Forgejo', '--kind', 'compiled')
      expect(text).toMatch(/^hookline:\n {2}forge: forgejo\n {2}dispatch: workflow$/m)
    })

    test('on Forgejo writes a bot that polls', async () => {
      const { text } = await written('Forgejo', '--kind', 'bot')
      expect(text).toContain('uses: https://github.com/hookline/hookline@')
    })

    test.each(['GitHub Enterprise Server', 'GitLab'] as const)(
      'on %s is as on GitHub',
      async (itsKind) => {
        const { text, stderr } = await written(itsKind)
        expect([text.includes('repository_dispatch'), stderr]).toEqual([true, ''])
      },
    )
  })

  test('GitHub Enterprise Server: doctor sends it no token of github.com', async () => {
    const { exitCode, stderr } = await run(['doctor'], NONE)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`export HOOKLINE_API_URL=${host()}/api/v3`)
    expect(calls.every(({ authorization }) => authorization === undefined)).toBe(true)
  })

  const ENDPOINT = [
    'endpoint',
    'create',
    'orders',
    '--repository',
    'octo/shop',
    '--workflow',
    'hook',
  ]

  test.each([
    [{}, undefined, /GH_ENTERPRISE_TOKEN is not used for 127.0.0.1:\d+, because neither GH_HOST/],
    [{ GH_HOST: 'github.example.com' }, undefined, /is not used for 127.0.0.1:\d+/],
    [{ GH_HOST: () => new URL(host()).host }, `Bearer ${TOKEN}`, /does not exist/],
    [{ HOOKLINE_API_URL: () => `${host()}/api/v3` }, `Bearer ${TOKEN}`, /does not exist/],
  ])(
    'GitHub Enterprise Server: endpoint create with %j sends %s',
    async (given, authorization, message) => {
      const settings = Object.entries(given).map(([name, value]) => {
        return [name, typeof value === 'function' ? value() : value] as const
      })
      const env = { GH_ENTERPRISE_TOKEN: TOKEN, ...Object.fromEntries(settings) }
      const { exitCode, stderr } = await run([...ENDPOINT, '--relay', 'http://127.0.0.1:9'], {
        ...env,
        HOOKLINE_RELAY_KEY: Buffer.alloc(32, 1).toString('base64'),
      })
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
      const asked = calls.filter(({ url }) => url.startsWith('/api/v3/repos/'))
      expect(asked.length).toBeGreaterThan(0)
      expect(new Set(asked.map((call) => call.authorization))).toEqual(new Set([authorization]))
    },
  )

  test('GitHub Enterprise Server: connect asks gh for the token of this host', async () => {
    writeFileSync(join(folder, 'gh'), `#!/bin/sh\necho "$@" >> '${folder}/asked'\nexit 1\n`, {
      mode: 0o755,
    })
    const { stderr } = await run(['connect', '--yes'], NONE)
    const name = new URL(host()).host
    expect(stderr).toMatch(
      new RegExp(`not used for ${name}[\\s\\S]*gh auth login --hostname ${name}`),
    )
    expect(stderr).toContain(`${host()}/settings/personal-access-tokens/new`)
    expect(calls.every(({ authorization }) => authorization === undefined)).toBe(true)
  })

  test.each([
    ['Forgejo', 'doctor'],
    ['Gitea', 'doctor'],
  ] as const)('%s: %s says that it works only with GitHub', async (its, command) => {
    kind = its
    const { exitCode, stderr } = await run([command], {})
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`is ${its}`)])
  })

  test.each(['Forgejo', 'Gitea'] as const)(
    '%s: connect starts the run by workflow_dispatch, and names it',
    async (its) => {
      kind = its
      writeFileSync(join(folder, '.github/workflows/hook.yml'), STARTED_DIRECTLY)
      const env = {
        ...{ PATH: process.env.PATH ?? '', HOME: folder, HOOKLINE_GITHUB_TOKEN: TOKEN },
        HOOKLINE_API_URL: `${host()}/api/v1`,
      }
      const publicUrl = ['--public-url', 'https://hooks.example.com', '--port', '0']
      const running = new RunningCommand(['connect', '--json', '--send-test', ...publicUrl], {
        cwd: folder,
        env,
        as: (words) => [ACTION_NODE, CLI_BUNDLE, ...words],
      })
      running.process.stdin?.end()
      await running.printed(/"event":"(?:run|request".*"status":[345])".*\n/)
      const last = JSON.parse(running.stdout.trim().split('\n').at(-1) ?? '')
      expect(last).toMatchObject({ run: `${host()}/octo/shop/actions/runs/4` })
      expect(last.reason).toContain('open its page')
      expect(
        calls.some(({ url }) =>
          url.includes('/repos/octo/shop/actions/workflows/hook.yml/dispatches'),
        ),
      ).toBe(true)
      await running.stop()
    },
  )
})
