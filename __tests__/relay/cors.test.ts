import { describe, expect, test } from '@jest/globals'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'

const HOOK = '/o/r/hook/webhook'
const ORIGIN = ['Origin', 'https://page.test'] as const
const METHOD = ['Access-Control-Request-Method', 'POST'] as const
const asks = (list: string) => ['Access-Control-Request-Headers', list] as const

describe.each(RUNTIMES)('a browser before a relay on %s', (_, start) => {
  const at = scene(start)

  test('a preflight is answered, and is no event', async () => {
    const headers = [ORIGIN, METHOD, asks('content-type, x-platform-authorization')]
    const answer = await at.send({ method: 'OPTIONS', target: HOOK, headers })
    expect(answer).toMatchObject({ status: 204, body: '' })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS',
      'access-control-allow-headers': 'content-type, x-platform-authorization',
      'access-control-max-age': '86400',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    })
    expect(at.github.calls).toHaveLength(0)
  })

  test.each([['content-type'], ['a,b'], ['A , b'], ["!#$%&'*+-.^_`|~09"], ['x'.repeat(1024)]])(
    'echoes the header list %.40s',
    async (list) => {
      const headers = [ORIGIN, METHOD, asks(list)]
      const answer = await at.send({ method: 'OPTIONS', target: HOOK, headers })
      expect(answer.headers['access-control-allow-headers']).toBe(list)
    },
  )

  test.each([
    ['a b'],
    ['a;b'],
    ['a,,b'],
    [',a'],
    ['a,'],
    ['*/*'],
    ['é'],
    ['x'.repeat(1025)],
    ['a,'.repeat(7000)],
  ])('does not echo the header list %.40s', async (list) => {
    const headers = [ORIGIN, METHOD, asks(list)]
    const answer = await at.send({ method: 'OPTIONS', target: HOOK, headers })
    expect(answer.status).toBe(204)
    expect(answer.headers).not.toHaveProperty('access-control-allow-headers')
  })

  test.each([[[]], [[ORIGIN]], [[METHOD]]])('OPTIONS with %j only is an event', async (headers) => {
    expect((await at.send({ method: 'OPTIONS', target: HOOK, headers })).status).toBe(200)
    expect(at.payloads()).toMatchObject([{ method: 'OPTIONS' }])
  })

  test('a page may read every answer, an error too', async () => {
    for (const target of [HOOK, '/nothing']) {
      const { headers } = await at.send({ target, headers: [ORIGIN] })
      expect(headers['access-control-allow-origin']).toBe('*')
      expect(headers['access-control-expose-headers']).toBe(
        'X-Hookline-Delivery, X-Hookline-Run, X-Hookline-Queued, X-Hookline-Reason, X-Hookline-Filtered, X-Hookline-Hint, Retry-After',
      )
    }
  })
})
