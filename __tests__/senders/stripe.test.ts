import { describe, expect, test } from '@jest/globals'
import Stripe from 'stripe'
import { parse } from 'yaml'
import { KINDS } from '../../src/cli/init/kinds.ts'
import { onSection } from '../../src/cli/init/sender-workflow.ts'
import { EXAMPLES } from '../../src/cli/send/example-events.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { evaluate, fillIn } from '../compiler/support/evaluate.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { payloadOf } from '../support/receive.ts'

const SECRET = 'whsec_of_a_destination'
const sender = senderNamed('stripe')
const stripe = new Stripe('sk_test_1')

/** The example of `send`, as JSON. */
function bodyOf(event: string): string {
  const example = EXAMPLES.get(`stripe.${event}`)
  const made = example?.request({ id: '5f6b3f0e-0000-4000-8000-000000000000', now: new Date() })
  return JSON.stringify(made?.body)
}

function signedBy(body: string): string {
  return stripe.webhooks.generateTestHeaderString({ payload: body, secret: SECRET })
}

async function outputsOf(body: string) {
  if (!sender) throw new Error('stripe is unknown')
  const headers = { 'content-type': 'application/json', 'stripe-signature': signedBy(body) }
  const event = dispatchEvent(payloadOf('webhook', { headers, body, receivedAt: new Date() }))
  const secrets = JSON.stringify({ STRIPE_SIGNING_SECRET: SECRET })
  return (await runInShared({ ...event, inputs: { on: onSection(sender), secrets } })).outputs
}

/** The step with `FORM` of a workflow that `init` writes. */
function formStepOf(kind: string) {
  const answers = { name: 'stripe', sender }
  const [file] = KINDS.get(kind)?.files(answers) ?? []
  const { jobs } = parse(file?.text ?? '')
  return jobs.react.steps.find((step: { env?: object }) => 'FORM' in (step.env ?? {}))
}

describe('the workflow of init, for', () => {
  test.each([
    ['checkout.session.completed', /^a snapshot event, /],
    ['v1.checkout.session.completed', /^a thin event, /],
  ])('%s', async (event, form) => {
    const outputs = await outputsOf(bodyOf(event))
    expect(outputs.triggered).toBe('true')
    const { env, if: condition, run } = formStepOf('webhook')
    const contexts = { steps: { hookline: { outputs } } }
    expect(evaluate(condition, contexts)).toBe(true)
    expect(fillIn(env.FORM, contexts)).toMatch(form)
    expect(run).toBe('echo "$FORM" >> "$GITHUB_STEP_SUMMARY"')
  })

  test('an event that does not fire: the expression is still valid', async () => {
    const outputs = await outputsOf(bodyOf('v1.checkout.session.completed').replace('v1.', 'v1.x.'))
    expect(outputs.triggered).toBe('false')
    const { env, if: condition } = formStepOf('webhook')
    const contexts = { steps: { hookline: { outputs } } }
    expect(evaluate(condition, contexts)).toBe(false)
    expect(fillIn(env.FORM, contexts)).toMatch(/^a /)
  })

  test('the compiler: the same sentences', () => {
    const { env } = formStepOf('compiled')
    const on = (object: string) => ({ on: { webhook: { outputs: { body: { object } } } } })
    const expression = env.FORM.replace('${{ on.', '${{ inputs.on.')
    expect(fillIn(expression, { inputs: on('event') })).toMatch(/^a snapshot event, /)
    expect(fillIn(expression, { inputs: on('v2.core.event') })).toMatch(/^a thin event, /)
  })
})

test("Stripe's own package reads both examples as the forms that they are", () => {
  const snapshot = bodyOf('checkout.session.completed')
  const { type } = stripe.webhooks.constructEvent(snapshot, signedBy(snapshot), SECRET)
  expect(type).toBe('checkout.session.completed')
  const thin = bodyOf('v1.checkout.session.completed')
  const notification = stripe.parseEventNotification(thin, signedBy(thin), SECRET)
  expect(notification.type).toBe('v1.checkout.session.completed')
  expect(() => stripe.webhooks.constructEvent(thin, signedBy(thin), SECRET)).toThrow()
})
