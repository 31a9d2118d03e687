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
const { onSection, secretsOf, triggerOf } = await import(new URL('cli/init/sender.js', built).href)
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
    const own = PAGES.get(sender.name)
    return own?.click === undefined ? [] : [[`docs/senders/${sender.name}.md`, page(sender, own)]]
  })
}

/** @type {Record<string, string>} */
const HANDSHAKES = {
  relay: ' The relay answers its challenge.',
  both: ' The relay answers its challenge.',
  workflow: ' Its first request is for you.',
  door: ' Its challenge is answered where the grant in the URL carries what proves the sender ([at the door](../door.md)).',
  '': '',
}

/**
 * @param {Sender} sender
 * @param {Page} own
 */
function page(sender, { click = '', outputs, more = '' }) {
  const { name, title, retries } = sender
  const trigger = triggerOf(sender)
  const isOwn = trigger !== 'webhook'
  const handshake = isOwn ? '' : (HANDSHAKES[sender.handshake ?? ''] ?? '')
  return `${NOTICE}
# ${title}

## Set up

\`\`\`sh
${commandsOf(sender).join('\n')}
\`\`\`

Your URL, with [a grant](../credentials.md) for this path alone: \`https://relay.example.com/octo/repo/${name}/${trigger}?__token=…\`.${storeText(sender)}

At ${title}: ${click.trim()}${handshake}

## Workflow

\`\`\`yaml
# .github/workflows/${name}.yml
${workflowOf(sender)}\`\`\`

${outputs ?? eventText(sender)}${trialText(sender)}

<details>
<summary>For the compiler</summary>

\`\`\`yaml
# workflows/${name}.yml
on:
${onSection(sender).trimEnd().replace(/^/gm, '  ')}
\`\`\`

</details>

## Proof and repeats

${proofText(sender)}${more && ` ${more}`}

Retries: ${retries}. ${repeatText(sender)}
`
}

/** From nothing to the first run. @param {Sender} sender */
function commandsOf(sender) {
  return [
    `hookline init --sender ${sender.name}`,
    ...(sender.secret === undefined ? [] : [`gh secret set ${sender.secret}`]),
    `hookline connect ${sender.name}`,
  ]
}

/** @param {Sender} sender */
function storeText(sender) {
  const urlSecret = secretsOf(sender).find((secret) => secret !== sender.secret)
  const url = urlSecret ? ` Store that URL as \`${urlSecret}\`: it is signed too.` : ''
  return sender.secret === undefined ? url : ` The secret is ${sender.shown}.${url}`
}

/** @param {Sender} sender */
function workflowOf(sender) {
  const answers = { kind: 'webhook', name: sender.name, repository: '', relay: '', sender }
  const [file] = KINDS.get('webhook')?.files(answers) ?? []
  return file?.text ?? ''
}

/** @param {Sender} sender */
function eventText({ title, events }) {
  if (!events) return `\`body\` is what ${title} sends.`
  const [path] = events
  return `\`${path}\` names the events that fire; \`body\` is what ${title} sends.`
}

/** @param {Sender} sender */
function trialText({ name, secret }) {
  if (!PAIRED.includes(name)) return ''
  return `\n\nA trial: \`hookline send <url> --as ${name} --key ${name}.pem\` makes a pair of keys in that file, and shows the public half, for \`${secret}\` in \`.env\`.`
}

/** @param {Sender} sender */
function proofText(sender) {
  const { name, scheme = name } = sender
  const page = SCHEMES.get(scheme)?.page
  const time = SCHEMES.get(scheme)?.takes?.includes('tolerance')
    ? ` A request holds for ${ruleOf(scheme)?.tolerance ?? 300} seconds.`
    : ' No time is signed: deduplicate, or a copy of a request fires again.'
  return `Scheme \`${scheme}\`${page ? ` ([described](${page}))` : ''}: ${proofOf(scheme)}.${time}`
}

/** @param {Sender} sender */
function repeatText({ repeat }) {
  if (repeat === undefined) return 'A repeat is known by its hash.'
  return repeat === 'id'
    ? 'A repeat is known by `id` of the body.'
    : `Deduplicate by \`${repeat}\`.`
}

/** @type {Record<string, string>} */
const SHOWN_HANDSHAKE = {
  relay: 'answered',
  both: 'answered, and an event',
  workflow: 'by the workflow',
  door: 'by a grant',
  '': '',
}

/** Every sender: those with a page of their own, and what proves the others. */
export function sendersTable() {
  const hasPage = (/** @type {Sender} */ { name }) => PAGES.get(name)?.click !== undefined
  const own = SENDERS.filter(hasPage).map(({ name, title, handshake = '' }) => [
    `[${title}](${name}.md)`,
    code(name),
    SHOWN_HANDSHAKE[handshake] ?? '',
  ])
  const others = SENDERS.filter((sender) => !hasPage(sender)).map(
    ({ name, title, scheme = name, handshake = '', retries, repeat }) => [
      title,
      code(name),
      `${link(code(scheme), SCHEMES.get(scheme)?.page)}: ${proofOf(scheme)}${SCHEMES.get(scheme)?.needs.includes('url') ? '; needs `url`' : ''}`,
      SHOWN_HANDSHAKE[handshake] ?? '',
      retries,
      repeat === undefined ? 'its hash' : code(repeat),
    ],
  )
  return [
    'With a page of their own:',
    table(['sender', 'name', 'handshake'], own),
    'And these:',
    table(['sender', 'name', 'proof', 'handshake', 'retries', 'a repeat has the same'], others),
  ].join('\n\n')
}

/**
 * @param {string} text
 * @param {string} [page]
 */
function link(text, page) {
  return page ? `[${text}](${page})` : text
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

/** For the page that compares. */
export function sendersCount() {
  return `Hookline knows ${SENDERS.length} senders by name, and ${SCHEMES.size} ways of proving one.`
}

/** The schemes that are nobody's own. */
export function schemesTable() {
  return table(
    ['scheme', 'proof'],
    Object.entries(PROOFS).map(([name, proof]) => [code(name), proof]),
  )
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
    const { headers: [header] = [], fields: [field] = [] } =
      SCHEMES.get(scheme)?.credentials(NO_SETTINGS) ?? {}
    const own = header === undefined ? `${code(field ?? '')} of the body` : code(header)
    return PROOFS[/** @type {keyof typeof PROOFS} */ (scheme)] ?? own
  }
  const { header, algorithm = 'sha256', template = '{body}', timestampField } = rule
  const kinds = { ed25519: 'Ed25519', p256: 'ECDSA with P-256' }
  const kind =
    kinds[/** @type {keyof typeof kinds} */ (algorithm)] ?? `HMAC-${algorithm.toUpperCase()}`
  const time = timestampField === undefined ? '' : `, with its time in \`${timestampField}\``
  return `${code(header)}, ${kind} over ${code(template)}${time}`
}
