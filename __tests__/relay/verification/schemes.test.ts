import { beforeAll, describe, expect, test } from '@jest/globals'
import { schemeNamed } from '../../../src/triggers/verify/schemes.ts'
import { FORGERIES, ROWS, type Row, type Sending, signedRequest } from '../../senders/table.ts'
import { ENDPOINT_RUNTIMES as RUNTIMES } from '../../support/endpoint-relays.ts'
import { ADMIN_BEARER } from '../../support/relay-keys.ts'
import { checksOf, verificationScene } from './scene.ts'

/** `signedRequest` does not know the URL of an endpoint, and only Amazon has the key of its scheme. */
function isLeftOut({ signer }: Row): boolean {
  const name = String(signer.verify.scheme)
  return name === 'aws-sns' || schemeNamed(name)?.needs.includes('url') === true
}

interface Case {
  readonly row: Row
  readonly form: string
  readonly sending: Sending
  readonly settings: object
}

const AT_RELAY = ROWS.filter((row) => !isLeftOut(row))

/** The trigger's own mapping without its secret; only the trigger needs a URL in it. */
function verifyOf({ signer, sender }: Row): string {
  const { url: _, ...verify } = signer.verify
  return JSON.stringify({ ...verify, ...(sender?.scheme === 'token' && sender.options) })
}

let cases: readonly Case[]

beforeAll(async () => {
  const made = AT_RELAY.map(async (row) => {
    const settings = checksOf({ verify: verifyOf(row) }, row.signer.secret)
    const right = await signedRequest(row, row.signer.secret)
    const forged = Object.entries(FORGERIES).map(async ([form, forge]) => {
      const sending = await forge(row, right)
      return sending ? [{ row, form, sending, settings }] : []
    })
    return [{ row, form: 'right', sending: right, settings }, ...(await Promise.all(forged)).flat()]
  })
  cases = (await Promise.all(made)).flat()
})

test('refuses settings with the scheme that the relay cannot verify', () => {
  expect(() => checksOf({ verify: 'aws-sns' }, 'a secret')).toThrow(/certificate/)
})

describe.each(RUNTIMES)('signatures at the relay on %s', (_, start) => {
  const here = verificationScene(start)

  test.each(AT_RELAY)('$name: signed it goes through, and no forgery does', async ({ name }) => {
    const own = cases.filter(({ row }) => row.name === name)
    for (const { form, sending, settings, row } of own) {
      const target = `/octo/repo/hook/${row.trigger}${sending.path}`
      const before = here.github.calls.length
      const answer = await here.send(settings, { ...sending, method: 'POST', target })
      const isRight = form === 'right'
      expect([form, answer.status]).toEqual([form, isRight ? 200 : 401])
      if (!isRight) expect(answer.body).toContain('"invalid_signature"')
      expect([form, here.github.calls.length - before]).toEqual([form, isRight ? 1 : 0])
      expect(answer.body + JSON.stringify(answer.headers)).not.toContain(row.signer.secret)
    }
    expect(here.relay.log.join('\n')).not.toContain(own[0]?.row.signer.secret)
  })

  test('the name of a header has no case in settings, either', async () => {
    const settings = { verify: [{ scheme: ['token'], header: 'X-Key', secret: ['the secret'] }] }
    const target = '/octo/repo/hook/webhook'
    const send = (value: string) =>
      here.send(settings, { method: 'POST', target, headers: [['x-key', value]] })
    expect((await send('the secret')).status).toBe(200)
    expect((await send('another')).status).toBe(401)
  })

  test('and the metrics show none of their secrets', async () => {
    for (const { settings, sending } of cases.filter(({ form }) => form !== 'right').slice(0, 3)) {
      await here.send(settings, { ...sending, method: 'POST', target: '/octo/repo/hook/webhook' })
    }
    const headers = { authorization: `Bearer ${ADMIN_BEARER}` }
    const metrics = await (await fetch(`${here.relay.url}/-admin/metrics`, { headers })).text()
    expect(metrics).toMatch(/^hookline_responses_total\{status="401"\} \d+$/m)
    for (const { signer } of AT_RELAY) expect(metrics).not.toContain(signer.secret)
  })
})
