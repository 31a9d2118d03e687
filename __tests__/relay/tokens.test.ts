import { describe, expect, test } from '@jest/globals'
import { base64Forms } from '../../src/wire/secret.ts'
import { fc } from '../support/properties.ts'
import { type RawRequest, send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe.each(RUNTIMES)('the token at a relay on %s', (_, start) => {
  const at = scene(start)
  const sendBare = (request: RawRequest) => send(at.relay.url, request)

  test.each([
    ['in the query', `${HOOK}?__token=abc`, [], 'abc'],
    ['in the query, encoded', `${HOOK}?%5f%5ftoken=a%2Dc`, [], 'a-c'],
    ['bare', HOOK, [['X-Platform-Authorization', 'abc']], 'abc'],
    ['with the word token', HOOK, [['X-Platform-Authorization', 'token abc']], 'abc'],
    ['with the word Bearer', HOOK, [['x-platform-authorization', 'BEARER  abc']], 'abc'],
    ['with a tab', HOOK, [['X-Platform-Authorization', 'token \tabc']], 'abc'],
    ['with another one', HOOK, [['X-Platform-Authorization', 'abc,def']], 'abc'],
    ['in the alias', HOOK, [['X-Github-Authorization', 'Bearer abc']], 'abc'],
    ['in header and query', `${HOOK}?__token=query`, [['X-Github-Authorization', 'abc']], 'abc'],
    [
      'in an empty header and the query',
      `${HOOK}?__token=abc`,
      [['X-Platform-Authorization', '']],
      'abc',
    ],
    [
      'in both headers',
      HOOK,
      [
        ['X-Github-Authorization', 'alias'],
        ['X-Platform-Authorization', 'abc'],
      ],
      'abc',
    ],
  ] as const)('%s', async (_, target, headers, token) => {
    expect((await sendBare({ target, headers })).status).toBe(200)
    expect(at.github.calls[0]?.headers).toMatchObject(bearer(token))
  })

  test.each([
    ['none', HOOK, []],
    ['an empty one', `${HOOK}?__token=`, []],
    ['peers’ fault: the sender’s own Authorization', HOOK, [['Authorization', 'Bearer abc']]],
    ['a cookie', HOOK, [['Cookie', '__token=abc']]],
  ] as const)('%s: 401 missing_token, nothing dispatched', async (_, target, headers) => {
    const answer = await sendBare({ target, headers })
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.body).error.code).toBe('missing_token')
    expect(at.github.calls).toHaveLength(0)
  })

  test.each(['a%0D%0Ax-injected:1', 'a%20b', 'a%00', '%C3%A9'])(
    'a string that no header can contain is no token: %s',
    async (token) => {
      const answer = await sendBare({ target: `${HOOK}?__token=${token}` })
      expect(answer.status).toBe(401)
      expect(JSON.parse(answer.body).error.code).toBe('invalid_token')
      expect(at.github.calls).toHaveLength(0)
    },
  )

  test.each(['xtoken abc', 'tokenabc def', 'basic abc', 'token token abc'])(
    'the header %j has no token',
    async (value) => {
      const headers = [['X-Platform-Authorization', value]] as const
      const answer = await sendBare({ target: HOOK, headers })
      expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([401, 'invalid_token'])
      expect(at.github.calls).toHaveLength(0)
    },
  )

  const percent = [...TOKEN].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('')
  const basic = Buffer.from(`user:${TOKEN}`).toString('base64')
  const forms = [TOKEN, percent, percent.toUpperCase(), basic, btoa(TOKEN), btoa(`xy${TOKEN}`)]

  /** A response of GitHub that repeats the token in its headers and its body. */
  const echoing = (status: number) => {
    return { status, headers: { 'x-token': TOKEN, location: `/${TOKEN}` }, body: `no ${TOKEN}` }
  }

  test('200 requests with any form of the token anywhere: only GitHub gets it', async () => {
    const planted = fc.constantFrom('x', ...forms)
    const place = fc.constantFrom('referer', 'cookie2', 'x-a', 'user-agent', 'x-hub-signature')
    const status = fc.constantFrom(204, 403, 404, 422, 500, 302)
    const sinks: string[] = []
    const attempt = async (
      [path, query, header]: readonly [string, string, string],
      name: string,
      answered: number,
    ) => {
      at.github.reset()
      at.github.always(answered === 204 ? { status: 204 } : echoing(answered))
      const headers = [
        [name, `https://h.test/?__token=${header}`],
        ['Authorization', `Basic ${header}`],
      ] as const
      const target = `${HOOK}/${path}?q=${query}&${query}&__token=${TOKEN}`
      const answer = await at.sendKept({ target, headers })
      const call = at.github.calls[0]
      const { authorization, ...others } = call?.headers ?? {}
      expect(authorization).toBe(`Bearer ${TOKEN}`)
      const { body, headers: told } = answer
      sinks.push(JSON.stringify([call?.url, others, call?.body, body, told]))
    }
    const texts = fc.tuple(planted, planted, planted)
    await fc.assert(fc.asyncProperty(texts, place, status, attempt), { numRuns: 200 })
    // The rate limit comes last, because it blocks later calls.
    for (const answered of [204, 401, 429]) await attempt(['x', 'x', TOKEN], 'referer', answered)
    // The last lines of a log may come a moment later.
    while (at.relay.log.length < 200) await new Promise((resolve) => setTimeout(resolve, 10))
    const text = [...sinks, ...at.relay.log].join('\n')
    for (const form of [TOKEN, percent, percent.toUpperCase(), ...base64Forms(TOKEN)]) {
      expect(text.includes(form)).toBe(false)
    }
  })

  test.each(forms)('a body with the token in it is refused: %s', async (form) => {
    const body = `{"callback":"https://h.test/?t=${form}"}`
    const answer = await at.send({ method: 'POST', target: HOOK, body })
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).error.code).toBe('token_in_body')
    expect(answer.body).not.toContain(form)
    expect(at.github.calls).toHaveLength(0)
  })

  test('a body of bytes with the token in it is refused', async () => {
    const body = Buffer.concat([Buffer.from([0xff]), Buffer.from(TOKEN)])
    expect((await at.send({ method: 'POST', target: HOOK, body })).status).toBe(400)
  })

  test('an answer that would show the token is refused before the dispatch', async () => {
    const answer = await at.send({ target: `${HOOK}?__response_body=${TOKEN}` })
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain(TOKEN)
    expect(at.github.calls).toHaveLength(0)
  })

  test.each([
    [4000, 200],
    [4001, 401],
  ])('a token of %i characters: %i', async (length, status) => {
    const headers = [['X-Platform-Authorization', 'a'.repeat(length)]] as const
    expect((await sendBare({ target: HOOK, headers })).status).toBe(status)
  })

  test('a short token is not looked for: it could be part of any word', async () => {
    const answer = await sendBare({ method: 'POST', target: `/o/r/abc?__token=abc`, body: 'abc' })
    expect(answer.status).toBe(200)
    expect(at.payloads()).toMatchObject([{ path: 'abc', body: 'abc' }])
  })
})
