import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { SCHEME_NAMES } from '../../../src/triggers/verify/schemes.ts'
import { UserError } from '../../../src/wire/errors.ts'
import { renderProblem } from '../../../src/workflow/code-frame.ts'
import { readOnSection } from '../../../src/workflow/workflow.ts'

const SECRET = 'never-to-be-shown'

/** The messages about options in YAML flow style; none if they are valid. */
function complaints(trigger: string, verify: string): string[] {
  const text = `${trigger}:\n  verify: ${verify}`
  const source = { name: 'input "on"', text, file: 'hook.yml' }
  try {
    readOnSection('hook', source, {
      contexts: { secrets: { SET: SECRET, EMPTY: '' } },
      triggers: TRIGGERS,
    })
    return []
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return error.problems.map((problem) => {
      expect(renderProblem(problem)).not.toContain(SECRET)
      return [problem.message, problem.hint, ...(problem.notes ?? [])].filter(Boolean).join(' | ')
    })
  }
}

const S = `"\${{ secrets.SET }}"`

describe('right is', () => {
  test.each([
    ['webhook', `{scheme: github, secret: ${S}}`],
    ['webhook', `{scheme: github, secret: [${S}, ${S}]}`],
    ['webhook', `[{scheme: github, secret: ${S}}, {scheme: bearer, secret: ${S}}]`],
    ['webhook', `{scheme: [github, gitlab], secret: ${S}}`],
    ['webhook', `{scheme: stripe, secret: ${S}, tolerance: 10}`],
    ['webhook', `{scheme: trello, secret: ${S}, url: ${S}}`],
    ['webhook', `{scheme: token, secret: ${S}, query: key}`],
    ['webhook', `{scheme: token, secret: ${S}, field: "value[0].clientState"}`],
    ['webhook', `{scheme: basic, secret: "user:\${{ secrets.SET }}"}`],
    ['webhook', `{scheme: twilio, secret: ${S}, url: ${S}}`],
    ['webhook', `{scheme: monday, secret: ${S}}`],
    ['webhook', `{scheme: monday, secret: ${S}, url: ${S}}`],
    [
      'webhook',
      `{scheme: hmac, secret: ${S}, header: a, signatureField: v1, timestampField: t, separator: ";", signedPayload: "{timestamp}.{body}"}`,
    ],
    ['webhook', `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{body}{url}", url: ${S}}`],
    [
      'webhook',
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{url}{body}{url}{header.x}", url: ${S}}`,
    ],
    [
      'webhook',
      '{scheme: ed25519, header: a, secret: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}',
    ],
    ...[
      'separator: " ; ", signatureField: 2, timestampField: 1',
      'separator: "|||", signatureField: _v-1, timestampField: 99',
    ].map((list): [string, string] => [
      'webhook',
      `{scheme: hmac, secret: ${S}, header: "X-A!#$%&'*+.^_|~", ${list}, signedPayload: "{timestamp}.{body}"}`,
    ]),
    ...['{timestamp}{body}', '{body}{timestamp}', '{header.x}.{timestamp}{body}'].map(
      (signedPayload): [string, string] => [
        'webhook',
        `{scheme: hmac, secret: ${S}, header: a, timestampHeader: b, timestampFormat: seconds, signedPayload: "${signedPayload}"}`,
      ],
    ),
    ['webhook', '{scheme: hmac, secret: "0aff", secretEncoding: hex, header: a, algorithm: sha1}'],
    [
      'webhook',
      '{scheme: discord, secret: 302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a}',
    ],
    ['webhook', '{scheme: aws_sns}'],
    ['webhook', '{scheme: aws_sns, topic: [a, b], tolerance: 10}'],
    ['typeform', `{secret: ${S}}`],
    ['slack', `{secret: ${S}}`],
    ['slack', `{scheme: token, field: token, secret: ${S}}`],
    ['trello', `{secret: ${S}, url: ${S}}`],
    ['aws_sns', '{}'],
    ['google_form', '{secret: whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw}'],
  ])('%s: %s', (trigger, verify) => {
    expect(complaints(trigger, verify)).toEqual([])
  })
})

const SET_IT =
  'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'
const UNSET = `"verify.secret" ${SET_IT}`
const unset = (name: string) => `"verify.secret": ${name} ${SET_IT}`
const NAMES = SCHEME_NAMES.join(', ')
const OPTIONS =
  'scheme, secret, tolerance, header, query, field, algorithm, secretEncoding, signatureEncoding, signaturePrefix, signedPayload, timestampHeader, timestampFormat, signatureField, timestampField, separator, url, topic'

const SHAPE = ': it is user:password'

function shifting(before: string, after: string): string {
  return `"verify": "signedPayload" has no separator between ${before} and ${after}, so bytes could be moved from one to the other. Add one: ${before}.${after}`
}

describe('wrong is', () => {
  test.each([
    [`{scheme: github, secret: "\${{ secrets.UNSET }}"}`, unset('secrets.UNSET')],
    [`{scheme: github, secret: "\${{ secrets.EMPTY }}"}`, unset('secrets.EMPTY')],
    ['{scheme: github, secret: ""}', UNSET],
    [`{scheme: github, secret: [${S}, "\${{ secrets.EMPTY }}"]}`, unset('secrets.EMPTY')],
    ['{scheme: github, secret: " "}', UNSET],
    ['{scheme: github, secret: "\\n"}', UNSET],
    ['{scheme: github, secret: }', UNSET],
    [
      '{scheme: github, secret: 5}',
      '"verify.secret" is a number, not a string | write it in quotes',
    ],
    ['{scheme: github}', '"verify": the scheme github needs "secret"'],
    ['{scheme: github, secret: []}', '"verify.secret" is an empty list'],
    [`{secret: ${S}}`, `"verify": "scheme" is missing; schemes: ${NAMES}`],
    [`{scheme: [], secret: ${S}}`, '"verify.scheme" is an empty list'],
    [
      `{scheme: gihub, secret: ${S}}`,
      `unknown scheme "gihub" | did you mean "github"? | allowed: ${NAMES}`,
    ],
    [
      `{scheme: github, secrt: ${S}}`,
      `unknown option "secrt" | did you mean "secret"? | options: ${OPTIONS}`,
    ],
    ['github', '"verify" is a string, not a mapping of options'],
    ['', '"verify" is empty, not a mapping of options'],
    ['[]', '"verify" is an empty list'],
    ['[[github]]', 'an item of "verify" is a list, not a mapping of options'],
    [
      `{scheme: github, secret: ${S}, tolerance: 9}`,
      '"verify": the scheme github does not use "tolerance"',
    ],
    [`{scheme: stripe, secret: ${S}, tolerance: 0}`, '"verify.tolerance" is below 1'],
    [`{scheme: stripe, secret: ${S}, tolerance: 1.5}`, '"verify.tolerance" is not a whole number'],
    [`{scheme: trello, secret: ${S}}`, '"verify": the scheme trello needs "url"'],
    [
      `{scheme: basic, secret: ${S}}`,
      '"verify": "secret" has no colon: it is user:password for basic',
    ],
    ['{scheme: basic, secret: ":word"}', `"verify": "secret" has no user before its colon${SHAPE}`],
    ['{scheme: basic, secret: ":"}', `"verify": "secret" has no user before its colon${SHAPE}`],
    [
      '{scheme: basic, secret: "user: "}',
      `"verify": "secret" has no password after its colon${SHAPE}`,
    ],
    ...['twilio', 'square', 'hubspot', 'contentful'].map((scheme) => [
      `{scheme: ${scheme}, secret: ${S}}`,
      `"verify": the scheme ${scheme} needs "url"`,
    ]),
    ...['0', '100', 'a b', '"1a"', 'true', '1.5'].map((place) => [
      `{scheme: hmac, secret: ${S}, header: a, signatureField: ${place}}`,
      `"verify.signatureField" is ${place === 'true' ? 'a boolean, not a string or a number' : 'neither a field name nor a position'}`,
    ]),
    ...['ab', '"="', '"    "', '";;;;"', '"a;"', '" "'].map((separator) => [
      `{scheme: hmac, secret: ${S}, header: a, signatureField: v1, separator: ${separator}}`,
      '"verify.separator" is not a separator such as , or ;',
    ]),
    ...['""', '"a:"', '"a\\n"', '"ä"'].map((header) => [
      `{scheme: hmac, secret: ${S}, header: ${header}}`,
      '"verify.header" is not a header name',
    ]),
    [
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: ""}`,
      '"verify.signedPayload" is empty',
    ],
    [`{scheme: token, secret: ${S}, query: ""}`, '"verify.query" is empty'],
    [`{scheme: token, secret: ${S}, field: ""}`, '"verify.field" is empty'],
    [
      `{scheme: token, secret: ${S}, query: a, field: b}`,
      '"verify": set exactly one of "header", "query" and "field": the location of the token',
    ],
    ['{scheme: aws_sns, topic: []}', '"verify.topic" is an empty list'],
    [
      `{scheme: hmac, secret: ${S}, header: a, separator: ";"}`,
      '"verify": "timestampField" and "separator" need "signatureField", the name of the signature',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampFormat: seconds}`,
      '"verify": "timestampFormat" needs {timestamp} in "signedPayload"',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampFormat: minutes}`,
      'unknown timestampFormat "minutes" | allowed: seconds, milliseconds, rfc3339',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, url: ${S}}`,
      '"verify": "url" and {url} in "signedPayload" belong together',
    ],
    [
      `{scheme: hmac, secret: [abcd, abc], secretEncoding: hex, header: a}`,
      '"verify": "secret" is not hex: pairs of 0-9 and a-f',
    ],
    [
      `{scheme: hmac, secret: ${S}, secretEncoding: base32, header: a}`,
      'unknown secretEncoding "base32" | did you mean "base64"? | allowed: text, base64, hex',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampHeader: b, timestampFormat: seconds, signedPayload: "{header.x}{body}{timestamp}"}`,
      shifting('{header.x}', '{body}'),
    ],
    [`{scheme: contentful, secret: ${S}, url: no address}`, '"verify": "url" is not an address'],
    [
      '{scheme: discord, secret: "302a300506032b6570032101d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}',
      '"verify": "secret" is not a public key of Ed25519: 32 bytes in hex or base64, or SPKI',
    ],
    ['{scheme: github, tolerance: 1.5}', '"verify.tolerance" is not a whole number'],
    [`{scheme: airtable, secret: "no base64!"}`, '"verify": "secret" is not base64'],
    [
      `{scheme: discord, secret: ${S}}`,
      '"verify": "secret" is not a public key of Ed25519: 32 bytes in hex or base64, or SPKI',
    ],
    [
      `{scheme: sendgrid, secret: ${S}}`,
      '"verify": "secret" is not a public key of P-256: the base64 of its SPKI, as the sender shows it',
    ],
    [
      `{scheme: plaid, secret: ${S}}`,
      '"verify": "secret" is not a JWK of P-256 with a "kid", as /webhook_verification_key/get of Plaid gives it',
    ],
    ...['{header.x}{body}', '{body}{header.x}', '{method}{body}'].map((template) => {
      const [, a = '', b = ''] = /(\{.*\})(\{.*\})/.exec(template) ?? []
      return [
        `{scheme: hmac, secret: ${S}, header: a, signedPayload: "${template}"}`,
        shifting(a, b),
      ]
    }),
    ...['{timestamp}{body}', '{timestamp}v1{body}'].map((template) => [
      `{scheme: hmac, secret: ${S}, header: a, timestampHeader: b, signedPayload: "${template}"}`,
      shifting('{timestamp}', '{body}'),
    ]),
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampField: t, signedPayload: "{timestamp}.{body}"}`,
      '"verify": "timestampField" and "separator" need "signatureField", the name of the signature',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signatureField: v1, timestampField: t, timestampHeader: b, signedPayload: "{timestamp}.{body}"}`,
      '"verify": "timestampField" cannot be combined with "timestampHeader"',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signatureField: v1, separator: "ab"}`,
      '"verify.separator" is not a separator such as , or ;',
    ],
    [
      `{scheme: token, secret: ${S}}`,
      '"verify": set exactly one of "header", "query" and "field": the location of the token',
    ],
    [
      `{scheme: token, secret: ${S}, header: a, query: b}`,
      '"verify": set exactly one of "header", "query" and "field": the location of the token',
    ],
    [
      `{scheme: standard-webhooks, secret: ${S}}`,
      '"verify": "secret" is not whsec_… or whpk_… with base64 after it',
    ],
    [
      '{scheme: standard-webhooks, secret: whpk_AAAA}',
      '"verify": "secret" is a public key (whpk_…) of 3 bytes, but one of Ed25519 has 32',
    ],
    [
      '{scheme: standard-webhooks, secret: whsk_AAAA}',
      '"verify": "secret" is the private key of the sender (whsk_…): take the public one (whpk_…)',
    ],
    [`{scheme: hmac, secret: ${S}}`, '"verify": the scheme hmac needs "header"'],
    [`{scheme: hmac, secret: ${S}, header: "a b"}`, '"verify.header" is not a header name'],
    [
      `{scheme: hmac, secret: ${S}, header: a, algorithm: md5}`,
      'unknown algorithm "md5" | allowed: sha1, sha256, sha384, sha512',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signatureEncoding: utf8}`,
      'unknown signatureEncoding "utf8" | allowed: hex, base64, base64url',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{timestamp}"}`,
      '"verify": "signedPayload" lacks {body}, so any body would be accepted',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{bdy}{body}"}`,
      '"verify": "signedPayload" has an unknown placeholder {bdy}; there are: {body}, {timestamp}, {url}, {method}, {header.<name>}',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{timestamp}{body}"}`,
      '"verify": "timestampHeader", or "timestampField", and {timestamp} in "signedPayload" belong together, because an unsigned time is no protection',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampHeader: b}`,
      '"verify": "timestampHeader", or "timestampField", and {timestamp} in "signedPayload" belong together, because an unsigned time is no protection',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, signedPayload: "{url}{body}"}`,
      '"verify": "url" and {url} in "signedPayload" belong together',
    ],
  ])('webhook: %s', (verify, complaint) => {
    expect(complaints('webhook', verify)).toEqual([complaint])
  })
})
