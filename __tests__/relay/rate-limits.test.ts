import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { DATABASE_RUNTIMES } from '../support/database-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'

/** Tests from outside that the relay spares GitHub calls, with a database and without. */

type Start = (url: string) => Promise<{ readonly url: string; close(): Promise<unknown> }>

const RELAYS: readonly (readonly [string, boolean, boolean, Start])[] = [
  ...RUNTIMES.map(([name, start]) => {
    const here: Start = (url) => start({ env: { HOOKLINE_API_URL: url } })
    return [`${name}, without a database`, false, true, here] as const
  }),
  ...DATABASE_RUNTIMES.map(({ name, isThere, start }) => {
    const here: Start = (url) => start({ HOOKLINE_API_URL: url })
    return [`${name}, with a database`, true, isThere, here] as const
  }),
]

const REPOSITORIES = Array.from({ length: 10 }, (_, n) => `repository-${n}`)
/** The number of requests with each token. */
const REQUESTS = 5

describe.each(RELAYS)('on %s', (_name, keeps, isThere, start) => {
  const run = isThere ? test : test.skip
  let github: GitHub
  let relay: Awaited<ReturnType<Start>>
  beforeAll(async () => {
    github = await startGitHub()
    if (isThere) relay = await start(github.url)
  })
  afterEach(() => github.reset())
  afterAll(async () => {
    await relay?.close()
    await github.close()
  })

  const hook = (name: string, token: string) =>
    send(relay.url, {
      ...{ method: 'POST', target: `/octo/${name}/hook/webhook`, body: '{}' },
      headers: [['X-Platform-Authorization', token]],
    })
  const all = async (token: string) => {
    const answers = await Promise.all(
      REPOSITORIES.flatMap((name) => Array.from({ length: REQUESTS }, () => hook(name, token))),
    )
    return answers
  }

  run.each([
    [
      'Retry-After: 60',
      'ghp_of-a-sender-with-many-repositories',
      { status: 429, headers: { 'retry-after': '60' } },
    ],
    [
      'too many failed logins, for a token that is valid',
      'ghp_of-another-sender-with-as-many',
      {
        status: 403,
        body: '{"message":"Maximum number of login attempts exceeded. Please try again later."}',
      },
    ],
  ])('%s holds all calls of a token, whatever the repository', async (_limit, token, limit) => {
    for (const name of REPOSITORIES) expect((await hook(name, token)).status).toBe(200)
    github.reset()
    github.always(limit)
    const first = await hook('repository-0', token)
    expect(first.status).toBe(keeps ? 202 : 429)
    const answers = await all(token)
    // By now, a queue that resumed has called GitHub.
    await sleep(1000)
    expect(github.calls).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([first.status]))
    if (keeps) return
    for (const { headers, body } of answers) {
      expect(JSON.parse(body).error.code).toBe('rate_limited')
      expect(Number(headers['retry-after'])).toBeGreaterThan(50)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
  })

  run('a token that GitHub does not know is asked with once a minute', async () => {
    github.always({ status: 401, body: '{"message":"Bad credentials"}' })
    const madeUp = 'ghp_that-somebody-made-up'
    expect((await hook('repository-0', madeUp)).status).toBe(401)
    const answers = await all(madeUp)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    expect(github.calls).toHaveLength(1)
  })
})
