import { describe, expect, test } from '@jest/globals'
import { type ActionResult, dispatchEvent, runInShared } from '../support/action.ts'
import { payload } from './step.ts'

describe('a secret in the outputs', () => {
  const SECRET = 'hunter2 "quoted" €/?'
  const forms: readonly (readonly [string, string, string])[] = [
    ['as it is', `my ${SECRET}!`, 'body, on, items'],
    ['in JSON', JSON.stringify({ a: SECRET }), 'body, on, items'],
    ['percent-encoded', encodeURIComponent(SECRET), 'body, on, items'],
    ['in base64', Buffer.from(`x${SECRET}`).toString('base64'), 'body, on, items'],
  ]

  async function warnings(secret: string, body: string): Promise<ActionResult> {
    const inputs = { on: 'webhook', secrets: JSON.stringify({ KEY: secret, OTHER: 'not-in-it' }) }
    return runInShared({ ...dispatchEvent(payload({ body })), inputs })
  }

  test.each(forms)(
    '%s: a warning that names the outputs and not the secret',
    async (_, body, names) => {
      const { stdout, stderr, exitCode } = await warnings(SECRET, body)
      expect(exitCode).toBe(0)
      expect(stdout).toContain(
        `::warning::secret KEY is part of the output ${names}: GitHub does not pass it to other jobs\n`,
      )
      expect(stdout).not.toContain('OTHER')
      expect(stdout + stderr).not.toContain('hunter2')
    },
  )

  test('one line of a secret is enough, and a secret of one character', async () => {
    expect((await warnings('line one\nline two', 'my line two')).stdout).toContain('secret KEY')
    expect((await warnings('z', 'xyz')).stdout).toContain('secret KEY')
  })

  test('no warning without one', async () => {
    expect((await warnings(SECRET, 'hunter3')).stdout).not.toContain('::')
  })
})
