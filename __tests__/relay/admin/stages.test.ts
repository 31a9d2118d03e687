import { describe, expect, test } from '@jest/globals'
import { type Resting, stagesOf } from '../../../src/relay/admin/stages.ts'
import type { Delivery } from '../../../src/relay/store/delivery-rows.ts'
import type { Endpoint } from '../../../src/relay/store/endpoint-settings.ts'
import { VALUE_NOT_SET } from '../../../src/wire/run-reasons.ts'
import { Secret } from '../../../src/wire/secret.ts'

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
    ...{ state: 'delivered', reason: '', since: RECEIVED + 1000, queued: false, at: RECEIVED },
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

type Shown = ReturnType<typeof stagesOf>[number]

/** A stage without what is `null`. */
const known = (stage: Shown | undefined) =>
  Object.fromEntries(Object.entries(stage ?? {}).filter(([, value]) => value !== null))

const AT = '2026-11-28T10:00:00.000Z'
/** A second later, since when the delivery has its state. */
const SINCE = '2026-11-28T10:00:01.000Z'

test('a delivery whose run succeeded has passed all stages', () => {
  const changes = { outcome: 'success', conclusion: 'success', run: RUN } as const
  const stages = stagesOf(delivery(changes), {
    ...ENDPOINT,
    if: 'body.live',
    verify: [{ scheme: 'stripe' }],
  })
  const ok = { state: 'ok', at: null, wanted: null, cure: null }
  expect(stages).toEqual([
    { ...ok, stage: 'received', at: AT, found: 'POST orders/webhook, 20 bytes' },
    { ...ok, stage: 'verified', at: AT, found: 'verified by stripe' },
    {
      ...ok,
      stage: 'filtered',
      at: AT,
      found: 'the condition is true',
      wanted: 'body.live',
    },
    { ...ok, stage: 'sent', at: AT, found: 'accepted by GitHub in 120 ms' },
    { ...ok, stage: 'run found', found: RUN },
    { ...ok, stage: 'run ended', found: 'success' },
  ])
})

test('an event is not sent before it was received, although the clock of GitHub shows whole seconds', () => {
  const stages = stagesOf(delivery({ received: RECEIVED + 700, accepted: RECEIVED }), ENDPOINT)
  expect(stages.find(({ stage }) => stage === 'sent')?.at).toBe(stages[0]?.at)
  const later = stagesOf(delivery({ accepted: RECEIVED + 1000 }), ENDPOINT)
  expect(later.find(({ stage }) => stage === 'sent')?.at).toBe(SINCE)
})

test.each([ENDPOINT, undefined])('checks that %j does not ask for are skipped', (endpoint) => {
  const stages = stagesOf(delivery({}), endpoint).slice(1, 3)
  expect(stages.map(known)).toEqual([
    { stage: 'verified', state: 'skipped' },
    { stage: 'filtered', state: 'skipped' },
  ])
})

const UPDATE = 'hookline endpoint update octo/orders'
const REPLAY = `hookline deliveries replay ${ID}`
const SEND = 'let the sender send the event again'
const ACCESS =
  "Give the relay's GitHub credential access to the repository (HOOKLINE_GITHUB_TOKEN), restart the relay"
const OWN_TOKEN = `Store a token that may write to the repository: HOOKLINE_GITHUB_TOKEN=… ${UPDATE} --credential token`
const INSTALL = 'Install the GitHub App for the repository, with its permissions'
const PUSH = 'Push the workflow to the default branch; see: hookline doctor --workflow orders'
const LISTEN = `Let GitHub start the workflow as it declares: ${UPDATE} --dispatch repository`
const REF = `Name a branch or tag that exists: ${UPDATE} --ref <branch>, or ${UPDATE} --remove ref`
const DISPATCH = `Let the relay start the workflow by workflow_dispatch: ${UPDATE} --dispatch workflow`
const CORRECT = "Correct the event or the workflow as GitHub's reason says"
const SAME_SECRET = 'Enter the same secret at the sender, or here:'
const RELAY_KEYS = 'Add the missing relay key behind the first one, separated by a comma.'

const TOKEN = 'ghp_a-token-that-must-not-be-shown'
const WITH_TOKEN = { ...ENDPOINT, token: new Secret(TOKEN) }

const verifiedBy = (...verify: NonNullable<Endpoint['verify']>): Endpoint => ({
  ...ENDPOINT,
  verify,
})

describe('the stage where it ended', () => {
  type Ended = readonly [
    name: string,
    changes: Partial<Delivery> & Resting,
    last: Partial<Shown>,
    endpoint?: Endpoint | 'none',
  ]
  const refused = (reason: string, more: Partial<Delivery> = {}) =>
    ({ state: 'refused', reason, ...more }) as const
  const dead = (reason: string, more: Partial<Delivery> = {}) =>
    ({ state: 'dead', reason, attempts: 3, ...more }) as const
  const received = (reason: string, cure?: string) => ({
    ...({ stage: 'received', state: 'failed', at: AT } as const),
    found: `POST orders/webhook, 20 bytes: ${reason}`,
    ...(cure !== undefined && { cure }),
  })
  const unverified = (found: string, schemes: string, command = `${UPDATE} --sender <name>`) => ({
    ...({ stage: 'verified', state: 'failed', at: AT, found } as const),
    wanted: `a signature by ${schemes} with the endpoint's secret`,
    cure: `${SAME_SECRET} ${command} --secret-env <NAME>`,
  })
  const sent = (state: 'failed' | 'waiting', found: string, cure?: string) => ({
    ...({ stage: 'sent', state, at: SINCE, found } as const),
    ...(cure !== undefined && { cure }),
  })
  const givenUp = (reason: string, cure: string) =>
    sent('failed', `given up after 3 attempts: ${reason}`, cure)
  const ended = (found: string, cure: string) =>
    ({ stage: 'run ended', state: 'failed', found, cure }) as const

  const NOT_VALID = 'the signature is not valid'
  const THE_SCHEME = 'the scheme of the endpoint'
  const cases: readonly Ended[] = [
    [
      'a refusal of the relay',
      refused('invalid_path', { explanation: 'a dot segment' }),
      received('a dot segment'),
    ],
    [
      'one without a method',
      refused('invalid_workflow', { method: '' }),
      { ...received(''), found: 'a request orders/webhook, 20 bytes: invalid_workflow' },
    ],
    [
      'too large',
      refused('payload_too_large'),
      received(
        'payload_too_large',
        'Send less data, or let the relay store large bodies: set HOOKLINE_PUBLIC_URL.',
      ),
    ],
    [
      'a token in the body',
      refused('token_in_body'),
      received(
        'token_in_body',
        'Do not send the GitHub token in the body: everyone who can read the run can read it.',
      ),
    ],
    [
      'a wrong signature',
      refused('invalid_signature', { explanation: 'verify: stripe: no match' }),
      unverified('verify: stripe: no match', THE_SCHEME),
    ],
    [
      'one by two schemes',
      refused('invalid_signature'),
      unverified(NOT_VALID, 'stripe or slack'),
      verifiedBy({ scheme: ['stripe', 'slack'], secret: 's' }),
    ],
    [
      'one by two entries',
      refused('invalid_signature'),
      unverified(NOT_VALID, 'stripe or slack'),
      verifiedBy({ scheme: 'stripe' }, { scheme: 'slack' }),
    ],
    [
      'one by a scheme whose only setting is its secret',
      refused('invalid_signature'),
      unverified(NOT_VALID, 'stripe', `${UPDATE} --verify stripe`),
      verifiedBy({ scheme: ['stripe'], secret: ['x'] }),
    ],
    [
      'one by a scheme with another setting',
      refused('invalid_signature'),
      unverified(NOT_VALID, 'token'),
      verifiedBy({ scheme: 'token', header: 'x-key', secret: 'x' }),
    ],
    [
      'one of an endpoint that names no scheme now',
      refused('invalid_signature'),
      unverified(NOT_VALID, THE_SCHEME),
      verifiedBy({ secret: 'x' }),
    ],
    [
      'one of a deleted endpoint',
      refused('invalid_signature'),
      unverified(NOT_VALID, THE_SCHEME, 'hookline endpoint update <name> --sender <name>'),
      'none',
    ],
    [
      'a condition',
      { state: 'filtered', reason: 'if', explanation: 'if: body.live is not true' },
      {
        ...{ stage: 'filtered', state: 'failed', at: AT, found: 'if: body.live is not true' },
        wanted: 'body.live',
        cure: `Change the condition: ${UPDATE} --if '<condition>' && ${REPLAY}`,
      },
      { ...ENDPOINT, if: 'body.live' },
    ],
    [
      'a condition that was removed, of an event whose payload is not stored',
      { state: 'filtered', reason: 'if', key: null },
      {
        ...{ stage: 'filtered', state: 'failed', at: AT },
        found: 'the condition of the endpoint is not true',
        cure: `Change the condition: ${UPDATE} --if '<condition>', then ${SEND}`,
      },
    ],
    ...[
      ['invalid_token', ACCESS],
      ['repository_not_accessible', ACCESS],
      ['credential_revoked', ACCESS],
      ['app_not_installed', INSTALL],
      ['app_permission_missing', INSTALL],
      ['workflow_not_accessible', PUSH],
      ['workflow_not_listening', LISTEN],
      ['ref_not_found', REF],
      ['event_rejected', CORRECT],
      ['rate_limited', undefined],
      ['dispatch_not_supported', DISPATCH],
    ].map(([reason = '', cure]): Ended => [reason, refused(reason), sent('failed', reason, cure)]),
    [
      'a refusal with its explanation',
      refused('event_rejected', { explanation: 'GitHub rejected it' }),
      sent('failed', 'event_rejected: GitHub rejected it', CORRECT),
    ],
    ...[
      ['too_old', 'Send it again:'],
      ['maybe_accepted', 'Send it again:'],
      ['internal_error', 'Send it again:'],
      ['credential_revoked', `${ACCESS}, then:`],
      ['app_permission_missing', `${INSTALL}, then:`],
      ['workflow_not_accessible', `${PUSH}, then:`],
      ['workflow_not_listening', `${LISTEN}, then:`],
      ['ref_not_found', `${REF}, then:`],
      ['dispatch_not_supported', `${DISPATCH}, then:`],
      ['event_rejected', `${CORRECT}, then:`],
    ].flatMap(([reason = '', cure]): readonly Ended[] => [
      [`given up, ${reason}`, dead(reason), givenUp(reason, `${cure} ${REPLAY}`)],
      [
        `given up without a payload, ${reason}`,
        dead(reason, { key: null }),
        givenUp(reason, `${cure} ${SEND}`),
      ],
    ]),
    [
      'given up after one attempt',
      dead('too_old', { attempts: 1, explanation: 'GitHub was down' }),
      sent(
        'failed',
        'given up after 1 attempt: too_old: GitHub was down',
        `Send it again: ${REPLAY}`,
      ),
    ],
    [
      'a deleted endpoint, by age',
      dead('too_old', { endpoint: 'orders#deleted' }),
      givenUp('too_old', `Send it again: ${SEND}`),
      'none',
    ],
    [
      'a deleted endpoint',
      dead('endpoint_deleted', { endpoint: 'orders#deleted' }),
      givenUp(
        'endpoint_deleted',
        'Create the endpoint again, and let the sender send the event again: hookline endpoint create',
      ),
      'none',
    ],
    ['a lost key', dead('unreadable'), givenUp('unreadable', RELAY_KEYS)],
    [
      "the endpoint's token",
      dead('invalid_token'),
      givenUp('invalid_token', `${OWN_TOKEN}, then: ${REPLAY}`),
      WITH_TOKEN,
    ],
    [
      'a token of a sender',
      refused('invalid_token'),
      sent('failed', 'invalid_token', ACCESS),
      'none',
    ],
    [
      'a token URL without repository_dispatch',
      refused('dispatch_not_supported'),
      sent(
        'failed',
        'dispatch_not_supported',
        'Set HOOKLINE_FORGE=forgejo or HOOKLINE_FORGE=gitea on the relay, and restart the relay',
      ),
      'none',
    ],
    [
      'a workflow that only the URL names',
      dead('workflow_not_accessible', { path: 'ship/webhook/x' }),
      givenUp('workflow_not_accessible', `${PUSH.replace('orders', 'ship')}, then: ${REPLAY}`),
      'none',
    ],
    [
      'a workflow that was changed since',
      dead('workflow_not_accessible', { path: 'ship/webhook/x' }),
      givenUp('workflow_not_accessible', `${PUSH}, then: ${REPLAY}`),
    ],
    [
      'a rate limit',
      { state: 'waiting', reason: 'rate_limited', next: RECEIVED + 60_000 },
      sent('waiting', 'rate_limited (1 attempt, next attempt 2026-11-28T10:01:00.000Z)'),
    ],
    [
      'a queue that rests',
      { state: 'waiting', reason: 'queued', attempts: 0, waitsFor: 'invalid_token' },
      sent('waiting', 'queued behind invalid_token (0 attempts)', ACCESS),
    ],
    [
      'a queue that rests for the same reason',
      { state: 'waiting', reason: 'invalid_token', attempts: 2, waitsFor: 'invalid_token' },
      sent('waiting', 'invalid_token (2 attempts)', OWN_TOKEN),
      WITH_TOKEN,
    ],
    [
      'doubt',
      { state: 'uncertain', reason: 'github_timeout', explanation: 'no response' },
      sent('waiting', 'GitHub may have the event, github_timeout: no response (1 attempt)'),
    ],
    [
      'a hurried sender',
      { state: 'waiting', reason: 'stored', explanation: 'the sender hung up' },
      sent(
        'waiting',
        'stored: the sender hung up (1 attempt)',
        `The sender waits only briefly, so make this permanent: ${UPDATE} --respond stored`,
      ),
    ],
    [
      'an endpoint that stores',
      { state: 'waiting', reason: 'stored' },
      sent('waiting', 'stored (1 attempt)'),
    ],
    [
      'a key that is missing now',
      { state: 'waiting', reason: 'unreadable' },
      sent('waiting', 'unreadable (1 attempt)', RELAY_KEYS),
    ],
    [
      'no run yet',
      { outcome: 'pending' },
      { stage: 'run found', state: 'waiting', found: 'no run yet' },
    ],
    [
      'no run',
      { outcome: 'no_run' },
      {
        ...{ stage: 'run found', state: 'failed', at: '2026-11-28T10:02:00.000Z' },
        found: 'no run of the workflow orders within 2 minutes',
        cure: 'Find the reason: hookline doctor --repository octo/shop --workflow orders',
      },
    ],
    [
      'no run, but another one',
      { outcome: 'no_run', outcomeReason: 'other_workflow', accepted: null },
      {
        ...{ stage: 'run found', state: 'failed' },
        found: 'no run of the workflow orders within 2 minutes, but a run of another workflow',
        cure: 'Find the reason: hookline doctor --repository octo/shop --workflow orders',
      },
    ],
    [
      'a running one',
      { outcome: 'running', run: RUN },
      { stage: 'run ended', state: 'waiting', found: 'the run has not ended' },
    ],
    [
      'an approval',
      { outcome: 'waiting_for_approval', run: RUN },
      {
        ...{ stage: 'run ended', state: 'waiting', found: 'the run waits for an approval' },
        cure: `Approve the run: ${RUN}`,
      },
    ],
    [
      'nothing fired',
      { outcome: 'nothing_fired', run: RUN },
      ended(
        'no trigger fired',
        `Correct the trigger in the workflow, and push it, then: ${REPLAY}`,
      ),
    ],
    [
      'a wrong secret',
      { outcome: 'nothing_fired', outcomeReason: 'verify: stripe: no match', run: RUN, key: null },
      ended(
        'verify: stripe: no match',
        `Store the sender's secret in the repository: gh secret set <NAME>, then: ${SEND}`,
      ),
    ],
    [
      'skipped',
      { outcome: 'skipped', run: RUN },
      ended(
        'every job was skipped: no condition (if:) is true for this event',
        `Find the condition: hookline check, then: ${REPLAY}`,
      ),
    ],
    ...[null, 'invalid workflow'].map(
      (outcomeReason): Ended => [
        `startup, ${outcomeReason}`,
        { outcome: 'startup_failure', outcomeReason, run: RUN },
        ended(
          outcomeReason ?? 'the run failed before a job began',
          `Correct the error that the run shows, then: ${REPLAY}`,
        ),
      ],
    ),
    ...[
      [null, null, 'failure'],
      [null, 'timed_out', 'timed_out'],
      ['job a, step b: exit', 'failure', 'job a, step b: exit'],
    ].map(
      ([outcomeReason = null, conclusion = null, found]): Ended => [
        `a failure, ${outcomeReason}, ${conclusion}`,
        { outcome: 'failure', outcomeReason, conclusion, run: RUN },
        ended(found ?? '', `Read the log of the run: ${RUN}, then: ${REPLAY}`),
      ],
    ),
    [
      'a secret that is not set',
      { outcome: 'failure', outcomeReason: `job a: "secret" ${VALUE_NOT_SET}`, run: RUN },
      ended(
        `job a: "secret" ${VALUE_NOT_SET}`,
        `Store the secret in the repository, and pass it in the input "secrets" of the action: gh secret set <NAME>, then: ${REPLAY}`,
      ),
    ],
    [
      'a success whose steps were not read',
      { outcome: 'success', details: 'not_read', run: RUN },
      { stage: 'run ended', state: 'ok', found: 'success (its steps were not read)' },
    ],
  ]
  test.each(cases)('%s', (_name, changes, last, endpoint = ENDPOINT) => {
    const settings = endpoint === 'none' ? undefined : endpoint
    expect(known(stagesOf(delivery(changes), settings).at(-1))).toEqual(last)
  })

  test('shows no token', () => {
    const shown = JSON.stringify(stagesOf(delivery(dead('invalid_token')), WITH_TOKEN))
    expect(shown).not.toContain(TOKEN)
  })
})

const LINE = (id: string) => `Add to the workflow: run-name: hook \${{ ${id} }}`
const OF_PAYLOAD = LINE("github.event.client_payload.headers['x-hookline-delivery']")
const OF_INPUT = LINE("fromJSON(inputs.hookline || '{}').headers['x-hookline-delivery']")
const IN_WORKFLOW_MODE = { ...ENDPOINT, dispatch: 'workflow' } as const

test.each<[Partial<Delivery>, Partial<Shown>, Endpoint?]>([
  [{}, { state: 'unknown', found: 'the relay did not look for the run of this event' }],
  [{ run: RUN }, { state: 'ok', found: RUN }],
  [{ outcome: 'unknown' }, { state: 'unknown', found: 'GitHub did not tell' }],
  [
    { outcome: 'unknown', outcomeReason: 'repository_not_accessible' },
    {
      ...{ state: 'unknown', found: 'repository_not_accessible' },
      cure: 'Give the GitHub credential the permission Actions: Read.',
    },
  ],
  [
    { outcome: 'unknown', outcomeReason: 'app_permission_missing', run: RUN },
    {
      ...{ state: 'ok', found: 'app_permission_missing' },
      cure: 'Give the GitHub App the permission Actions: Read.',
    },
  ],
  [
    { outcome: 'unknown', outcomeReason: 'no_delivery_id' },
    { state: 'unknown', found: 'no_delivery_id', cure: OF_PAYLOAD },
  ],
  [
    { outcome: 'unknown', outcomeReason: 'no_delivery_id' },
    { state: 'unknown', found: 'no_delivery_id', cure: OF_PAYLOAD },
    ENDPOINT,
  ],
  [
    { outcome: 'unknown', outcomeReason: 'no_delivery_id' },
    { state: 'unknown', found: 'no_delivery_id', cure: OF_INPUT },
    IN_WORKFLOW_MODE,
  ],
])('the run of an accepted event whose end is unknown: %j', (changes, found, ...[endpoint]) => {
  const accepted = { attempts: 2, githubMs: null, accepted: null, path: 'hook/webhook' }
  expect(
    stagesOf(delivery({ ...accepted, ...changes }), endpoint)
      .slice(3)
      .map(known),
  ).toEqual([
    { stage: 'sent', state: 'ok', found: 'accepted by GitHub, 2 attempts' },
    { stage: 'run found', ...found },
    { stage: 'run ended', state: 'unknown' },
  ])
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
  [
    `{"action":"${'x'.repeat(159)}","n":{"x":"${'y'.repeat(158)}"}}`,
    `filter: body.action is "${'x'.repeat(159)}, wanted "opened"; filter: body.n.x is "${'y'.repeat(158)}", wanted 2`,
  ],
  ['no JSON', REASON],
  [null, REASON],
])('of a public repository, the reason gets its values from the stored body %p', (body, found) => {
  const changes = { outcome: 'nothing_fired', outcomeReason: REASON, run: RUN } as const
  expect(stagesOf(delivery(changes), ENDPOINT, body).at(-1)?.found).toBe(found)
})
