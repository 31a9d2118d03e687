import { expect, test } from '@jest/globals'
import { EXAMPLES } from '../../src/cli/send/example-events.ts'
import { SENDER_FILES } from '../../src/triggers/senders.ts'

const DELIVERY = {
  id: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  now: new Date('2026-11-21T00:54:06.007Z'),
}

/** The paths of all values that are empty. */
function emptyPaths(value: unknown, path: string): string[] {
  if (value === '' || value === undefined) return [path]
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value)
  if (entries.length === 0) return [path]
  return entries.flatMap(([key, part]) => emptyPaths(part, `${path} ${key}`))
}

const requests = [...EXAMPLES.values()].map(({ name, request }) => ({
  name,
  ...request(DELIVERY),
}))

/** Parts that are empty in the events of these senders, too. */
const EMPTY = [
  'apprise.failure body attachments',
  'buildbot.finished body builder tags',
  'contentful.publish body fields',
  'discord.command body member roles',
  'discord.button body member roles',
  'discord.modal body member roles',
  'github.push body commits 0 added',
  'github.push body commits 0 removed',
  'github.push body head_commit added',
  'github.push body head_commit removed',
  'github.pull_request.opened body pull_request labels',
  'google-calendar.exists body',
  'google-drive.update body',
  'shopify.product.update body fields_changed added',
  'shopify.product.update body fields_changed removed',
  'strava.activity_created body updates',
  'unleash.feature-environment-enabled body tags',
  'uptime-kuma.down body monitor tags',
]

test('an example event has content in every part, as its sender does', () => {
  const empty = requests.flatMap(({ name, ...request }) => emptyPaths(request, name))
  expect(empty.sort()).toEqual([...EMPTY].sort())
})

test('the facts of a sender have content in every part', () => {
  const facts = Object.entries(SENDER_FILES).flatMap(([name, file]) => emptyPaths(file.facts, name))
  expect(facts).toEqual([])
})
