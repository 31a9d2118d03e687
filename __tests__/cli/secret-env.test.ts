import { expect, test } from '@jest/globals'
import { conditionsFrom, secretFrom } from '../../src/cli/endpoint/conditions.ts'
import { UsageError } from '../../src/wire/errors.ts'

const PEM = '-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n'

test.each(['hush', 'hush with a space inside', PEM])('--secret-env takes %j', (secret) => {
  expect(secretFrom('HOOK_SECRET', undefined, { HOOK_SECRET: secret })).toBe(secret)
})

test.each([' hush', 'hush ', 'hush\n', 'hush\r\n', '\u00a0hush', 'hush\u200b'])(
  '--secret-env refuses %j and does not show it',
  (secret) => {
    const read = () => secretFrom('HOOK_SECRET', undefined, { HOOK_SECRET: secret })
    expect(read).toThrow(/HOOK_SECRET begins or ends with white space/)
    expect(read).not.toThrow(/hush/)
  },
)

test.each([
  [{ verify: 'stripe', secretEnv: 'HOOK_SECRET', publicKey: 'key' }],
  [{ secretEnv: 'HOOK_SECRET' }],
  [{ publicKey: 'key' }],
])('%j is wrong usage', (flags) => {
  expect(() => conditionsFrom(flags, { HOOK_SECRET: 'hush' })).toThrow(UsageError)
})
