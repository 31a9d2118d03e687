import { describe, expect, test } from '@jest/globals'
import { fire } from './step.ts'

/** The action reads a section with nothing but `webhook` without loading signatures and expressions. */
describe('a section with only the trigger webhook', () => {
  test.each([
    'webhook',
    'webhook:',
    'webhook: {method: post, path: /a}',
    'webhook:\n  method: post\n\n  path: /a\n',
  ])('fires: %j', async (on) => {
    const request = { path: 'hook/webhook/a', body: 'text' }
    const { outputs } = await fire(on, request)
    expect(outputs).toMatchObject({ triggered: 'true', body: 'text' })
  })

  test.each(['webhook: {}\nslack:\n', 'webhook:\n{}\n', 'webhook: {\n}\nslack: {}\n'])(
    'reads another trigger beside it: %j',
    async (on) => {
      const { stdout } = await fire(on)
      expect(stdout).not.toContain('unknown trigger')
    },
  )

  test.each(['verify', '"verif\\x79"'])('verifies a request if it names %s', async (key) => {
    const on = `webhook:\n  ${key}:\n    scheme: bearer\n    secret: long-enough-secret\n`
    const signed = { headers: { authorization: 'Bearer long-enough-secret' } }
    const forged = { headers: { authorization: 'Bearer another-secret' } }
    expect((await fire(on, signed)).outputs.triggered).toBe('true')
    expect((await fire(on, forged)).outputs.triggered).toBe('false')
    expect((await fire(on)).outputs.triggered).toBe('false')
  })

  test.each(['$' + '{{ vars.PLACE }}', '"$\\x7b{ vars.PLACE }}"'])('evaluates %s', async (path) => {
    const on = `webhook:\n  path: ${path}\n`
    const inputs = { on, vars: '{"PLACE":"/here"}' }
    const here = await fire(on, { path: 'hook/webhook/here' }, { inputs })
    const there = await fire(on, { path: 'hook/webhook/there' }, { inputs })
    expect([here.outputs.triggered, there.outputs.triggered]).toEqual(['true', 'false'])
  })

  test('names the option that an unknown one resembles', async () => {
    const { stdout, exitCode } = await fire('webhook:\n  verfy:\n    scheme: github\n')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('did you mean "verify"?')
    expect(stdout).toContain('options: method, path, deduplicationKey, verify, config')
  })
})
