import * as v from 'valibot'
import { HttpFailure } from '../wire/http.ts'
import { isObject, tryParseJson } from '../wire/json.ts'
import { warning } from '../wire/messages.ts'
import type { WebhookRequest } from '../wire/webhook-request.ts'
import { payloads } from './senders/aws-sns.ts'
import { firstExample, type ItemReader, receiveFromService } from './service.ts'
import { defineTrigger, type Reception, type TriggerPorts } from './trigger.ts'
import { AMAZON_TIMEOUT, snsUrl } from './verify/sns-scheme.ts'
import { bareVerification, requiredSignatures, verifyOption, verifyRequest } from './verify.ts'

/** https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html */
export const awsSns = defineTrigger({
  name: 'aws_sns',
  aliases: ['aws-sns'],
  description: 'Fires on a message of an Amazon SNS topic, and confirms the subscription to it.',
  options: v.strictObject({ verify: verifyOption('aws-sns') }),
  key: 'MessageId',
  outputs: {
    Message: 'The published message: an object if it is JSON, else the text.',
    Subject: 'The subject, if the message has one.',
    MessageId: 'Id of the message. A repetition has the same id.',
    TopicArn: 'ARN of the topic.',
    Timestamp: 'Time of the publication, in ISO 8601.',
    Type: '`Notification`.',
    MessageAttributes: 'The attributes of the message; the signature does not cover them.',
  },
  stringOutputs: ['Subject', 'MessageId', 'TopicArn', 'Timestamp', 'Type'],
  columns: ['Subject', 'Message', 'TopicArn', 'Timestamp'],
  example({ verify }) {
    return verify ? undefined : firstExample(payloads)
  },
  async receive(request, { verify }, ports) {
    const reception = await receiveFromService(request, verify, ports, readItem)
    const isRefused = reception.checks.some(({ option, held }) => option === 'verify' && !held)
    const { method, body } = request
    const isConfirmation =
      method === 'post' && isObject(body) && body.Type === 'SubscriptionConfirmation'
    return isConfirmation && !isRefused ? confirm(request, ports) : reception
  },
  signatures: ({ verify }) => requiredSignatures(verify),
})

const readItem: ItemReader = ({ headers, body }) => {
  if (isObject(body) && body.Type === 'Notification') {
    const { Message = null } = body
    const isJson = typeof Message === 'string' && /^\s*[[{]/.test(Message)
    return { ...body, Message: isJson ? (tryParseJson(Message) ?? Message) : Message }
  }
  if (headers['x-amz-sns-rawdelivery'] !== 'true') return 'is not a notification'
  // With "raw message delivery" the body is the message itself, and the metadata is in headers.
  return {
    Type: 'Notification',
    MessageId: headers['x-amz-sns-message-id'] ?? null,
    TopicArn: headers['x-amz-sns-topic-arn'] ?? null,
    Message: body,
  }
}

/**
 * Confirms only a message with Amazon's signature, whatever `verify` says, because the address in
 * it is fetched.
 */
async function confirm(request: WebhookRequest, ports: TriggerPorts): Promise<Reception> {
  const { held, checks, messages } = await verifyRequest(request, [AMAZON], ports)
  if (!held) return { checks, items: [], messages }
  const url = isObject(request.body) ? snsUrl(request.body.SubscribeURL) : undefined
  const failure = url === undefined ? 'its address is not one of SNS' : await visit(url, ports)
  const found =
    failure === undefined
      ? 'is a subscription request, which was confirmed'
      : 'is a subscription request'
  const body = { option: 'body', held: false, found }
  return {
    checks: [...checks, body],
    items: [],
    messages:
      failure === undefined
        ? []
        : [warning('unconfirmed', `a subscription was not confirmed: ${failure}`)],
  }
}

const AMAZON = bareVerification('aws-sns')

/** The reason that the request failed. */
async function visit(url: string, { http }: TriggerPorts): Promise<string | undefined> {
  try {
    const { status } = await http({ method: 'GET', url, timeout: AMAZON_TIMEOUT })
    return status === 200 ? undefined : `unexpected response from SNS (status ${status})`
  } catch (error) {
    if (error instanceof HttpFailure) return `no response from SNS (${error.reason})`
    throw error
  }
}
