import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type { ClientPayload } from '../../../src/wire/payload.ts'
import { readWebhookRequest } from '../../../src/wire/request.ts'
import { type ActionResult, dispatchEvent, runAction } from '../../support/action.ts'
import { IS_FULL } from '../../support/effort.ts'
import { bound, QUIET_WORLD } from '../../support/receive.ts'
import { RUNTIMES, startOnNode } from '../../support/relays.ts'
import { type Scene, scene } from '../../support/scene.ts'
import { type Proof, SIGNERS } from './signers.ts'

const body = '\uFEFF{"id": "évt_1",  "big":12345678901234567890, "text":"a\\u0000\\"<b>"}\r\n'

/** What GitHub is handed of a request. */
async function handedOn(
  here: Scene,
  { headers, body: content = body, path = '' }: Sending,
): Promise<ClientPayload> {
  const request = {
    method: 'POST',
    target: `/octo/repo/hook/webhook${path}`,
    headers: Object.entries({ 'content-type': 'application/json', ...headers }),
    body: content,
  }
  expect((await here.send(request)).status).toBe(200)
  const [payload] = here.payloads()
  if (!payload) throw new Error('nothing was handed on')
  return payload
}

type Sending = Omit<Proof, 'body'> & { readonly body?: string | Uint8Array }

describe.each(RUNTIMES)('R11: through the relay on %s', (_, start) => {
  const here = scene(start)

  test.each(SIGNERS)(
    '$name: what is signed is verified, and what another signed is not',
    async (signer) => {
      const trigger = bound('webhook', { verify: { ...signer.verify, secret: signer.secret } })
      for (const [secret, count] of [
        [signer.secret, 1],
        [signer.other, 0],
      ] as const) {
        const payload = await handedOn(here, await signer.sign({ body, time: new Date() }, secret))
        here.github.reset()
        const request = await readWebhookRequest(payload)
        const { items = [] } = (await trigger.receive?.(request, PORTS)) ?? {}
        expect([secret === signer.secret, items.length]).toEqual([count === 1, count])
      }
    },
  )
})

const PORTS = { ...QUIET_WORLD, now: Date.now }

/** One of each kind of proof; all of them where there is time. */
const KINDS = [
  ...['github', 'slack', 'stripe', 'trello', 'docusign, with its third key', 'linear', 'basic'],
  ...['standard-webhooks', 'standard-webhooks, asymmetric', 'twilio, a form', 'contentful'],
  ...['mailgun', 'discord', 'sendgrid', 'netlify', 'plaid', 'monday', 'microsoft-graph', 'gitlab'],
]
const CHOSEN = SIGNERS.filter(({ name }) => IS_FULL || KINDS.includes(name))

describe('and the built action', () => {
  const here = scene(startOnNode)

  async function sent(verify: unknown, sending: Sending): Promise<ActionResult> {
    const payload = await handedOn(here, sending)
    return runAction({ ...dispatchEvent(payload), inputs: { on: onSection(verify) } })
  }

  test.each(CHOSEN)('$name: what is signed fires', async (signer) => {
    const proof = await signer.sign({ body, time: new Date() }, signer.secret)
    const { outputs, stdout } = await sent({ ...signer.verify, secret: signer.secret }, proof)
    expect([outputs.triggered, stdout]).toEqual(['true', expect.not.stringContaining('::warning')])
    const [header] = signer.signature ?? []
    expect(Object.keys(JSON.parse(outputs.headers ?? ''))).not.toContain(header)
    expect(JSON.stringify(outputs)).not.toContain(signer.secret)
  })

  test.each(CHOSEN.slice(0, 6))(
    '$name: what another signed does not, with a warning',
    async (signer) => {
      const proof = await signer.sign({ body, time: new Date() }, signer.other)
      const result = await sent({ ...signer.verify, secret: signer.secret }, proof)
      expect(result.outputs).toMatchObject({ triggered: 'false', items: '[]' })
      expect(result.exitCode).toBe(0)
      expect(result.stdout).toMatch(
        /^::warning::a request was not verified, so it fires nothing \(/m,
      )
      expect(result.summary).toContain('a request was not verified, so it fires nothing')
      for (const secret of [signer.secret, signer.other]) {
        expect(result.stdout + result.stderr + result.summary).not.toContain(secret)
      }
    },
  )

  test.each([
    ['bytes that are no text', Uint8Array.from({ length: 3000 }, (_, at) => (at * 37) % 256)],
    [
      'text too long to travel as it is',
      JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at)),
    ],
    ['nothing at all', ''],
  ])('a signature over %s holds', async (_, content) => {
    const verify = { scheme: 'github', secret: 'shared' }
    const mac = createHmac('sha256', 'shared').update(content).digest('hex')
    const headers = { 'X-Hub-Signature-256': `sha256=${mac}` }
    const { outputs } = await sent(verify, { headers, body: content })
    expect(outputs.triggered).toBe('true')
  })
})

/** As YAML, of which JSON is a part. */
function onSection(verify: unknown): string {
  return `webhook:\n  verify: ${JSON.stringify(verify)}`
}
