import { expect, test } from '@jest/globals'
import { secretFrom } from '../../src/cli/endpoint/conditions.ts'

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
