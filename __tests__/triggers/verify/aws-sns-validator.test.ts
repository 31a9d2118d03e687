import https from 'node:https'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import MessageValidator from 'sns-validator'
import { CONFIRMATION, NOTIFICATION, type SnsMessage } from '../../support/sns-signatory.ts'
import { post, scene } from './aws-sns-scene.ts'

const here = scene()
const { globalAgent } = https

/** Amazon's validator fetches by itself: each of its connections ends at the stand-in, without TLS. */
beforeEach(() => {
  const agent = new https.Agent()
  agent.createConnection = () => connect(Number(new URL(here.amazon.address).port), '127.0.0.1')
  https.globalAgent = agent
})
afterEach(() => {
  https.globalAgent = globalAgent
})

function amazonAccepts(message: SnsMessage): Promise<boolean> {
  return new Promise((resolve) => {
    new MessageValidator().validate({ ...message }, (error) => resolve(error === null))
  })
}

test.each([
  ['a notification of version 1', NOTIFICATION, '1'],
  ['a notification of version 2', NOTIFICATION, '2'],
  ['a confirmation of version 1', CONFIRMATION, '1'],
  ['a confirmation of version 2', CONFIRMATION, '2'],
] as const)("of %s, Amazon's validator thinks as the trigger does", async (_, message, version) => {
  const signed = here.signatory.sign(message, version)
  const changed = { ...signed, Message: 'another' }
  expect(await amazonAccepts(signed)).toBe(true)
  expect(await amazonAccepts(changed)).toBe(false)
  expect((await post(here, signed)).warnings ?? []).toEqual([])
  expect((await post(here, changed)).warnings).toHaveLength(1)
})
