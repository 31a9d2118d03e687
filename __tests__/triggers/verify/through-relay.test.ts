import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { type ActionResult, dispatchEvent, runAction } from '../../support/action.ts'
import { RUNTIMES } from '../../support/relays.ts'
import { scene } from '../../support/scene.ts'
import { type Proof, SIGNERS } from './signers.ts'

const body = '\uFEFF{"id": "évt_1",  "big":12345678901234567890, "text":"a\\u0000\\"<b>"}\r\n'

describe.each(RUNTIMES)('through the relay on %s and the action', (_, start) => {
  const here = scene(start)

  /** Sends a request to the relay and runs the action on the event that GitHub got. */
  async function sent(
    verify: unknown,
    {
      headers,
      body: content = body,
      path = '',
    }: Omit<Proof, 'body'> & {
      readonly body?: string | Uint8Array
    },
  ): Promise<ActionResult> {
    const request = {
      method: 'POST',
      target: `/octo/repo/hook/webhook${path}`,
      headers: Object.entries({ 'content-type': 'application/json', ...headers }),
      body: content,
    }
    expect((await here.send(request)).status).toBe(200)
    const [call] = here.github.calls
    const { client_payload: payload } = JSON.parse(call?.body ?? '{}')
    return runAction({ ...dispatchEvent(payload), inputs: { on: onSection(verify) } })
  }

  test.each(SIGNERS)('$name: what is signed fires', async (signer) => {
    const proof = await signer.sign({ body, time: new Date() }, signer.secret)
    const { outputs, stdout } = await sent({ ...signer.verify, secret: signer.secret }, proof)
    expect([outputs.triggered, stdout]).toEqual(['true', expect.not.stringContaining('::warning')])
    const [header] = signer.signature ?? []
    expect(Object.keys(JSON.parse(outputs.headers ?? ''))).not.toContain(header)
    expect(JSON.stringify(outputs)).not.toContain(signer.secret)
  })

  test.each(SIGNERS)('$name: what another signed does not, with a warning', async (signer) => {
    const proof = await signer.sign({ body, time: new Date() }, signer.other)
    const result = await sent({ ...signer.verify, secret: signer.secret }, proof)
    expect(result.outputs).toMatchObject({ triggered: 'false', items: '[]' })
    expect(result.exitCode).toBe(0)
    expect(result.stdout).toMatch(/^::warning::a request was not verified, so it fires nothing \(/m)
    expect(result.summary).toContain('a request was not verified, so it fires nothing')
    for (const secret of [signer.secret, signer.other]) {
      expect(result.stdout + result.stderr + result.summary).not.toContain(secret)
    }
  })

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
