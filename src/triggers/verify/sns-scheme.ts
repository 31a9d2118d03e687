import { HttpFailure } from '../../wire/http.ts'
import { isObject, scalarText } from '../../wire/json.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { TriggerPorts } from '../trigger.ts'
import { concat, ENCODINGS } from './algorithms.ts'
import { MISMATCH, type Scheme, timeRefusal, type VerificationFault } from './scheme.ts'

/** Milliseconds for one request to Amazon. */
export const AMAZON_TIMEOUT = 5000

/** SNS retries a message for up to an hour, with the time of its first attempt. */
export const SNS_TOLERANCE = 3900

/**
 * The signature is in the message. Its certificate is at an address of Amazon, which the message
 * contains.
 */
export const awsSnsScheme: Scheme = {
  name: 'aws-sns',
  page: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
  needs: [],
  takes: ['topic', 'tolerance'],
  credentials: () => ({}),
  async check(request, settings, ports) {
    const message = signedMessage(request)
    if (typeof message === 'string') return message
    const { topic, tolerance = SNS_TOLERANCE } = settings
    const refusal = await signatureRefusal(message, ports)
    if (refusal !== undefined) return refusal
    const { TopicArn = '', Timestamp = '' } = message.fields
    if (topic && !topic.includes(TopicArn)) return 'the message belongs to another topic'
    return timeRefusal(Timestamp, tolerance, request, ports)
  },
}

/** The parts of an SNS message that its signature covers, and the signature itself. */
interface SignedMessage {
  readonly fields: Readonly<Record<string, string>>
  readonly hash: string
  readonly signature: Uint8Array<ArrayBuffer>
  readonly certificate: string
}

/** In the order of the signed string. */
const CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
]
const SIGNED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Notification', ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']],
  ['SubscriptionConfirmation', CONFIRMATION],
  ['UnsubscribeConfirmation', CONFIRMATION],
])

const HASHES: ReadonlyMap<string, string> = new Map([
  ['1', 'SHA-1'],
  ['2', 'SHA-256'],
])

/** The message, or the reason that its signature cannot be checked. */
function signedMessage({ body }: WebhookRequest): SignedMessage | string {
  const names = isObject(body) ? SIGNED_FIELDS.get(scalarText(body.Type)) : undefined
  if (!isObject(body) || !names) return 'the body is not an SNS message'
  const present = names.filter((name) => name !== 'Subject' || name in body)
  const texts = present.flatMap((name): [string, string][] => {
    const value = body[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  if (texts.length < present.length) return 'a signed field of the message is missing'
  const hash = HASHES.get(scalarText(body.SignatureVersion))
  if (!hash) return 'the signature version is neither 1 nor 2'
  const signature = ENCODINGS.base64(scalarText(body.Signature))
  const certificate = certificateUrl(body.SigningCertURL)
  if (!certificate) return 'the address of the certificate is not an address of SNS'
  if (!signature) return MISMATCH
  return { fields: Object.fromEntries(texts), hash, signature, certificate }
}

async function signatureRefusal(
  { fields, hash, signature, certificate }: SignedMessage,
  ports: TriggerPorts,
): Promise<VerificationFault> {
  const pem = await certificateText(certificate, ports)
  if (pem === undefined) return 'the certificate of SNS could not be downloaded'
  const key = await publicKey(pem, hash, ports.now())
  if (!key) return 'the certificate is invalid, expired, or does not belong to SNS'
  const signed = concat(Object.entries(fields).map(([name, value]) => `${name}\n${value}\n`))
  const holds = await crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, signature, signed)
  return holds ? undefined : MISMATCH
}

async function certificateText(url: string, { http }: TriggerPorts): Promise<string | undefined> {
  try {
    const reply = await http({ method: 'GET', url, timeout: AMAZON_TIMEOUT })
    return reply.status === 200 ? reply.text : undefined
  } catch (error) {
    if (error instanceof HttpFailure) return undefined
    throw error
  }
}

/**
 * Hidden from the bundler, because a worker has no Node modules; verification at the relay never
 * needs it.
 */
const NODE_CRYPTO: string = 'node:crypto'

/** The used part of `node:crypto`, because the compilation for a worker has no types of Node. */
interface NodeCrypto {
  readonly X509Certificate: new (
    pem: string,
  ) => {
    readonly subject: string
    readonly validFrom: string
    readonly validTo: string
    readonly publicKey: { export(form: { type: 'spki'; format: 'der' }): Uint8Array }
  }
}

/**
 * The key of an SNS certificate (RSA) that is valid at a time. The time is this machine's, because
 * the message chooses the time of receipt. WebCrypto cannot read certificates.
 */
async function publicKey(pem: string, hash: string, time: number) {
  const { X509Certificate }: NodeCrypto = await import(/* webpackIgnore: true */ NODE_CRYPTO)
  try {
    const { subject, validFrom, validTo, publicKey } = new X509Certificate(pem)
    const names = subject.split('\n').filter((part) => part.startsWith('CN='))
    if (names.length !== 1 || !COMMON_NAME.test(names[0] ?? '')) return undefined
    if (!(time >= Date.parse(validFrom) && time <= Date.parse(validTo))) return undefined
    const der = publicKey.export({ type: 'spki', format: 'der' })
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash }
    return await crypto.subtle.importKey('spki', Uint8Array.from(der), algorithm, false, ['verify'])
  } catch {
    return undefined // no PEM, or not RSA
  }
}

/** `sns` and the domain of a partition, optionally with a region between them. */
const COMMON_NAME =
  /^CN=sns[.-](?:[a-z0-9-]+\.)*(?:amazonaws\.(?:com|com\.cn|eu)|c2s\.ic\.gov|sc2s\.sgov\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/

/**
 * The hosts of SNS in each partition of AWS. A host must consist of a region and the domain of its
 * partition, because hosts such as `sns.s3-us-west-2.amazonaws.com` belong to the owner of a bucket.
 *
 * @see https://github.com/boto/botocore/blob/develop/botocore/data/partitions.json
 */
const HOSTS = [
  /^sns\.[a-z]{2}(?:-[a-z]+)+-\d\.amazonaws\.com$/, // also us-gov-west-1, of GovCloud
  /^sns\.cn(?:-[a-z]+)+-\d\.amazonaws\.com\.cn$/,
  /^sns\.eusc(?:-[a-z]+)+-\d\.amazonaws\.eu$/, // the European Sovereign Cloud
  /^sns\.us-iso(?:-[a-z]+)+-\d\.c2s\.ic\.gov$/,
  /^sns\.us-isob(?:-[a-z]+)+-\d\.sc2s\.sgov\.gov$/,
  /^sns\.eu-isoe(?:-[a-z]+)+-\d\.cloud\.adc-e\.uk$/,
  /^sns\.us-isof(?:-[a-z]+)+-\d\.csp\.hci\.ic\.gov$/,
]

/**
 * The exact form of Amazon's addresses, matched against the string before parsing, so that it does
 * not matter how a URL parser handles user info, ports, backslashes or line breaks.
 */
const ADDRESS = /^https:\/\/([a-z0-9.-]+)(\/[\w.~:/?#@!$&'()*+,;=%-]*)$/

/** The string if it is an HTTPS address of an SNS host, without port and user info. */
export function snsUrl(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const [, host = ''] = ADDRESS.exec(text) ?? []
  return HOSTS.some((pattern) => pattern.test(host)) ? text : undefined
}

/** The address of a signing certificate of SNS. */
export function certificateUrl(text: unknown): string | undefined {
  const url = snsUrl(text)
  const [, , path = ''] = ADDRESS.exec(url ?? '') ?? []
  return /^\/SimpleNotificationService-[0-9a-f]+\.pem$/.test(path) ? url : undefined
}
