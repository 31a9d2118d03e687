import { beforeAll, describe, expect, test } from '@jest/globals'
import { signGrant } from '../../../src/relay/credentials/grant.ts'
import { SCHEMES } from '../../../src/triggers/verify/schemes.ts'
import { FORGERIES, ROWS, type Row, type Sending, signedRequest } from '../../senders/table.ts'
import { RUNTIMES } from '../../support/relays.ts'
import { ADMIN_KEY, granted, SIGNING_KEY, verificationScene } from './scene.ts'

/** The reason why a grant refuses the scheme of a row. */
function refusedFor({ signer }: Row): string | undefined {
  const name = String(signer.verify.scheme)
  if (name === 'aws-sns') return 'a certificate'
  return SCHEMES.get(name)?.needs.includes('url') ? 'signs the URL' : undefined
}

interface Case {
  readonly row: Row
  readonly form: string
  readonly sending: Sending
  readonly grant: string
}

const AT_RELAY = ROWS.filter((row) => refusedFor(row) === undefined)

/** The trigger's own mapping without its secret; only the trigger needs a URL in it. */
function verifyOf({ signer, sender }: Row): string {
  const { url: _, ...verify } = signer.verify
  return JSON.stringify({ ...verify, ...(sender?.scheme === 'token' && sender.options) })
}

let cases: readonly Case[]

beforeAll(async () => {
  const made = AT_RELAY.map(async (row) => {
    const grant = await granted({ verify: verifyOf(row) }, row.signer.secret)
    const right = await signedRequest(row, row.signer.secret)
    const forged = Object.entries(FORGERIES).map(async ([form, forge]) => {
      const sending = await forge(row, right)
      return sending ? [{ row, form, sending, grant }] : []
    })
    return [{ row, form: 'right', sending: right, grant }, ...(await Promise.all(forged)).flat()]
  })
  cases = (await Promise.all(made)).flat()
})

test('refuses to make a grant for a scheme that the relay cannot verify', async () => {
  const refused = ROWS.filter((row) => refusedFor(row) !== undefined)
  expect(refused.map(({ signer }) => signer.verify.scheme)).toEqual(
    expect.arrayContaining(['aws-sns', 'trello', 'twilio', 'square', 'hubspot', 'contentful']),
  )
  for (const row of refused) {
    const make = granted({ verify: String(row.signer.verify.scheme) }, row.signer.secret)
    await expect(make).rejects.toThrow(/signs the URL|certificate/)
  }
})

describe.each(RUNTIMES)('signatures at the relay on %s', (_, start) => {
  const here = verificationScene(start)

  test.each(AT_RELAY)('$name: signed it goes through, and no forgery does', async ({ name }) => {
    const own = cases.filter(({ row }) => row.name === name)
    for (const { form, sending, grant, row } of own) {
      const target = `/octo/repo/hook/${row.trigger}${sending.path}`
      const before = here.github.calls.length
      const answer = await here.send(grant, { ...sending, method: 'POST', target })
      const isRight = form === 'right'
      expect([form, answer.status]).toEqual([form, isRight ? 200 : 401])
      if (!isRight) expect(answer.body).toContain('"invalid_signature"')
      expect([form, here.github.calls.length - before]).toEqual([form, isRight ? 1 : 0])
      expect(answer.body + JSON.stringify(answer.headers)).not.toContain(row.signer.secret)
    }
    expect(here.relay.log.join('\n')).not.toContain(own[0]?.row.signer.secret)
  })

  test.each(['hmac', 'bearer', 'basic', 'token', 'stripe', 'github'])(
    'an empty secret of %s verifies no request',
    async (scheme) => {
      const verify = [{ scheme, secret: '', header: 'x-signature' }]
      const scope = { repository: 'octo/repo', path: 'hook' }
      const grant = await signGrant({ id: 'empty', ...scope, verify }, SIGNING_KEY)
      const headers = [['Authorization', 'Bearer '] as const]
      const target = '/octo/repo/hook/webhook'
      const answer = await here.send(grant, { method: 'POST', target, headers, body: '{}' })
      expect([answer.status, here.github.calls.length]).toEqual([401, 0])
    },
  )

  test('and /metrics shows none of their secrets', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const metrics = await (await fetch(`${here.relay.url}/metrics`, { headers })).text()
    expect(metrics).toMatch(/^hookline_answers_total\{status="401"\} \d+$/m)
    for (const { signer } of AT_RELAY) expect(metrics).not.toContain(signer.secret)
  })
})
