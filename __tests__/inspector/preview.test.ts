import { describe, expect, test } from '@jest/globals'
import { preview, requestPreview } from '../../src/inspector/preview.ts'
import { SENDER_FILES } from '../../src/triggers/senders.ts'

const request = (body: string, type = 'application/json') => ({
  ...{ method: 'POST', path: 'hook/webhook', body, encoding: 'text' as const },
  headers: { 'content-type': type },
})

describe('a row says', () => {
  test.each([
    [
      '{"action":"opened","issue":{"id":7,"title":"it breaks","url":"https://x"}}',
      'title: it breaks',
    ],
    ['{"hello":"world"}', 'hello: world'],
    [
      '{"type":"x","data":{"object":{"amount":500,"currency":"eur","id":"pi_1"}}}',
      'amount: 500, currency: eur',
    ],
    [
      '{"update_id":1,"message":{"from":{"id":1,"first_name":"Ada"},"text":"deploy\\nplease"}}',
      'Ada: deploy please',
    ],
    [
      '{"update_id":1,"callback_query":{"from":{"username":"ada"},"data":"approve:42"}}',
      'ada: approve:42',
    ],
    ['[{"name":"first"},{"name":"second"}]', 'name: first, name: second'],
    ['{"id":1,"created_at":"2026"}', null],
    ['"a text"', '"a text"'],
    ['', null],
    ['{"broken', '{"broken'],
    [`{"text":"${'x'.repeat(300)}"}`, `text: ${'x'.repeat(60)}`],
  ])('of %j %j', (body, wanted) => {
    expect(requestPreview(request(body))).toBe(wanted)
  })

  test('of a form its fields, of bytes nothing, of a text its beginning', () => {
    const form = 'application/x-www-form-urlencoded'
    expect(requestPreview(request('name=Ada&message=Hi+there', form))).toBe(
      'message: Hi there, name: Ada',
    )
    expect(requestPreview({ ...request('AAE='), encoding: 'base64' })).toBeNull()
    expect(requestPreview(request('a\n\tb'.repeat(200), 'text/plain'))?.length).toBe(121)
  })

  test('of what was polled who wrote what', () => {
    expect(preview({ from: { username: 'ada' }, text: 'hi', chat: { id: 1 } })).toBe('ada: hi')
    expect(preview(undefined)).toBeNull()
  })

  test('something of nearly every recorded request', () => {
    const all = Object.entries(SENDER_FILES).flatMap(([sender, { payloads }]) =>
      Object.entries(payloads).map(([event, make]) => {
        const { headers, body } = make({ id: crypto.randomUUID(), now: new Date() })
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        return [
          `${sender}.${event}`,
          requestPreview({ ...request(text), headers: headers ?? {} }),
        ] as const
      }),
    )
    const silent = all.filter(([, line]) => line === null).map(([name]) => name)
    expect(silent.length).toBeLessThan(all.length / 5)
  })
})
