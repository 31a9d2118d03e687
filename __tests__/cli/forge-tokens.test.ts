import { describe, expect, jest, test } from '@jest/globals'
import { forgeHere } from '../../src/cli/forge.ts'
import {
  chooseToken,
  readingToken,
  refusePlainText,
  tokenOfGh,
  trustedForge,
} from '../../src/cli/forge-tokens.ts'

/** Every variable with a token, each with another value. */
const ALL = {
  HOOKLINE_GITHUB_TOKEN: 'of-hookline',
  GH_TOKEN: 'of-gh',
  GITHUB_TOKEN: 'of-github',
  GH_ENTERPRISE_TOKEN: 'of-gh-enterprise',
  GITHUB_ENTERPRISE_TOKEN: 'of-github-enterprise',
}
const ENTERPRISE = { GH_ENTERPRISE_TOKEN: 'of-gh-enterprise' }
const HOOKLINE = { HOOKLINE_GITHUB_TOKEN: 'of-hookline' }
const NONE = undefined

const GHES = 'https://ghes.example'
const EVIL = 'https://evil.example'

interface Scene {
  readonly origin?: string
  readonly GH_HOST?: string
  readonly HOOKLINE_API_URL?: string
  readonly GITHUB_API_URL?: string
  readonly HOOKLINE_SERVER_URL?: string
  readonly tokens: Readonly<Record<string, string>>
}

async function chosen({ origin, tokens, ...others }: Scene) {
  // The kind of host is given, because a host of a table does not respond.
  const env = { ...tokens, ...others, HOOKLINE_FORGE: 'github' }
  const forge = await forgeHere(env, { repository: 'octo/shop', webUrl: origin })
  const start = chooseToken(forge, 'start', env)
  const read = chooseToken(forge, 'read', env)
  return {
    api: forge.apiUrl.href.replace(/\/$/, ''),
    start: start.chosen?.from,
    read: read.chosen?.from,
    withheld: read.withheld.map(({ message, hint }) => `${message}: ${hint}`),
  }
}

describe('which token goes to which host:', () => {
  const cloud = 'https://api.github.com'
  const ghes = `${GHES}/api/v3`
  const evil = `${EVIL}/api/v3`
  test.each<[Scene, string, string | undefined, string | undefined]>([
    // github.com
    [{ tokens: ALL }, cloud, 'HOOKLINE_GITHUB_TOKEN', 'GH_TOKEN'],
    [{ origin: 'https://github.com', tokens: ALL }, cloud, 'HOOKLINE_GITHUB_TOKEN', 'GH_TOKEN'],
    [{ origin: 'http://github.com', tokens: ALL }, cloud, 'HOOKLINE_GITHUB_TOKEN', 'GH_TOKEN'],
    [{ origin: 'https://github.com', tokens: ENTERPRISE }, cloud, NONE, NONE],
    [
      { origin: 'https://github.com', GH_HOST: 'ghes.example', tokens: ENTERPRISE },
      ...([cloud, NONE, NONE] as const),
    ],
    // ghe.com
    [
      { origin: 'https://octo.ghe.com', tokens: ALL },
      ...(['https://api.octo.ghe.com', NONE, 'GH_TOKEN'] as const),
    ],
    [
      { origin: 'https://octo.ghe.com', tokens: ENTERPRISE },
      ...(['https://api.octo.ghe.com', NONE, NONE] as const),
    ],
    // The clone names a host that nothing else names.
    [{ origin: EVIL, tokens: ALL }, evil, NONE, NONE],
    [{ origin: EVIL, GH_HOST: 'ghes.example', tokens: ALL }, evil, NONE, NONE],
    [{ origin: EVIL, GH_HOST: 'evil.example.org', tokens: ALL }, evil, NONE, NONE],
    [
      { origin: `${EVIL}:8443`, GH_HOST: 'evil.example', tokens: ALL },
      `${EVIL}:8443/api/v3`,
      NONE,
      NONE,
    ],
    [
      { origin: 'https://api.github.com.evil.example', tokens: ALL },
      'https://api.github.com.evil.example/api/v3',
      NONE,
      NONE,
    ],
    [{ origin: 'https://evilghe.com', tokens: ALL }, 'https://evilghe.com/api/v3', NONE, NONE],
    // GH_HOST names it.
    [{ origin: GHES, GH_HOST: 'ghes.example', tokens: ALL }, ghes, NONE, 'GH_ENTERPRISE_TOKEN'],
    [{ origin: GHES, GH_HOST: 'GHES.example', tokens: ALL }, ghes, NONE, 'GH_ENTERPRISE_TOKEN'],
    [{ GH_HOST: 'ghes.example', tokens: ALL }, ghes, NONE, 'GH_ENTERPRISE_TOKEN'],
    [
      { GH_HOST: 'ghes.example', tokens: { GITHUB_ENTERPRISE_TOKEN: 'x' } },
      ...([ghes, NONE, 'GITHUB_ENTERPRISE_TOKEN'] as const),
    ],
    // HOOKLINE_API_URL names it, whatever the clone says.
    [
      { origin: EVIL, HOOKLINE_API_URL: ghes, tokens: ALL },
      ...([ghes, 'HOOKLINE_GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN'] as const),
    ],
    [
      { origin: EVIL, HOOKLINE_API_URL: ghes, tokens: HOOKLINE },
      ...([ghes, 'HOOKLINE_GITHUB_TOKEN', 'HOOKLINE_GITHUB_TOKEN'] as const),
    ],
    [
      { origin: EVIL, HOOKLINE_API_URL: ghes, tokens: { GH_TOKEN: 'of-gh' } },
      ...([ghes, NONE, NONE] as const),
    ],
    // The address of its pages does not make another host github.com.
    [
      {
        ...{ HOOKLINE_API_URL: evil, HOOKLINE_SERVER_URL: 'https://github.com' },
        tokens: { GH_TOKEN: 'of-gh' },
      },
      ...([evil, NONE, NONE] as const),
    ],
    // A runner names its own API.
    [
      { origin: GHES, GITHUB_API_URL: ghes, tokens: { GITHUB_TOKEN: 'of-runner' } },
      ...([ghes, NONE, 'GITHUB_TOKEN'] as const),
    ],
    [{ origin: GHES, GITHUB_API_URL: ghes, tokens: ENTERPRISE }, ghes, NONE, NONE],
    // http
    [
      { origin: 'http://ghes.example', GH_HOST: 'ghes.example', tokens: ALL },
      ...(['http://ghes.example/api/v3', NONE, NONE] as const),
    ],
    [
      { HOOKLINE_API_URL: 'http://ghes.example/api/v3', tokens: ALL },
      ...(['http://ghes.example/api/v3', 'HOOKLINE_GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN'] as const),
    ],
    [
      { origin: 'http://127.0.0.1:3000', GH_HOST: '127.0.0.1:3000', tokens: ALL },
      ...(['http://127.0.0.1:3000/api/v3', NONE, 'GH_ENTERPRISE_TOKEN'] as const),
    ],
    [{ origin: 'http://127.0.0.1:3000', tokens: ALL }, 'http://127.0.0.1:3000/api/v3', NONE, NONE],
  ])('%j', async (scene, api, start, read) => {
    expect(await chosen(scene)).toMatchObject({ api, start, read })
  })
})

describe('a token that is withheld is told with its cure:', () => {
  test.each<[Scene, string[]]>([
    [
      { origin: EVIL, tokens: ENTERPRISE },
      [
        'GH_ENTERPRISE_TOKEN is not used for evil.example, because neither GH_HOST nor HOOKLINE_API_URL names this host: If it is for evil.example, run: export GH_HOST=evil.example',
      ],
    ],
    [
      { origin: GHES, tokens: { GH_TOKEN: 'of-gh' } },
      [
        'GH_TOKEN is not used for ghes.example, because it is for github.com and ghe.com: Set GH_ENTERPRISE_TOKEN to a token of ghes.example, and run: export GH_HOST=ghes.example',
      ],
    ],
    [
      { origin: 'https://github.com', tokens: ENTERPRISE },
      [
        'GH_ENTERPRISE_TOKEN is not used for github.com, because it is for GitHub Enterprise Server: Set GH_TOKEN to a token of github.com.',
      ],
    ],
    [
      { origin: 'https://octo.ghe.com', tokens: HOOKLINE },
      [
        'HOOKLINE_GITHUB_TOKEN is not used for octo.ghe.com, because it may be of github.com: If it is for octo.ghe.com, run: export HOOKLINE_API_URL=https://api.octo.ghe.com/',
      ],
    ],
    [
      { origin: 'http://ghes.example', GH_HOST: 'ghes.example', tokens: ENTERPRISE },
      [
        'GH_ENTERPRISE_TOKEN is not sent to ghes.example, because the git remote "origin" is an http address: Run: export HOOKLINE_API_URL=https://ghes.example/api/v3',
      ],
    ],
  ])('%j', async (scene, messages) => {
    expect((await chosen(scene)).withheld).toEqual(messages)
  })

  test('no message contains a token', async () => {
    const { withheld } = await chosen({ origin: EVIL, tokens: ALL })
    expect(withheld).toHaveLength(5)
    for (const token of Object.values(ALL)) expect(withheld.join('\n')).not.toContain(token)
  })
})

describe('over http', () => {
  /** The name of the token that is chosen for reading, and the warnings. */
  async function printed(env: Record<string, string>, webUrl: string | undefined) {
    const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      const all = { ...env, HOOKLINE_FORGE: 'github' }
      const forge = await forgeHere(all, { repository: 'octo/shop', webUrl })
      const from = readingToken(forge, all)?.from
      return [from, write.mock.calls.join('\n')]
    } finally {
      write.mockRestore()
    }
  }

  test.each([
    ['http://ghes.example/api/v3', /ghes\.example over http, so anyone on the way can read them/],
    ['https://ghes.example/api/v3', /^$/],
    ['http://127.0.0.1:3000/api/v3', /^$/],
    ['http://localhost:3000/api/v3', /^$/],
    ['http://[::1]:3000/api/v3', /^$/],
  ])('to %s, which was given, the warning is %s', async (HOOKLINE_API_URL, warning) => {
    const found = await printed({ ...HOOKLINE, HOOKLINE_API_URL }, undefined)
    expect(found).toEqual(['HOOKLINE_GITHUB_TOKEN', expect.stringMatching(warning)])
  })

  test('a git remote gets no token, and gh is not asked', async () => {
    const forge = await forgeHere(
      { HOOKLINE_FORGE: 'github' },
      { repository: 'octo/shop', webUrl: 'http://ghes.example' },
    )
    const asked: string[] = []
    const ask = (host: string) => {
      asked.push(host)
      return 'of-gh'
    }
    expect([tokenOfGh(forge, ask), asked]).toEqual([undefined, []])
    expect(() => trustedForge(forge, HOOKLINE)).toThrow('is not sent to ghes.example')
    expect(() => refusePlainText(forge, 'the private key')).toThrow('the private key is not sent')
  })
})

test.each([
  ['https://api.github.com', 'github.com'],
  ['https://api.octo.ghe.com', 'octo.ghe.com'],
  ['https://ghes.example/api/v3', 'ghes.example'],
  // Its pages are at HOOKLINE_SERVER_URL; its API gets no token of github.com.
  ['http://127.0.0.1:3000', '127.0.0.1:3000'],
])('gh is asked for its token of the host of %s: %s', async (HOOKLINE_API_URL, host) => {
  const env = { HOOKLINE_API_URL, HOOKLINE_SERVER_URL: 'https://github.com' }
  const forge = await forgeHere(env, { repository: 'octo/shop', webUrl: undefined })
  expect(tokenOfGh(forge, (asked) => `of-${asked}`)?.token.reveal()).toBe(`of-${host}`)
})

test('an App of github.com is not used elsewhere', async () => {
  const env = { HOOKLINE_APP_ID: '7', HOOKLINE_FORGE: 'github' }
  const forge = await forgeHere(env, { repository: 'octo/shop', webUrl: GHES })
  expect(() => trustedForge(forge, env)).toThrow(/HOOKLINE_APP_ID is not used for ghes.example/)
})
