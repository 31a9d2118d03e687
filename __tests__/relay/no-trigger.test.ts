import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'

const TOKEN = 'ghp_0123456789abcdefghij'

/** Paths without the trigger of a workflow, which beginners write. */
const WITHOUT = [
  '/octo/shop/hook',
  '/octo/shop/hook?a=1',
  '/octo/shop/hook.yml/webhook',
  '/octo/shop/hook.yaml',
  '/octo/shop/.github/workflows/hook.yml',
]

describe.each(RUNTIMES)('at a relay on %s', (_, start) => {
  const github = startGitHub()
  const relays = [{}, { HOOKLINE_FORGE: 'gitea' }].map(async (env) =>
    start({ env: { HOOKLINE_API_URL: (await github).url, ...env } }),
  )
  const [relay, direct] = relays as [(typeof relays)[0], (typeof relays)[0]]
  beforeEach(async () => (await github).reset())
  afterAll(async () => {
    for (const each of relays) await (await each).close()
    await (await github).close()
  })

  const call = async (
    to: typeof relay,
    target: string,
    header: [string, string] = ['X-Platform-Authorization', TOKEN],
  ) => send((await to).url, { method: 'POST', target, body: '{}', headers: [header] })

  test.each(WITHOUT)(
    '%s is forwarded as ever, and says that it names no trigger',
    async (target) => {
      const answer = await call(relay, target)
      expect(answer).toMatchObject({ status: 200, body: '{"success":true}' })
      expect(answer.headers['x-hookline-hint']).toBe('no_trigger')
      expect((await github).calls).toHaveLength(1)
    },
  )

  test('an answer of the sender’s own has the hint too', async () => {
    const answer = await call(relay, '/octo/shop/hook?__response_body=ok')
    expect(answer.headers['x-hookline-hint']).toBe('no_trigger')
  })

  test.each(['/octo/shop/hook/webhook', '/octo/shop/hook/webhook/x?a=1'])(
    '%s names one',
    async (target) => {
      const answer = await call(relay, target)
      expect(answer.headers['x-hookline-hint']).toBeUndefined()
    },
  )

  test.each(WITHOUT)('%s starts no workflow directly', async (target) => {
    const answer = await call(direct, target)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).error.code).toBe('invalid_workflow')
    expect(answer.body).not.toContain('.yml.yml')
    expect((await github).calls).toEqual([])
  })

  test.each(['..', '.', 'a%2Fb', 'hook%2eyml', 'a b', 'x'.repeat(101), 'é', ''])(
    '%j is no file: 400, and Gitea is not asked',
    async (workflow) => {
      const answer = await call(direct, `/o/r/${workflow}/webhook`)
      expect(answer.status).toBe(400)
      if (/^[!-~]*$/.test(workflow)) {
        const isNamed = workflow !== ''
        const message = isNamed ? /not the name of a file/ : /no workflow and trigger/
        expect(JSON.parse(answer.body).error).toMatchObject({
          code: 'invalid_workflow',
          message: expect.stringMatching(message),
        })
      }
      expect((await github).calls).toEqual([])
    },
  )

  test('the error for a token in Authorization names the right header', async () => {
    const answer = await call(relay, '/octo/shop/hook/webhook', [
      'Authorization',
      `Bearer ${TOKEN}`,
    ])
    const { code, hint } = JSON.parse(answer.body).error
    expect({ status: answer.status, code }).toEqual({ status: 401, code: 'missing_token' })
    expect(hint).toMatch(/X-Platform-Authorization.* Authorization/)
    expect(answer.body).not.toContain(TOKEN)
  })
})
