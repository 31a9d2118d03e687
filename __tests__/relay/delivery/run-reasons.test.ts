import { afterEach, expect, test } from '@jest/globals'
import { stagesOf } from '../../../src/relay/admin/stages.ts'
import { dispatchEvent, runInShared } from '../../support/action.ts'
import { type DeliveryScene, id, startScene } from '../../support/delivery-scene.ts'
import { MINUTE } from '../../support/fake-time.ts'
import { type Annotation, RunsAtGitHub } from '../../support/runs-at-github.ts'

const scenes: DeliveryScene[] = []
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.close()
})

const LEVELS: Readonly<Record<string, Annotation['annotation_level']>> = {
  notice: 'notice',
  warning: 'warning',
  error: 'failure',
}

/** The annotations that a runner makes of the commands in the log. */
function annotationsOf(stdout: string): Annotation[] {
  return [...stdout.matchAll(/^::(notice|warning|error)(?: [^:]*)?::(.*)$/gm)].map(
    ([, command = '', message = '']) => ({
      annotation_level: LEVELS[command] ?? 'notice',
      message: message.replaceAll('%0A', '\n').replaceAll('%25', '%'),
    }),
  )
}

interface Case {
  readonly on: string
  readonly path?: string
  readonly secrets?: object
}

/** Runs the built action, and lets the follower of a relay read what GitHub then shows of its run. */
async function followed({ on, path = 'hook/webhook', secrets }: Case, isPrivate: boolean) {
  const body = JSON.stringify({ action: 'closed', note: 'the note of Ada', long: 'Ada'.repeat(54) })
  const headers = { 'content-type': 'application/json', 'x-hookline-delivery': id(1) }
  const { event, payload } = dispatchEvent({ path, method: 'POST', headers, body })
  const inputs = { on, ...(secrets && { secrets: JSON.stringify(secrets) }) }
  const repository = { private: isPrivate }
  const run = await runInShared({ event, payload: { ...payload, repository }, inputs })
  const annotations = annotationsOf(run.stdout)

  const runs = new RunsAtGitHub()
  const scene = await startScene(runs.rule)
  scenes.push(scene)
  runs.of(scene)
  const behavior = run.exitCode === 0 ? 'nothing_fired' : 'failure'
  runs.annotations = { [behavior]: annotations }
  runs.behavior.set('o/r', behavior)
  void scene.deliver(id(1), { name: 'r' })
  await scene.time.pass(3 * MINUTE)
  const [delivery] = await scene.table.list({ limit: 1 })
  if (!delivery) throw new Error('no delivery')
  return { delivery, annotations, summary: run.summary }
}

const VERIFIED = 'webhook: {verify: {scheme: hmac, secret: "${{ secrets.KEY }}", header: x-sign}}'

test.each<[string, Case, string, string]>([
  [
    'the value that a filter found',
    { on: 'webhook: {config: {filter: {body.action: opened}}}' },
    'filter: body.action is "closed", wanted "opened"',
    'Correct "filter"',
  ],
  ['another method', { on: 'webhook: {method: put}' }, 'method: post is not among put', 'method'],
  [
    'a failed verification',
    { on: VERIFIED, secrets: { KEY: 'hunter2' } },
    'verify: hmac: the header x-sign is missing',
    'gh secret set',
  ],
  [
    'another trigger',
    { on: 'webhook', path: 'hook/webhok' },
    'trigger: ',
    'hookline endpoint update',
  ],
  [
    'an inactive trigger',
    { on: 'webhook: {config: {active: false}}' },
    'condition: config.active',
    'Correct the trigger',
  ],
])(
  'a run that the action ends with %s is "nothing_fired", with this reason',
  async (_, sent, reason, cure) => {
    const { delivery, summary } = await followed(sent, true)
    expect(delivery).toMatchObject({ outcome: 'nothing_fired', conclusion: 'success' })
    expect(delivery.outcomeReason).toMatch(new RegExp(`^${reason}`))
    const last = stagesOf(delivery, undefined).at(-1)
    expect(last).toMatchObject({ state: 'failed', found: delivery.outcomeReason })
    expect(last?.cure).toContain(cure)
    expect(summary).toContain('No trigger fired')
  },
)

test('a missing secret fails the run, and the follower names it', async () => {
  const { delivery, annotations } = await followed({ on: VERIFIED, secrets: { KEY: '' } }, true)
  expect(annotations).toMatchObject([{ annotation_level: 'failure' }])
  expect(delivery).toMatchObject({ outcome: 'failure' })
  expect(delivery.outcomeReason).toContain('is the secret set')
  expect(stagesOf(delivery, undefined).at(-1)).toMatchObject({
    found: delivery.outcomeReason,
    cure: expect.stringContaining('gh secret set <NAME>, then: hookline deliveries replay'),
  })
})

test('a failed verification is a warning, too', async () => {
  const { annotations } = await followed({ on: VERIFIED, secrets: { KEY: 'hunter2' } }, false)
  expect(annotations).toMatchObject([
    { annotation_level: 'notice' },
    { annotation_level: 'warning', message: expect.stringContaining('verification failed') },
  ])
})

const PRIVATE_PARTS: readonly Case[] = [
  { on: 'webhook: {config: {filter: {body.action: opened, body.note: x}}}' },
  // Headers, values that contain a secret, and values of more than 160 characters, are not shown in private repositories either.
  { on: 'webhook: {config: {filter: {headers.content-type: x}}}' },
  {
    on: 'webhook: {config: {filter: {body.note: x}}}',
    secrets: { NAME: 'Ada' },
  },
  { on: 'webhook: {config: {filter: {body.long: x}}}' },
]

test.each([
  [
    0,
    false,
    'filter: body.action is another value, wanted "opened"; filter: body.note is another value, wanted "x"',
  ],
  [
    0,
    true,
    'filter: body.action is "closed", wanted "opened"; filter: body.note is "the note of Ada", wanted "x"',
  ],
  [1, true, 'filter: headers.content-type is another value, wanted "x"'],
  [3, true, 'filter: body.long is another value, wanted "x"'],
  [2, true, 'filter: body.note is another value, wanted "x"'],
])('case %i in a private repository (%p) is told as %s', async (at, isPrivate, reason) => {
  const sent = PRIVATE_PARTS[at]
  if (!sent) throw new Error('no such case')
  const { delivery, annotations, summary } = await followed(sent, isPrivate)
  expect(delivery.outcomeReason).toBe(reason)
  const isShown = JSON.stringify(annotations).includes('Ada')
  expect({ annotation: isShown, summary: summary.includes('Ada') }).toEqual({
    annotation: isPrivate && at === 0,
    summary: isPrivate && at === 0,
  })
})
