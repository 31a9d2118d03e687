import type { ServerResponse } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import type { RecordedCall } from '../support/github.ts'
import { fc } from '../support/properties.ts'
import { RUNTIMES } from '../support/relays.ts'
import { payloadOf, scene } from '../support/scene.ts'

/** Events that are sent concurrently, because some of them wait for the time limit. */
const BATCH = 50
/** Milliseconds; enough for the first call of nearly all of them on a busy machine. */
const BUDGET = 3000

const STATUSES = [
  200, 201, 202, 204, 206, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 409, 410,
  422, 429, 451, 500, 501, 502, 503, 504, 520, 599,
]
/** Ways to give no response; none of them accepts the event. */
const FAULTS = ['reset', 'half', 'silence', 'garbage']
/** Headers of GitHub's response. */
const HEADERS: Readonly<Record<string, Record<string, string>>> = {
  none: {},
  soon: { 'retry-after': '0' },
  later: { 'retry-after': '3600' },
  spent: { 'x-ratelimit-remaining': '0' },
  moved: { location: '/repositories/1/dispatches' },
  away: { location: 'http://127.0.0.1:1/repositories/1/dispatches' },
  // As in a response of the relay itself.
  success: { 'content-type': 'application/json' },
}

const turn = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...STATUSES).map(String) },
  { weight: 3, arbitrary: fc.constantFrom('502', '503', '429', '307') },
  { weight: 1, arbitrary: fc.constantFrom(...FAULTS) },
)
const turns = fc.array(fc.tuple(turn, fc.constantFrom(...Object.keys(HEADERS))), {
  minLength: 1,
  maxLength: 4,
})
const option = (...values: string[]) => fc.option(fc.constantFrom(...values))
const custom = fc.record({
  code: option('200', '201', '299', '302', '404', '500', '599'),
  content_type: option('text/plain', 'text/html'),
  body: option('planted', '{"success":true}'),
})

/**
 * A GitHub whose reaction to each try is in the event's query; it repeats the last one, and records
 * what it did.
 */
function platform() {
  const given = new Map<string, string[]>()
  const answer = (call: RecordedCall, response: ServerResponse) => {
    const { path } = payloadOf(call.body)
    const query = new URLSearchParams(path.split('?')[1])
    const id = query.get('id') ?? ''
    const tries = given.get(id) ?? []
    const list = query.get('turns')?.split(',') ?? []
    const [what = '', headers = ''] =
      list[Math.min(tries.length, list.length - 1)]?.split(':') ?? []
    given.set(id, [...tries, what])
    give(what, headers, response)
    return undefined
  }
  return { given, answer }
}

function give(what: string, headers: string, response: ServerResponse): void {
  const { socket } = response
  if (what === 'silence') return
  if (what === 'reset') socket?.resetAndDestroy()
  else if (what === 'half') socket?.end('HTTP/1.1 204 No Con')
  else if (what === 'garbage') socket?.end('HTTP/9.9 abc\r\n\r\n')
  else
    response
      .writeHead(Number(what), HEADERS[headers])
      .end(/^[13]|204/.test(what) ? '' : '{"success":true}')
}

/** Statuses that rule out that GitHub accepted the event; after 400, the older version of the API is tried. */
const MAY_BE_REPEATED = /^(?:400|502|503|429|403|307|308)$/

const isAccepted = (what: string | undefined) => what === '204'

/** The outcomes of many events, on every runtime. */
export function testOutcomes(events: number): void {
  describe.each(RUNTIMES)('every outcome at a relay on %s', (_, start) => {
    const at = scene(start, { env: { HOOKLINE_TEST_GITHUB_TIMEOUT_MS: String(BUDGET) } })

    test(`of ${events} events: success exactly when GitHub accepted the last try, and no try after one that GitHub may have accepted`, async () => {
      const { given, answer } = platform()
      at.github.always(answer)
      let count = 0
      const one = async (list: readonly (readonly [string, string])[], asked: object) => {
        const id = String(count++)
        const query = new URLSearchParams({ id, turns: list.map((one) => one.join(':')).join(',') })
        const options = Object.entries(asked).filter(([, value]) => value !== null)
        for (const [name, value] of options) query.set(`__response_${name}`, value)
        // Each event has its own token, because a rate limit blocks all calls of a token.
        const headers = [['X-Platform-Authorization', `ghp_of-the-sender-of-event-${id}`]] as const
        const began = performance.now()
        const { status, body } = await at.send({ target: `/o/r/hook/webhook?${query}`, headers })
        const isLate = performance.now() - began >= BUDGET
        const tries = given.get(id) ?? []
        const isError = /^\{"success":false,"error":\{"code":"\w+"/.test(body)
        // On a slow machine, the time can be over before a call or its response arrives.
        const isCut = isLate && /"github_(?:timeout|unavailable)"/.test(body)
        const accepted = isAccepted(tries.at(-1)) && !isCut
        expect({ list, tries, status, isError }).toMatchObject({ isError: !accepted })
        if (accepted) expect(status).toBe(Number(query.get('__response_code') ?? 200))
        else expect(status).toBeGreaterThanOrEqual(400)
        if (tries.length === 0) expect(isCut).toBe(true)
        expect(tries.slice(0, -1).filter((what) => !MAY_BE_REPEATED.test(what))).toEqual([])
      }
      const batch = fc.array(fc.tuple(turns, custom), { minLength: BATCH, maxLength: BATCH })
      const property = fc.asyncProperty(batch, async (cases) => {
        await Promise.all(cases.map(([list, asked]) => one(list, asked)))
        expect(given.size).toBeGreaterThan(count * 0.8)
      })
      await fc.assert(property, { numRuns: events / BATCH, endOnFailure: true })
    })
  })
}
