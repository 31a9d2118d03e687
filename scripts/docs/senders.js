import { readFileSync } from 'node:fs'
import { code, table } from './table.js'

const built = new URL('../../build/', import.meta.url)
/** @type {typeof import('../../src/triggers/senders.ts')} */
const { SENDERS } = await import(new URL('triggers/senders.js', built).href)
/** @type {typeof import('../../src/triggers/verify/schemes.ts')} */
const { SCHEMES, ruleOf } = await import(new URL('triggers/verify/schemes.js', built).href)
/** @type {typeof import('../../src/cli/init/kinds.ts')} */
const { KINDS } = await import(new URL('cli/init/kinds.js', built).href)
/** @type {typeof import('../../src/cli/init/sender.ts')} */
const { secretsOf, triggerOf } = await import(new URL('cli/init/sender.js', built).href)
/** @type {typeof import('../../src/cli/send/signatures.ts')} */
const { PAIRED } = await import(new URL('cli/send/signatures.js', built).href)

/**
 * Whose package signs, or agrees, in the tests themselves. A test holds it against what it does.
 *
 * @type {Record<string, string>}
 */
const SIGNED_BY = read('signed-by.json')

/**
 * What is recorded of a vendor's package, or published by it.
 *
 * @type {{sender: string}[]}
 */
const VECTORS = read('vectors.json')

/** @param {string} name */
function read(name) {
  return JSON.parse(
    readFileSync(new URL(`../../__tests__/senders/${name}`, import.meta.url), 'utf8'),
  )
}

/** @typedef {import('../../src/triggers/sender.ts').Sender} Sender */

/** Pages that a person wrote, since there is more to say. */
const WRITTEN = [
  ...['aws-sns', 'github', 'google-form', 'shopify', 'slack', 'standard-webhooks', 'stripe'],
  ...['trello', 'typeform'],
]

/** @typedef {import('../../src/triggers/sender.ts').Page} Page */

/** What their files say of them, by name. */
const PAGES = new Map(
  await Promise.all(
    SENDERS.map(async ({ name }) => {
      const { page } = await import(new URL(`triggers/senders/${name}.js`, built).href)
      return /** @type {[string, Page]} */ ([name, page ?? {}])
    }),
  ),
)

const NOTICE = '<!-- Made by "npm run docs" from src/triggers/senders/: change it there. -->'

/** The pages that are made of the table, by file name. */
export function senderPages() {
  return SENDERS.flatMap((sender) => {
    const { click, more = '' } = PAGES.get(sender.name) ?? {}
    if (click === undefined) return []
    return [[`docs/senders/${sender.name}.md`, page(sender, click, more)]]
  })
}

/** @type {Record<string, string>} */
const HANDSHAKES = {
  relay: 'The relay answers the challenge by which it makes sure that the URL is yours.',
  both: 'The relay answers the challenge by which it makes sure that the URL is yours.',
  workflow: 'Its first request is for you.',
  door: 'The challenge by which it makes sure that the URL is yours is answered where the grant in the URL carries what proves the sender (`npx hookline grant --verify`), and nowhere else.',
  '': 'There is no handshake.',
}

/**
 * @param {Sender} sender
 * @param {string} click
 * @param {string} more
 */
function page(sender, click, more) {
  const { name, title, handshake = '', shown, retries } = sender
  const trigger = triggerOf(sender)
  const url = `https://relay.example.com/octo/repo/${name}/${trigger}?__token=…`
  const secrets = secretsOf(sender)
  const urlSecret = secrets.find((secret) => secret !== sender.secret)
  const store = [
    `Store ${shown}, as the secret \`${sender.secret}\` of the repository`,
    ...(urlSecret ? [`, and the URL, all of it, as \`${urlSecret}\`, since it is signed too`] : []),
    '.',
  ].join('')
  return `${NOTICE}
# ${title}

Events of ${title} come to the generic trigger.

## Set up

${click}

The URL is \`${url}\`. ${store} ${HANDSHAKES[handshake]}

## Workflow

\`\`\`yaml
# workflows/${name}.yml
${workflowOf(sender)}\`\`\`

\`npx hookline init --sender ${name}\` writes it, or one without a compiler. ${eventText(sender)}${trialText(sender)}

## Verification

${proofText(sender)}${more && `\n\n${more}`}

## Retries

${capital(retries)}.

## Deduplicate by

${repeatText(sender)}
`
}

/** @param {Sender} sender */
function workflowOf(sender) {
  const answers = { kind: 'compiled', name: sender.name, repository: '', relay: '', sender }
  const [file] = KINDS.get('compiled')?.files(answers) ?? []
  return (file?.text ?? '').replace(/^#.*\n/, '')
}

/** @param {Sender} sender */
function eventText({ title, events }) {
  if (!events) return `\`body\` is what ${title} sends.`
  const [path] = events
  return `It fires on the usual events, by \`${path}\`; \`body\` is what ${title} sends, \`headers\` what comes with it.`
}

/** @param {Sender} sender */
function trialText({ name, title, secret }) {
  if (!PAIRED.includes(name)) return ''
  return `\n\n\`npx hookline send <url> --as ${name} --key ${name}.pem\` tries it as ${title} would send it, with a pair of keys that it makes in that file; it shows the public half, for \`${secret}\` in \`.env\`.`
}

/** @param {Sender} sender */
function proofText(sender) {
  const { name, scheme = name } = sender
  const page = SCHEMES.get(scheme)?.page
  const time = SCHEMES.get(scheme)?.takes?.includes('tolerance')
    ? ` A request more than ${ruleOf(scheme)?.tolerance ?? 300} seconds from its signed time is refused, either way.`
    : ' No time is signed, so a copy of a request cannot be told from it: deduplicate.'
  return `The scheme is \`${scheme}\`${page ? `, [as ${sender.title} describes it](${page})` : ''}: ${proofOf(scheme)}.${time}`
}

/** @param {Sender} sender */
function repeatText({ repeat, title }) {
  if (repeat === undefined) {
    return `Nothing in a request of ${title} says that it is a repetition: by all that it holds.`
  }
  if (repeat === 'id') return '`id` of the body, by itself.'
  return `\`${repeat}\`, the same for each attempt.`
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** @type {Record<string, string>} */
const SHOWN_HANDSHAKE = {
  relay: 'answered',
  both: 'answered, and an event',
  workflow: 'by the workflow',
  door: 'by a grant',
  '': '',
}

/** Every sender of the table. */
export function sendersTable() {
  const made = SENDERS.filter(({ name }) => PAGES.get(name)?.click !== undefined)
  const pages = [...WRITTEN, ...made.map(({ name }) => name)]
  const rows = SENDERS.map(({ name, title, scheme = name, handshake = '', retries, repeat }) => [
    pages.includes(name) ? `[${title}](${name}.md)` : title,
    code(name),
    code(scheme),
    SHOWN_HANDSHAKE[handshake] ?? '',
    retries,
    repeat === undefined ? 'its hash' : code(repeat),
  ])
  return table(['sender', 'name', 'proof', 'handshake', 'retries', 'a repeat has the same'], rows)
}

/** How many there are, and who signed for each of them in the tests. */
export function countText() {
  const handshakes = SENDERS.filter(({ handshake }) => handshake !== undefined)
  const granted = handshakes.filter(({ handshake }) => handshake === 'door')
  const vendors = SENDERS.filter(
    ({ name }) => Object.hasOwn(SIGNED_BY, name) || VECTORS.some(({ sender }) => sender === name),
  )
  return `${SENDERS.length} senders are known by name, ${SCHEMES.size} ways of proving them. The tests sign a request of each, forge it in six ways, and send it through the relay to the action: for ${vendors.length} of them what signs, or agrees, is the vendor's own package or published example. Of the ${handshakes.length} that ask for a handshake, all get it; ${granted.map(({ title }) => title).join(' and ')} where the grant in the URL carries what proves them.`
}

/** Every scheme, and where it looks. */
export function schemesTable() {
  const rows = [...SCHEMES.values()].map(({ name, page, needs }) => [
    code(name),
    proofOf(name) + (needs.includes('url') ? '; needs `url`' : ''),
    page ? `[page](${page})` : '',
  ])
  return table(['scheme', 'proof', 'described'], rows)
}

/** Of schemes that are nobody's own. */
const PROOFS = {
  hmac: 'any HMAC in any header',
  ed25519: 'any signature of Ed25519 in any header; `secret` is the public key',
  bearer: '`authorization: Bearer`',
  basic: '`authorization: Basic`; the secret is `user:password`',
  token: 'a plain token in a header, a query parameter or a field of the body',
}

/** Of a scheme that takes no options but its own. */
const NO_SETTINGS = /** @type {import('../../src/triggers/verify/scheme.ts').Settings} */ ({})

/** @param {string} scheme */
function proofOf(scheme) {
  const told = PAGES.get(scheme.replace('_', '-'))?.proof
  if (told !== undefined) return told
  const rule = ruleOf(scheme)
  if (!rule) {
    const [header] = SCHEMES.get(scheme)?.credentials(NO_SETTINGS).headers ?? []
    return PROOFS[/** @type {keyof typeof PROOFS} */ (scheme)] ?? code(header ?? '')
  }
  const { header, algorithm = 'sha256', template = '{body}', timestampField } = rule
  const kinds = { ed25519: 'Ed25519', p256: 'ECDSA with P-256' }
  const kind =
    kinds[/** @type {keyof typeof kinds} */ (algorithm)] ?? `HMAC-${algorithm.toUpperCase()}`
  const time = timestampField === undefined ? '' : `, with its time in \`${timestampField}\``
  return `${code(header)}, ${kind} over ${code(template)}${time}`
}
