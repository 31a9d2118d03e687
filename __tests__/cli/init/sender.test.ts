import { expect, test } from '@jest/globals'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { secretsOf } from '../../../src/cli/init/sender-workflow.ts'
import { readInlineOn } from '../../../src/compiler/native.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { SENDERS, senderNamed } from '../../../src/triggers/senders.ts'
import { readWorkflowFile } from '../../../src/workflow/workflow.ts'
import { stepsOf } from './steps.ts'

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
  return KINDS.get(kind)?.files({ name, sender: senderNamed(name) }) ?? []
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
  const steps = stepsOf('webhook', { name: 'pay', sender: senderNamed('square') })
  expect(steps).toContain(`
  echo .env >> .gitignore
  read -rs SQUARE_SIGNATURE_KEY && echo "SQUARE_SIGNATURE_KEY=$SQUARE_SIGNATURE_KEY" >> .env
  echo 'SQUARE_URL=http://localhost:3000/webhook/pay/webhook' >> .env
  # In a second terminal:
  hookline dev
  # In this terminal:
  HOOKLINE_WEBHOOK_SECRET="$SQUARE_SIGNATURE_KEY" hookline send 'http://localhost:3000/webhook/pay/webhook' --sender square
`)
  expect(steps).toContain('  gh secret set SQUARE_SIGNATURE_KEY\n  gh secret set SQUARE_URL\n')
})

test('the workflow of a sender that waits only briefly names the setting of its endpoint', () => {
  const ofSender = (name: string) => stepsOf('webhook', { name, sender: senderNamed(name) })
  expect(ofSender('docker-registry')).toMatch(/waits only briefly.*\n +respond: stored\n/)
  expect(ofSender('stripe')).not.toContain('respond:')
})
