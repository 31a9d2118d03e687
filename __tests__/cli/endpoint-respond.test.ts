import { expect, test } from '@jest/globals'
import { plainSettings } from '../../src/cli/endpoint/settings.ts'

test.each([
  ['docker-registry', undefined, { respond: 'stored' }],
  ['docker-registry', 'github', { respond: 'github' }],
  ['stripe', undefined, {}],
  [undefined, undefined, {}],
  [undefined, 'stored', { respond: 'stored' }],
] as const)('--sender %s and --respond %s: %j', (sender, respond, settings) => {
  const given = { ...(sender && { sender }), ...(respond && { respond }) }
  expect(plainSettings(given, {})).toEqual(settings)
})
