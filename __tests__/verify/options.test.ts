import { describe, expect, test } from '@jest/globals'
import { UserError } from '../../src/wire/errors.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'

const SECRET = 'never-to-be-shown'

/** What a person reads about options in YAML flow style; nothing when they are right. */
function complaints(trigger: string, verify: string): string[] {
  const text = `${trigger}:\n  verify: ${verify}`
  const source = { name: 'input "on"', text, file: 'hook.yml' }
  try {
    readOnSection('hook', source, { secrets: { SET: SECRET, EMPTY: '' } })
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

const UNSET =
  '"verify.secret": is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'
const SCHEMES =
  'standard-webhooks, stripe, aws_sns, github, meta, shopify, slack, trello, typeform, hmac, gitlab, telegram, bearer, basic, token'
const OPTIONS =
  'scheme, secret, tolerance, header, query, field, algorithm, encoding, prefix, template, timestampHeader, url, topic'

describe('wrong is', () => {
  test.each([
    [`{scheme: github, secret: "\${{ secrets.UNSET }}"}`, UNSET],
    [`{scheme: github, secret: "\${{ secrets.EMPTY }}"}`, UNSET],
    ['{scheme: github, secret: ""}', UNSET],
    [`{scheme: github, secret: [${S}, "\${{ secrets.EMPTY }}"]}`, UNSET],
    ['{scheme: github, secret: }', UNSET],
    ['{scheme: github, secret: 5}', '"verify.secret" is a number, not a string'],
    ['{scheme: github}', '"verify": the scheme github needs "secret"'],
    ['{scheme: github, secret: []}', '"verify.secret": is an empty list'],
    [`{secret: ${S}}`, `"verify": names no "scheme"; there are: ${SCHEMES}`],
    [`{scheme: [], secret: ${S}}`, '"verify.scheme": is an empty list'],
    [
      `{scheme: gihub, secret: ${S}}`,
      `unknown scheme "gihub" | did you mean "github"? | allowed: ${SCHEMES}`,
    ],
    [
      `{scheme: github, secrt: ${S}}`,
      `unknown option "secrt" | did you mean "secret"? | options: ${OPTIONS}`,
    ],
    ['github', '"verify" is a string, not a mapping of options'],
    ['', '"verify" is empty, not a mapping of options'],
    ['[]', '"verify": is an empty list'],
    [
      `{scheme: github, secret: ${S}, tolerance: 9}`,
      '"verify": the scheme github does not use "tolerance"',
    ],
    [`{scheme: stripe, secret: ${S}, tolerance: 0}`, '"verify.tolerance": is below 1'],
    [`{scheme: stripe, secret: ${S}, tolerance: 1.5}`, '"verify.tolerance": is no whole number'],
    [`{scheme: trello, secret: ${S}}`, '"verify": the scheme trello needs "url"'],
    [
      `{scheme: basic, secret: ${S}}`,
      '"verify": "secret" has no colon: it is user:password for basic',
    ],
    [
      `{scheme: token, secret: ${S}}`,
      '"verify": one of "header", "query" and "field" names where the token stands',
    ],
    [
      `{scheme: token, secret: ${S}, header: a, query: b}`,
      '"verify": one of "header", "query" and "field" names where the token stands',
    ],
    [
      `{scheme: standard-webhooks, secret: ${S}}`,
      '"verify": "secret" is not whsec_… or whpk_… with base64 after it',
    ],
    [
      '{scheme: standard-webhooks, secret: whpk_AAAA}',
      '"verify": "secret" is not whsec_… or whpk_… with base64 after it',
    ],
    [
      '{scheme: standard-webhooks, secret: whsk_AAAA}',
      '"verify": "secret" is the private key of the sender (whsk_…): take the public one (whpk_…)',
    ],
    [`{scheme: hmac, secret: ${S}}`, '"verify": the scheme hmac needs "header"'],
    [`{scheme: hmac, secret: ${S}, header: "a b"}`, '"verify.header": is no name of a header'],
    [
      `{scheme: hmac, secret: ${S}, header: a, algorithm: md5}`,
      'unknown algorithm "md5" | allowed: sha1, sha256, sha384, sha512',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, encoding: utf8}`,
      'unknown encoding "utf8" | allowed: hex, base64, base64url',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, template: "{timestamp}"}`,
      '"verify": "template" leaves out {body}: any body would do',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, template: "{bdy}{body}"}`,
      '"verify": "template" has an unknown part {bdy}; there are: {body}, {timestamp}, {url}, {method}, {header.<name>}',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, template: "{timestamp}{body}"}`,
      '"verify": "timestampHeader" and {timestamp} in "template" belong together: an unsigned time proves nothing',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, timestampHeader: b}`,
      '"verify": "timestampHeader" and {timestamp} in "template" belong together: an unsigned time proves nothing',
    ],
    [
      `{scheme: hmac, secret: ${S}, header: a, template: "{url}{body}"}`,
      '"verify": "url" and {url} in "template" belong together',
    ],
  ])('webhook: %s', (verify, complaint) => {
    expect(complaints('webhook', verify)).toEqual([complaint])
  })
})
