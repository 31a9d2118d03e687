import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { certificatePem, type KeyPair } from './certificate.ts'
import { rsaKeys } from './rsa.ts'

const HOST = 'https://sns.us-west-2.amazonaws.com'

// A different address for each suite, because Amazon's own validator caches certificates.
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

/** EC keys take no time to create; RSA keys take a quarter of a second of CPU. */
function ecKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

/** The issuer of all certificates here; no verifier checks who issued a certificate of SNS. */
const ISSUER = { name: 'CN=Test Issuer', keys: ecKeys() }

/** A signer that signs messages as SNS does, with a certificate that `ISSUER` issued. */
export class Signatory {
  readonly certificate: string
  readonly #key: KeyObject

  constructor({
    keys = rsaKeys('sns'),
    days = [-1, 1],
    subject = 'CN=sns.amazonaws.com',
  }: {
    readonly keys?: KeyPair
    /** Validity in days, relative to `RECEIVED`. */
    readonly days?: readonly [number, number]
    /** Names, separated by commas; a comma within a name is not supported. */
    readonly subject?: string
  } = {}) {
    const validity = { notBefore: day(days[0]), notAfter: day(days[1]) }
    const leaf = certificatePem({ subject, publicKey: keys.publicKey, issuer: ISSUER, ...validity })
    const root = certificatePem({
      subject: ISSUER.name,
      publicKey: ISSUER.keys.publicKey,
      issuer: ISSUER,
      ...validity,
    })
    // SNS serves its certificate with the chain.
    this.certificate = `${leaf}${root}`
    this.#key = keys.privateKey
  }

  /** A signer whose certificate is not of RSA, which SNS never uses. */
  static elliptic(): Signatory {
    return new Signatory({ keys: ecKeys() })
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
