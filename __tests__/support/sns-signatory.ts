import { createSign, randomBytes } from 'node:crypto'
import {
  BasicConstraintsExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

import { rsaKeys } from './rsa.ts'

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
}
export const EC = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const HOST = 'https://sns.us-west-2.amazonaws.com'

// Another for each suite: Amazon's own validator keeps what it once read from one.
export const CERTIFICATE_URL = `${HOST}/SimpleNotificationService-${randomBytes(16).toString('hex')}.pem`
export const SUBSCRIBE_URL = `${HOST}/?Action=ConfirmSubscription&TopicArn=arn:aws:sns:us-west-2:123456789012:MyTopic&Token=2336412f37`
export const TOPIC = 'arn:aws:sns:us-west-2:123456789012:MyTopic'

export type SnsMessage = Readonly<Record<string, unknown>>

/** https://docs.aws.amazon.com/sns/latest/dg/http-notification-json.html */
export const NOTIFICATION: SnsMessage = {
  Type: 'Notification',
  MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
  TopicArn: TOPIC,
  Subject: 'My First Message',
  Message: 'Hello world!',
  Timestamp: '2026-11-21T00:54:06.655Z',
  UnsubscribeURL: `${HOST}/?Action=Unsubscribe&SubscriptionArn=${TOPIC}:c9135db0`,
}

/** https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html */
export const CONFIRMATION: SnsMessage = {
  Type: 'SubscriptionConfirmation',
  MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
  Token: '2336412f37',
  TopicArn: TOPIC,
  Message: `You have chosen to subscribe to the topic ${TOPIC}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
  SubscribeURL: SUBSCRIBE_URL,
  Timestamp: '2026-11-21T00:54:06.655Z',
}

type CryptoKey = Parameters<typeof crypto.subtle.exportKey>[1]

export async function newKeys(kind: typeof RSA | typeof EC = RSA) {
  const keys = await crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  return keys as { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }
}

/** RSA keys that all suites share by name, in place of new ones. */
export async function sharedKeys(name: string): ReturnType<typeof newKeys> {
  const { publicKey, privateKey } = rsaKeys(name)
  const { subtle } = crypto
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  return {
    publicKey: await subtle.importKey('spki', new Uint8Array(spki), RSA, true, ['verify']),
    privateKey: await subtle.importKey('pkcs8', new Uint8Array(pkcs8), RSA, true, ['sign']),
  }
}

/** One for all, and not of RSA, whose keys take their time: nobody asks who issued a certificate. */
const AUTHORITY = makeAuthority()

async function makeAuthority() {
  const authority = await newKeys(EC)
  const root = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Test Authority',
    keys: authority,
    signingAlgorithm: EC,
    extensions: [new BasicConstraintsExtension(true)],
  })
  return { authority, root }
}

/** Someone who signs messages as SNS does, with a certificate that an authority of its own issued. */
export class Signatory {
  readonly certificate: string
  readonly #key: string

  private constructor(certificate: string, key: string) {
    this.certificate = certificate
    this.#key = key
  }

  static async create({
    kind = RSA,
    days = [-1, 1],
    subject = 'CN=sns.amazonaws.com',
    keys = newKeys(kind),
  }: {
    kind?: typeof RSA | typeof EC
    days?: readonly [number, number]
    subject?: string
    /** Made anew when left out. */
    keys?: ReturnType<typeof newKeys>
  } = {}): Promise<Signatory> {
    const { authority, root } = await AUTHORITY
    const { publicKey, privateKey } = await keys
    const leaf = await X509CertificateGenerator.create({
      subject,
      issuer: root.subject,
      publicKey,
      signingKey: authority.privateKey,
      signingAlgorithm: EC,
      notBefore: day(days[0]),
      notAfter: day(days[1]),
    })
    return new Signatory(chain([leaf, root]), await pem(privateKey))
  }

  /** The message with its signature, whatever fields it has: in alphabetical order, as SNS signs. */
  sign(message: SnsMessage, version: '1' | '2' = '2', certificate = CERTIFICATE_URL): SnsMessage {
    const names = [
      'Message',
      'MessageId',
      'Subject',
      'SubscribeURL',
      'Timestamp',
      'Token',
      'TopicArn',
      'Type',
    ]
    const text = names
      .filter((name) => name in message)
      .map((name) => `${name}\n${message[name]}\n`)
    const signer = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256').update(text.join(''))
    const Signature = signer.sign(this.#key, 'base64')
    return { ...message, SignatureVersion: version, Signature, SigningCertURL: certificate }
  }
}

/** When the messages above were received. */
export const RECEIVED = new Date('2026-11-21T00:54:07Z')

function day(distance: number): Date {
  return new Date(RECEIVED.getTime() + distance * 86_400_000)
}

function chain(certificates: readonly X509Certificate[]): string {
  return certificates.map((certificate) => certificate.toString('pem')).join('\n')
}

async function pem(key: CryptoKey): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', key))
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`
}
