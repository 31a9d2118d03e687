import * as v from 'valibot'
import { Secret } from '../../wire/secret.ts'
import { oneOrMore } from '../trigger.ts'
import { ALGORITHMS } from './algorithms.ts'
import { ENCODINGS } from './encodings.ts'
import { SCHEMES } from './schemes.ts'

/** A secret that is not set arrives as nothing, or as empty text, and would let everyone in. */
const secret = v.pipe(
  v.nullable(v.string(), ''),
  v.nonEmpty(
    'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?',
  ),
  v.transform((text) => new Secret(text)),
)

const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'is no name of a header'),
  v.toLowerCase(),
)

const text = v.pipe(v.string(), v.nonEmpty('is empty'))

const options = {
  scheme: v.pipe(
    v.optional(oneOrMore(v.picklist([...SCHEMES.keys()], 'scheme'))),
    v.description('How the sender proves who it is. Of several, one must hold.'),
  ),
  secret: v.pipe(
    v.optional(oneOrMore(secret)),
    v.description('What the sender and you share. Several while you rotate it: one must hold.'),
  ),
  tolerance: v.pipe(
    v.optional(v.pipe(v.number(), v.integer('is no whole number'), v.minValue(1, 'is below 1'))),
    v.description('Seconds that a signed time may lie before or after the receipt. Default 300.'),
  ),
  header: v.pipe(
    v.optional(headerName),
    v.description('`hmac`, `token`: header with the signature or the token.'),
  ),
  query: v.pipe(v.optional(text), v.description('`token`: query parameter with the token.')),
  field: v.pipe(v.optional(text), v.description('`token`: field of the body with the token.')),
  algorithm: v.pipe(
    v.optional(v.picklist(keys(ALGORITHMS), 'algorithm')),
    v.description('`hmac`: hash function. Default `sha256`.'),
  ),
  encoding: v.pipe(
    v.optional(v.picklist(keys(ENCODINGS), 'encoding')),
    v.description('`hmac`: how the signature is written. Default `hex`.'),
  ),
  prefix: v.pipe(
    v.optional(v.string()),
    v.description('`hmac`: what stands before the signature in the header, such as `sha256=`.'),
  ),
  template: v.pipe(
    v.optional(text),
    v.description(
      '`hmac`: what is signed, of `{body}`, `{timestamp}`, `{url}`, `{method}`, `{header.<name>}`. Default `{body}`.',
    ),
  ),
  timestampHeader: v.pipe(
    v.optional(headerName),
    v.description('`hmac`: header with the time that stands for `{timestamp}`.'),
  ),
  url: v.pipe(
    v.optional(secret),
    v.description('`trello`, `hmac`: the whole URL that the sender calls, since it signs it too.'),
  ),
  topic: v.pipe(
    v.optional(oneOrMore(text)),
    v.description('`aws_sns`: ARN of the topic. Without it every topic of every account will do.'),
  ),
}

/** One entry of `verify`, each option by itself: what fits a scheme is looked at afterwards. */
export const entry = v.strictObject(options, `options: ${keys(options).join(', ')}`)

export type Given = v.InferOutput<typeof entry>

/** `Object.keys` forgets the type; these objects have no other keys. */
export function keys<Of extends object>(object: Of): Extract<keyof Of, string>[] {
  return Object.keys(object) as Extract<keyof Of, string>[]
}
