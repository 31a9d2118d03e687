import { expect, test } from '@jest/globals'
import { readRelayConfig, sharedGitHub, statelessRelay } from '../../src/relay/config.ts'
import { bugOf } from '../../src/wire/errors.ts'

const SECRET = 'ghp_a-token-in-the-message-of-an-error'

test('the relay logs kind and stack of its own fault, never the message', async () => {
  const lines: string[] = []
  const post = async () => {
    throw new Error('nothing is sent here')
  }
  const config = await readRelayConfig({})
  const write = (line: string) => void lines.push(line)
  const { report } = statelessRelay(config, sharedGitHub(config, post), write, {
    packers: [],
    loadChecks: () => import('../../src/relay/webhook/verification.ts'),
    isStateless: true,
  })
  report(new RangeError(`${SECRET}\n    at ${SECRET}`))
  report(SECRET)
  expect(lines.join('\n')).not.toContain(SECRET)
  expect(JSON.parse(lines[0] ?? '').error).toMatchObject({ name: 'RangeError' })
  expect(JSON.parse(lines[0] ?? '').error.frames[0]).toContain('bug.test.ts')
})

test('a thrown value that is no error is named by its type', () => {
  expect(bugOf(SECRET)).toEqual({ name: 'string', frames: [] })
})
