import { describe, expect, test } from '@jest/globals'
import { STAGES, stagesOf } from '../../../src/relay/admin/stages.ts'
import type { Delivery } from '../../../src/relay/store/delivery-rows.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { runNameLine } from '../../../src/workflow/run-name.ts'

const RECEIVED = Date.parse('2026-11-28T10:00:00Z')

const ENDPOINT: Endpoint = {
  ...{ owner: 'octo', name: 'orders', created: 0, repository: 'octo/shop' },
  ...{ workflow: 'orders', trigger: 'webhook', dispatch: 'repository', respond: 'github' },
  id: new Secret('the-id-of-the-endpoint'),
}

const ID = '0b8f6a3e-5d0c-4b3e-9d53-6a3f1f0f2a11'

function delivery(changes: Partial<Delivery>): Delivery {
  return {
    ...{ seq: 1, id: ID, request: ID, replayOf: null, batch: null, owner: 'octo' },
    ...{ repository: 'octo/shop', queue: 'octo/shop#own', endpoint: 'orders' },
    ...{ path: 'orders/webhook', method: 'POST', received: RECEIVED, size: 20 },
    ...{ state: 'delivered', reason: '', since: RECEIVED, queued: false, at: RECEIVED },
    ...{ attempts: 1, doubts: 0, next: null, wait: 0, accepted: RECEIVED, githubMs: 120 },
    ...{ run: null, outcome: null, outcomeReason: null, conclusion: null, details: null },
    ...{ failures: 0, explanation: null, key: 'k', bytes: 1 },
    ...changes,
  }
}

const RUN = 'https://github.com/octo/shop/actions/runs/7'

/** The reason that the action writes in a public repository. */
const REASON =
  'filter: body.action is another value, wanted "opened"; filter: body.n.x is another value, wanted 2'

const lastOf = (changes: Partial<Delivery>, endpoint: Endpoint | undefined = ENDPOINT) =>
  stagesOf(delivery(changes), endpoint).at(-1)

test('a delivery whose run succeeded has passed all stages', () => {
  const changes = { outcome: 'success', conclusion: 'success', run: RUN } as const
  const stages = stagesOf(delivery(changes), {
    ...ENDPOINT,
    if: 'body.live',
    verify: [{ scheme: 'stripe' }],
  })
  expect(stages.map(({ stage }) => stage)).toEqual([...STAGES])
  expect(stages.every(({ state, cure }) => state === 'ok' && cure === null)).toBe(true)
  expect(stages.map(({ found }) => found)).toEqual([
    'POST orders/webhook, 20 bytes',
    'verified by stripe',
    'the condition is true',
    'accepted by GitHub in 120 ms',
    RUN,
    'success',
  ])
})

test('an event is not sent before it was received, although the clock of GitHub shows whole seconds', () => {
  const stages = stagesOf(delivery({ received: RECEIVED + 700, accepted: RECEIVED }), ENDPOINT)
  expect(stages.find(({ stage }) => stage === 'sent')?.at).toBe(stages[0]?.at)
})

test('what an endpoint does not ask for is skipped', () => {
  expect(
    stagesOf(delivery({}), ENDPOINT)
      .slice(1, 3)
      .map(({ state }) => state),
  ).toEqual(['skipped', 'skipped'])
})

describe('the stage where it ended', () => {
  test.each<[string, Partial<Delivery>, string, string, string | RegExp | null]>([
    [
      'too large',
      { state: 'refused', reason: 'payload_too_large' },
      'received',
      'failed',
      /HOOKLINE_PUBLIC_URL/,
    ],
    [
      'a wrong signature',
      {
        state: 'refused',
        reason: 'invalid_signature',
        explanation: 'verify: stripe: the signature does not match',
      },
      'verified',
      'failed',
      /hookline endpoint update octo\/orders --sender <name> --secret-env/,
    ],
    [
      'a condition',
      { state: 'filtered', reason: 'if', explanation: 'if: body.live is not true' },
      'filtered',
      'failed',
      /--if '<condition>' && hookline deliveries replay 0b8f/,
    ],
    [
      'a refused event',
      { state: 'refused', reason: 'event_rejected' },
      'sent',
      'failed',
      /GitHub's reason says$/,
    ],
    [
      'a refused token',
      { state: 'waiting', reason: 'invalid_token', next: RECEIVED },
      'sent',
      'waiting',
      /HOOKLINE_GITHUB_TOKEN/,
    ],
    [
      'a rate limit',
      { state: 'waiting', reason: 'rate_limited', next: RECEIVED },
      'sent',
      'waiting',
      null,
    ],
    ['doubt', { state: 'uncertain', reason: 'github_timeout' }, 'sent', 'waiting', null],
    [
      'age',
      { state: 'dead', reason: 'too_old' },
      'sent',
      'failed',
      `Send it again: hookline deliveries replay ${ID}`,
    ],
    [
      'another mode',
      { state: 'dead', reason: 'workflow_not_listening' },
      'sent',
      'failed',
      /endpoint update octo\/orders --dispatch repository, then: hookline deliveries replay/,
    ],
    ['no branch', { state: 'dead', reason: 'ref_not_found' }, 'sent', 'failed', /--ref <branch>/],
    [
      'a hurried sender',
      { state: 'waiting', reason: 'stored', explanation: 'the sender hung up before the response' },
      'sent',
      'waiting',
      /--respond stored/,
    ],
    ['no run yet', { outcome: 'pending' }, 'run found', 'waiting', null],
    ['no run', { outcome: 'no_run' }, 'run found', 'failed', /hookline doctor/],
    ['a running one', { outcome: 'running', run: RUN }, 'run ended', 'waiting', null],
    [
      'an approval',
      { outcome: 'waiting_for_approval', run: RUN },
      'run ended',
      'waiting',
      `Approve the run: ${RUN}`,
    ],
    [
      'nothing fired',
      { outcome: 'nothing_fired', outcomeReason: 'condition: config.active is false', run: RUN },
      'run ended',
      'failed',
      /^Correct the trigger.*deliveries replay/,
    ],
    [
      'a wrong secret',
      { outcome: 'nothing_fired', outcomeReason: 'verify: stripe: no match', run: RUN },
      'run ended',
      'failed',
      /gh secret set <NAME>.*deliveries replay/,
    ],
    [
      'a filter',
      { outcome: 'nothing_fired', outcomeReason: 'filter: body.a is 1, wanted 2', run: RUN },
      'run ended',
      'failed',
      /"filter".*deliveries replay/,
    ],
    [
      'a rejection',
      { state: 'dead', reason: 'event_rejected', explanation: 'rejected: no ref' },
      'sent',
      'failed',
      /GitHub's reason says, then: .*replay/,
    ],
    ['skipped', { outcome: 'skipped', run: RUN }, 'run ended', 'failed', /hookline check/],
    ['startup', { outcome: 'startup_failure', run: RUN }, 'run ended', 'failed', /replay/],
    [
      'a failure',
      { outcome: 'failure', conclusion: 'timed_out', run: RUN },
      'run ended',
      'failed',
      new RegExp(RUN),
    ],
    [
      'no permission',
      { outcome: 'unknown', outcomeReason: 'app_permission_missing' },
      'run ended',
      'unknown',
      null,
    ],
    ['not followed', {}, 'run ended', 'unknown', null],
  ])('%s', (_name, changes, stage, state, cure) => {
    const last = lastOf(changes)
    expect(last).toMatchObject({ stage, state })
    if (cure === null) expect(last?.cure).toBeNull()
    else expect(last?.cure).toMatch(cure)
  })

  test('names the token of the endpoint, where the endpoint has one', () => {
    const own = { ...ENDPOINT, token: new Secret('ghp_a-token-that-must-not-be-shown') }
    const last = lastOf({ state: 'dead', reason: 'invalid_token' }, own)
    expect(last?.cure).toContain('hookline endpoint update octo/orders --credential token')
    expect(JSON.stringify(last)).not.toContain('must-not-be-shown')
  })

  test('a run without the delivery id in its name: the line to add', () => {
    const stages = stagesOf(
      delivery({ outcome: 'unknown', outcomeReason: 'no_delivery_id', path: 'hook/webhook' }),
      undefined,
    )
    expect(stages.find(({ stage }) => stage === 'run found')?.cure).toBe(
      `Add to the workflow: ${runNameLine('hook')}`,
    )
  })

  test('advises no replay where the payload is not stored, or the endpoint was deleted', () => {
    const cures = [
      lastOf({ state: 'filtered', reason: 'if', key: null }),
      lastOf({ state: 'dead', reason: 'too_old', endpoint: 'orders#deleted' }),
      lastOf({ state: 'dead', reason: 'ref_not_found', endpoint: 'orders#deleted' }),
      lastOf({ outcome: 'failure', run: RUN, key: null }),
      lastOf({ outcome: 'nothing_fired', run: RUN, key: null }),
      lastOf({ outcome: 'skipped', run: RUN, key: null }),
      lastOf({ outcome: 'startup_failure', run: RUN, key: null }),
    ].map((last) => last?.cure)
    for (const cure of cures) {
      expect(cure).toMatch(/let the sender send the event again$/)
      expect(cure).not.toContain('replay')
    }
  })

  test('names the scheme of a signature if the secret is its only setting', () => {
    const changes = { state: 'refused', reason: 'invalid_signature' } as const
    const cureOf = (...verify: NonNullable<Endpoint['verify']>) =>
      lastOf(changes, { ...ENDPOINT, verify })?.cure
    expect(cureOf({ scheme: ['stripe'], secret: ['x'] })).toContain('--verify stripe --secret-env')
    const mapping = { scheme: ['token'], header: 'x-key', secret: ['x'] }
    expect(cureOf(mapping)).toContain('--sender <name> --secret-env')
    expect(cureOf({ scheme: 'stripe' }, mapping)).toContain('--sender <name> --secret-env')
  })

  test('is told for a deleted endpoint, too', () => {
    const last = stagesOf(delivery({ state: 'dead', reason: 'endpoint_deleted' }), undefined).at(-1)
    expect(last?.cure).toContain('hookline endpoint create')
  })
})

test.each([
  [
    '{"action":"closed","n":{"x":1}}',
    'filter: body.action is "closed", wanted "opened"; filter: body.n.x is 1, wanted 2',
  ],
  [
    '{"action":"closed"}',
    'filter: body.action is "closed", wanted "opened"; filter: body.n.x is another value, wanted 2',
  ],
  ['no JSON', REASON],
  [null, REASON],
])('of a public repository, the reason gets its values from the stored body %p', (body, found) => {
  const changes = { outcome: 'nothing_fired', outcomeReason: REASON, run: RUN } as const
  expect(stagesOf(delivery(changes), ENDPOINT, body).at(-1)?.found).toBe(found)
})
