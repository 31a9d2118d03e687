import { afterEach, beforeAll, beforeEach } from '@jest/globals'
import type { Reception } from '../../../src/triggers/trigger.ts'
import { Amazon } from '../../support/amazon.ts'
import { bound, receive } from '../../support/receive.ts'
import { CERTIFICATE_URL, RECEIVED, Signatory, SUBSCRIBE_URL } from '../../support/sns-signatory.ts'

/** The stand-ins of a test of SNS, new for each test. */
export interface Scene {
  signatory: Signatory
  amazon: Amazon
}

/** An Amazon with the certificate of a signer, which accepts confirmations. */
export function scene(): Scene {
  // Filled before each test, because jest requires hooks for that.
  const made = {} as Scene
  beforeAll(() => {
    made.signatory = new Signatory()
  })
  beforeEach(async () => {
    made.amazon = await Amazon.start()
    made.amazon.answers = {
      [pathOf(CERTIFICATE_URL)]: { status: 200, text: made.signatory.certificate },
      [pathOf(SUBSCRIBE_URL)]: { status: 200, text: '<ok/>' },
    }
  })
  afterEach(() => made.amazon.stop())
  return made
}

/** The trigger's result for a message of SNS. */
export function post(
  { amazon }: Scene,
  message: unknown,
  options: unknown = { verify: {} },
  receivedAt: Date = RECEIVED,
): Promise<Reception> {
  const headers = { 'Content-Type': 'text/plain; charset=UTF-8' }
  const sent = { headers, body: JSON.stringify(message), receivedAt }
  return receive(bound('aws_sns', options), sent, { http: amazon.http, now: NOW })
}

/** The time of the machine that verifies. */
export const NOW = () => RECEIVED.getTime()

/** Path and query, as a server sees them. */
export function pathOf(url: string): string {
  return url.slice(new URL(url).origin.length)
}
