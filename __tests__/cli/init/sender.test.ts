import { expect, test } from '@jest/globals'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { nextSteps } from '../../../src/cli/init/next-steps.ts'
import { reportText } from '../../../src/cli/init/report.ts'
import { secretsOf } from '../../../src/cli/init/sender-workflow.ts'
import { readInlineOn } from '../../../src/compiler/native.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { SENDERS, senderNamed } from '../../../src/triggers/senders.ts'
import { readWorkflowFile } from '../../../src/workflow/workflow.ts'

const CALLED = 'https://relay.example/octo/repo/hook/webhook?__token=t0ken'

/** A valid value for each secret of the scheme. */
function valuesOf(sender: (typeof SENDERS)[number]): Record<string, string> {
  const special: Record<string, string> = {
    'standard-webhooks': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    airtable: 'aHVzaA==',
    basic: 'user:hush',
    teams: 'aHVzaA==',
    adyen: '5f1b',
    discord: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    plaid: '{"kty":"EC","crv":"P-256","kid":"1","x":"AA","y":"AA"}',
    sendgrid:
      'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
  }
  const own = special[sender.scheme ?? sender.name] ?? 'hush'
  return Object.fromEntries(
    secretsOf(sender).map((name) => [name, name.endsWith('_URL') ? CALLED : own]),
  )
}

function filesOf(kind: string, name: string) {
  const answers = { kind, name, repository: 'octo/repo', relay: 'https://relay.example' }
  return KINDS.get(kind)?.files({ ...answers, sender: senderNamed(name) }) ?? []
}

test.each(SENDERS)('$name: both kinds of workflow declare the same trigger', (sender) => {
  const secrets = valuesOf(sender)
  const [native] = filesOf('webhook', sender.name)
  const [source] = filesOf('compiled', sender.name)
  const file = native?.path ?? ''
  const text = native?.text ?? ''
  const inline = readInlineOn('x', { name: file, file, text }, { secrets })
  const compiled = readWorkflowFile(
    'x',
    { name: 'x', file: source?.path ?? '', text: source?.text ?? '' },
    { contexts: { secrets }, triggers: TRIGGERS },
  )
  const [one] = inline?.triggers ?? []
  const [other] = compiled.triggers
  expect([one?.name, other?.name]).toEqual([
    sender.trigger ?? 'webhook',
    sender.trigger ?? 'webhook',
  ])
  expect(one?.config).toEqual(other?.config)
  for (const name of secretsOf(sender)) expect(native?.text).toContain(`"${name}": \${{ toJSON(`)
})

test('a secret that is not set is an error', () => {
  const [source] = filesOf('compiled', 'stripe')
  const file = { name: 'x', file: 'x.yml', text: source?.text ?? '' }
  const read = () => readWorkflowFile('x', file, { contexts: { secrets: {} }, triggers: TRIGGERS })
  expect(read).toThrow('secrets.STRIPE_SIGNING_SECRET')
})

test('the steps to try it send as the sender does, with its secret in no argument', () => {
  const kind = KINDS.get('webhook')
  if (!kind) throw new Error('no such kind')
  const answers = {
    kind: 'webhook',
    name: 'pay',
    repository: 'octo/repo',
    relay: 'https://relay.example',
    sender: senderNamed('square'),
  }
  const { url, curl, prepare, tryOut, secrets } = nextSteps(
    kind,
    answers,
    kind.files(answers),
    '3000',
  )
  expect([url, curl]).toEqual(['https://relay.example/octo/repo/pay/webhook', null])
  expect(prepare).toEqual([
    'echo .env >> .gitignore',
    'read -rs SQUARE_SIGNATURE_KEY && echo "SQUARE_SIGNATURE_KEY=$SQUARE_SIGNATURE_KEY" >> .env',
    "echo 'SQUARE_URL=http://localhost:3000/webhook/pay/webhook' >> .env",
  ])
  expect(tryOut).toEqual([
    'hookline dev',
    `HOOKLINE_WEBHOOK_SECRET="$SQUARE_SIGNATURE_KEY" hookline send 'http://localhost:3000/webhook/pay/webhook' --sender square`,
  ])
  expect(secrets).toEqual(['gh secret set SQUARE_SIGNATURE_KEY', 'gh secret set SQUARE_URL'])
})

test('the workflow of a sender that waits only briefly names the setting of its endpoint', () => {
  const kind = KINDS.get('webhook')
  if (!kind) throw new Error('no such kind')
  const stepsOf = (name: string) => {
    const base = { kind: 'webhook', name, repository: 'octo/repo', relay: 'https://relay.example' }
    const answers = { ...base, sender: senderNamed(name) }
    const files = kind.files(answers)
    return reportText(files, false, nextSteps(kind, answers, files, '3000'), false)
  }
  expect(stepsOf('docker-registry')).toMatch(/waits only briefly.*\n +respond: stored\n/)
  expect(stepsOf('stripe')).not.toContain('respond:')
})
