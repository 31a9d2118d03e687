import { describe, expect, test } from '@jest/globals'
import { send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { scene, TOKEN } from '../support/scene.ts'
import { until } from '../support/until.ts'

const FIELDS = [
  'time',
  'delivery',
  'method',
  'owner',
  'repo',
  'workflow',
  'trigger',
  'bytes',
  'status',
  'githubStatus',
  'tries',
  'ms',
]

describe.each(RUNTIMES)('the log of a relay on %s', (_, start) => {
  const at = scene(start)

  /** The log line of a request, which may come a moment after the response. */
  async function lineOf(request: Parameters<typeof at.send>[0], bare = false) {
    const { headers } = bare ? await send(at.relay.url, request) : await at.send(request)
    const delivery = headers['x-hookline-delivery'] ?? ''
    const find = () => at.relay.log.find((candidate) => candidate.includes(delivery))
    await until(() => find() !== undefined)
    return find() ?? ''
  }

  test('one line of JSON for a request, with these fields and no other', async () => {
    const line = await lineOf({
      method: 'POST',
      target: '/own/rep/hook/webhook/x?y=z',
      body: 'abc',
    })
    const entry = JSON.parse(line)
    expect(Object.keys(entry).sort()).toEqual([...FIELDS].sort())
    expect(entry).toMatchObject({
      method: 'POST',
      owner: 'own',
      repo: 'rep',
      workflow: 'hook',
      trigger: 'webhook',
      bytes: 3,
      status: 200,
      githubStatus: 204,
      tries: 1,
    })
  })

  test("the line of a failure contains GitHub's status", async () => {
    at.github.next({ status: 404 })
    const line = await lineOf({ target: '/own/rep/hook/webhook' })
    expect(JSON.parse(line)).toMatchObject({ status: 403, githubStatus: 404, tries: 1 })
  })

  test('the line of a body over the limit contains its address', async () => {
    const body = ' '.repeat(300_000)
    const line = await lineOf({ method: 'POST', target: '/own/rep/hook/webhook', body })
    const entry = { status: 413, owner: 'own', repo: 'rep', workflow: 'hook', trigger: 'webhook' }
    expect(JSON.parse(line)).toMatchObject(entry)
    const target = `/own/rep/${TOKEN}/webhook`
    expect(await lineOf({ method: 'POST', target, body })).not.toContain(TOKEN)
  })

  test.each([
    ['a body', { method: 'POST', target: '/o/r/h/t', body: 'planted-text' }],
    ['a query', { target: '/o/r/h/t?planted-text' }],
    ['a deeper path', { target: '/o/r/h/t/planted-text' }],
    ['a header', { target: '/o/r/h/t', headers: [['X-A', 'planted-text']] as const }],
    ['a name with odd characters', { target: '/o/r/planted-text%20/t' }],
    ['an unknown method', { method: 'PROPFIND', target: '/planted-text' }],
  ])('nothing of %s is in it', async (_, request) => {
    expect(await lineOf(request)).not.toContain('planted-text')
  })

  test('a token in place of a name is not in it, nor anything of a path without a token', async () => {
    expect(await lineOf({ target: `/o/r/${TOKEN}/webhook` })).not.toContain(TOKEN)
    expect(await lineOf({ target: `/o/r/${TOKEN}/webhook` }, true)).not.toContain(TOKEN)
    expect(await lineOf({ target: `/${TOKEN}/r/x/y` }, true)).not.toContain(TOKEN)
  })
})
