import { createSign, type KeyObject } from 'node:crypto'

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

interface CertificateFields {
  /** Names of RFC 4514, from the first to the last: `CN=a.example, O=Acme`. */
  readonly subject: string
  readonly publicKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
  /** An EC key signs the certificate. */
  readonly issuer: { readonly name: string; readonly keys: KeyPair }
}

/** Object identifiers in DER: ecdsa-with-SHA256 (RFC 5758), commonName and organizationName. */
const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const NAMES: Readonly<Record<string, string>> = { CN: '0603550403', O: '060355040a' }

/**
 * An X.509 certificate (RFC 5280) without extensions, as PEM, because Node reads certificates but
 * cannot create one.
 */
export function certificatePem(fields: CertificateFields): string {
  const { subject, publicKey, notBefore, notAfter, issuer } = fields
  const algorithm = sequence(ECDSA_SHA256)
  const content = sequence(
    der(0x02, Buffer.from([1])), // the serial number; the version is 1, its default
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(notBefore), time(notAfter)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = createSign('SHA256').update(content).sign(issuer.keys.privateKey)
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]))
  const base64 = sequence(content, algorithm, bits).toString('base64')
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}

function distinguishedName(text: string): Buffer {
  const names = text.split(/, /).map((part) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(part) ?? []
    const type = Buffer.from(NAMES[name] ?? '', 'hex')
    return der(0x31, sequence(type, der(0x0c, Buffer.from(value.replaceAll('\\', '')))))
  })
  return sequence(...names)
}

/** GeneralizedTime: `20261121005407Z`. */
function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

/** Tag, length and content of X.690. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
