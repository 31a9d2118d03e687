import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { senderText } from './sender-text.js'
import { code, table } from './table.js'

const built = new URL('../../build/', import.meta.url)
/** @type {typeof import('../../src/triggers/senders.ts')} */
const { SENDERS } = await import(new URL('triggers/senders.js', built).href)
/** @type {typeof import('../../src/triggers/verify/schemes.ts')} */
const { SCHEME_NAMES, ruleOf, schemeNamed } = await import(
  new URL('triggers/verify/schemes.js', built).href
)
/** @type {typeof import('../../src/triggers/verify.ts')} */
const { VERIFY_SCHEMAS } = await import(new URL('triggers/verify.js', built).href)
/** @type {typeof import('../../src/triggers/verify/sns-scheme.ts')} */
const { SNS_TOLERANCE } = await import(new URL('triggers/verify/sns-scheme.js', built).href)
/** @type {typeof import('../../src/cli/init/kinds.ts')} */
const { KINDS } = await import(new URL('cli/init/kinds.js', built).href)
/** @type {typeof import('../../src/cli/init/sender-workflow.ts')} */
const { triggerOf, urlSecretOf } = await import(new URL('cli/init/sender-workflow.js', built).href)

/**
 * The package or person whose signature the tests check, by sender. A test compares this with the
 * tests.
 *
 * @type {Record<string, string>}
 */
const SIGNED_BY = read('signed-by.json')

/**
 * Recorded signatures of a vendor's package, or published ones.
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

/** @typedef {ReturnType<typeof senderText>} Page */

/** The generated pages of senders, by file name. */
export function senderPages() {
  return SENDERS.filter(hasPage).map((sender) => [
    `docs/senders/${sender.name}.md`,
    page(sender, senderText(sender.name)),
  ])
}

/** @param {Sender} sender */
function hasPage(sender) {
  return 'own page' in senderText(sender.name)
}

/**
 * @param {Sender} sender
 * @param {Page} own
 */
function page(sender, own) {
  const { name, title, scheme = name, click = '' } = sender
  const { fire = '.', outputs, notes } = own
  const outputsText = outputs === undefined ? '' : `\n${outputs}\n`
  const workflow = workflowOf(sender)
  const escapeText = workflow.includes(ESCAPED) ? ESCAPE_TEXT : ''
  return `<!-- From src/triggers/senders/${name}.ts and scripts/docs/senders/${name}.md -->
# ${title}

Start a GitHub Actions workflow by ${plainTitle(title)} webhooks. The workflow verifies their ${scheme === 'bearer' ? 'token' : 'signature'}.

## Set up

You need Node 20.19 or newer, [cloudflared](https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/), and the [GitHub CLI](https://cli.github.com) after \`gh auth login\`.${exportText(sender)}

In your repository's folder, on the default branch, run:

\`\`\`sh
${commandsOf(sender).join('\n')}
\`\`\`

\`connect\` asks whether it may use the token of \`gh\`, and prints your webhook URL. Leave \`connect\` running.

At ${plainTitle(title)}: ${click.trim()}${handshakeText(sender)}
${secretSection(sender)}
Then let ${plainTitle(title)} send an event${fire}

\`connect\` prints the link of the run and \`ended: success  every step ran\`, or the reason and the fix. The log of the run says \`signature verified (${scheme})\`, and the summary of the run shows the event. In a public repository, anyone can read both.

## After the first event

The URL works while \`connect\` runs, and the next start prints another address. To receive events all the time, [keep the URL](../start/quickstart.md#4-keep-the-url). Keep the clone in \`~/hookline\`, because the command runs from it.${eventsText(sender, own)}${localText(sender)}

## Workflow

\`\`\`yaml
# .github/workflows/${name}.yml
${workflow}\`\`\`
${outputsText}${escapeText}
<details>
<summary>The same for the compiler: <code>hookline init --kind compiled --sender ${name}</code></summary>

\`\`\`yaml
# workflows/${name}.yml
${compiledOf(sender)}\`\`\`

</details>

## Signature

${signatureText(sender, own)}

## Retries and duplicates

${retriesText(sender, own)}
${notes === undefined ? '' : `\n## Notes\n\n${notes}\n`}
---

Next: [use event data](../guides/use-event-data.md) · [test it locally](../guides/test-locally.md) · [all senders](README.md)
`
}

/** The beginning of an expression in the input `on` of a workflow. */
const ESCAPED = "${{ '${{' }}"

const ESCAPE_TEXT = `
\`${ESCAPED}\` begins an [expression that the action evaluates](../reference/verify.md#secrets-in-the-input-on), so that GitHub does not insert the secret into the YAML.
`

/** Whether the relay needs the secret before the sender gets the URL. @param {Sender} sender */
function needsSecretFirst({ handshake }) {
  return handshake === 'endpoint'
}

/** The commands from setup to the URL. @param {Sender} sender */
function commandsOf(sender) {
  const { name, secret } = sender
  const isFirst = needsSecretFirst(sender)
  return [
    'git clone https://github.com/hookline/hookline ~/hookline && npm install --global ~/hookline',
    `hookline init --sender ${name}`,
    ...(isFirst ? [`gh secret set ${secret}`] : []),
    `git add .github/workflows/${name}.yml && git commit -m 'Add the workflow ${name}' && git push -u origin HEAD`,
    `hookline connect ${name}${isFirst ? ` --secret-env ${secret}` : ''}`,
  ]
}

/**
 * The events that pass the filter of the workflow.
 *
 * @param {Sender} sender
 * @param {Page} own
 */
function eventsText({ events }, { filter }) {
  if (filter !== undefined) return ` ${filter}`
  if (events === undefined) return ''
  const [path, ...usual] = events
  return ` The workflow runs for events whose ${code(path)} is ${orList(usual)}; to change that, edit its filter.`
}

/** @param {readonly string[]} names */
function orList(names) {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(names.map(code))
}

/** @param {Sender} sender */
function exportText(sender) {
  const { title, secret, shown } = sender
  return needsSecretFirst(sender)
    ? ` The secret is ${shown}. Export it (\`export ${secret}=…\`), so that the relay can answer the handshake of ${title}.`
    : ''
}

/** @param {Sender} sender */
function handshakeText(sender) {
  const isAnswered = sender.handshake === 'relay' || sender.handshake === 'both'
  return isAnswered && triggerOf(sender) === 'webhook' ? ' The relay answers the handshake.' : ''
}

/** How to store the secrets that the reader has once the sender knows the URL. @param {Sender} sender */
function secretSection(sender) {
  const { secret, shown } = sender
  const urlSecret = urlSecretOf(sender)
  const isOpen = secret !== undefined && !needsSecretFirst(sender)
  const pasted = [
    ...(isOpen ? [`${shown}. \`connect\` stores it as the repository secret ${code(secret)}`] : []),
    ...(urlSecret === undefined
      ? []
      : [`the URL, because the signature covers it. It becomes ${code(urlSecret)}`]),
  ]
  if (pasted.length === 0) return ''
  return `
Press \`s\` in the terminal of \`connect\`, and paste ${pasted.join('. Then paste ')}.
`
}

/** @param {Sender} sender */
function localText({ title, secret }) {
  return secret === undefined
    ? ''
    : ` To try the workflow without ${plainTitle(title)} and GitHub, run the optional commands that \`init\` prints.`
}

/** @param {Sender} sender */
function workflowOf(sender) {
  const answers = { name: sender.name, sender }
  const [file] = KINDS.get('webhook')?.files(answers) ?? []
  return file?.text ?? ''
}

/** The workflow for the compiler, without the comment for editors. @param {Sender} sender */
function compiledOf(sender) {
  const answers = { name: sender.name, sender }
  const [file] = KINDS.get('compiled')?.files(answers) ?? []
  return file?.text.replace(/^#.*\n/, '') ?? ''
}

/**
 * The section *Signature*.
 *
 * @param {Sender} sender
 * @param {Page} own
 */
function signatureText({ name, title, scheme = name, options }, { signature }) {
  const page = schemeNamed(scheme)?.page
  const rule = ruleOf(scheme)
  const described =
    rule === undefined
      ? tokenText(plainTitle(title), scheme, options)
      : [ruleText(plainTitle(title), scheme, rule)]
  const validity = isTimed(scheme)
    ? `A signature is valid for ${toleranceOf(scheme).toLocaleString('en')} seconds.`
    : `No time is signed, so anyone who recorded a request can send it again. To prevent a second run, [drop duplicates](${DEDUPLICATION}).`
  const more = page === undefined ? [] : [`See [the documentation](${page}).`]
  return [...described, signature ?? [], validity, ...more].flat().join(' ')
}

/**
 * A sender that sends a token or a password in a header in place of a signature.
 *
 * @param {string} title
 * @param {string} scheme
 * @param {Sender['options']} options
 */
function tokenText(title, scheme, options) {
  const sent = {
    bearer: 'the token in the header `authorization`, as `Bearer <token>`',
    basic: 'the user and the password in the header `authorization`',
    token: `the token in the header ${code(options?.header ?? '')}`,
  }[scheme]
  if (sent === undefined || (scheme === 'token' && options?.header === undefined)) return []
  return [
    `${title} signs nothing. A request contains ${sent}, which \`scheme: ${scheme}\` compares. The outputs omit this header.`,
  ]
}

/**
 * @param {string} title
 * @param {string} scheme
 * @param {import('../../src/triggers/verify/signed-header.ts').SignedHeader} rule
 */
function ruleText(title, scheme, rule) {
  const { header, signedPayload = '{body}', timestampHeader, timestampBodyField } = rule
  const signed = signedPayload === '{body}' ? 'the body' : `the string ${code(signedPayload)}`
  const time = timestampHeader === undefined ? '' : ` and the time in ${code(timestampHeader)}`
  const inBody =
    timestampBodyField === undefined
      ? ''
      : ` The body contains the time, in ${code(timestampBodyField)}.`
  return `${title} signs ${signed} with ${algorithmOf(rule)}, and sends the signature in the header ${code(header)}${time}.${inBody} \`scheme: ${scheme}\` verifies the signature.`
}

/** @param {string} title */
function plainTitle(title) {
  return title.replace(/ \(.*\)$/, '')
}

/** @param {string} scheme */
function isTimed(scheme) {
  return schemeNamed(scheme)?.takes?.includes('tolerance') ?? false
}

/**
 * The section *Retries and duplicates*.
 *
 * @param {Sender} sender
 * @param {Page} own
 */
function retriesText(sender, own) {
  return `${waitingText(sender, own)}

${keyText(sender)} To run each event once, set \`shouldDeduplicate\` and a store; see [duplicates](${DEDUPLICATION}).`
}

/**
 * How long the sender waits, and how often it retries.
 *
 * @param {Sender} sender
 * @param {Page} own
 */
function waitingText({ title }, { 'time-out': limit = '', retries }) {
  const name = plainTitle(title)
  const waits = /^\d+$/.test(limit)
    ? `${name} waits ${durationText(Number(limit))} for a response.`
    : limit.replace(/^none$/, `${name} sets no time limit for the response.`)
  const plain = {
    yes: `${name} retries.`,
    no: `${name} does not retry.`,
    optional: `${name} retries only if its configuration says so.`,
    unknown: `${name} documents no retries.`,
  }[retries.when]
  return `${waits} ${retries.text || plain}`.trim()
}

/** @param {number} seconds */
function durationText(seconds) {
  const [amount, unit] =
    seconds >= 120 && seconds % 60 === 0 ? [seconds / 60, 'minute'] : [seconds, 'second']
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}

/** @param {Sender} sender */
function keyText({ repeat, otherRepeat }) {
  return repeat === undefined
    ? 'The key of an event is the hash of the request.'
    : `The key of an event is ${[repeat, otherRepeat ?? []].flat().map(code).join(' or ')}, which a retry repeats.`
}

const DEDUPLICATION = '../guides/duplicates-and-batches.md'

/** @param {string} scheme */
function toleranceOf(scheme) {
  return scheme === 'aws-sns' ? SNS_TOLERANCE : (ruleOf(scheme)?.tolerance ?? 300)
}

/** Every sender in one table; each row links its section. */
export function sendersTable() {
  const rows = SENDERS.map((sender) => [
    `[${sender.title}](#${sender.name}), ${code(sender.name)}`,
    kindOf(sender),
    sender.handshake === undefined ? '' : 'yes',
    limitText(senderText(sender.name)),
    senderText(sender.name).retries.when,
  ])
  return table(['sender', 'signature', 'handshake', 'time-out', 'retries'], rows)
}

/** @param {Page} own */
function limitText({ 'time-out': limit = '' }) {
  if (!/^\d+$/.test(limit)) return ['', 'none'].includes(limit) ? limit : 'set'
  return Number(limit) >= 120 ? `${Number(limit) / 60} min` : `${limit} s`
}

/** The kind of signature in one or two words. @param {Sender} sender */
function kindOf({ name, scheme = name }) {
  const rule = ruleOf(scheme)
  if (rule !== undefined) return algorithmOf(rule)
  const general = { bearer: 'token', token: 'token', basic: 'password' }
  const own =
    general[/** @type {keyof typeof general} */ (scheme)] ?? senderText(named(scheme).name).kind
  return own ?? 'token'
}

/** @param {string} name @returns {Sender} */
function named(name) {
  const sender = SENDERS.find((one) => one.name === name)
  if (sender === undefined) throw new Error(`no sender ${name}`)
  return sender
}

/** A section for each sender, whose anchor is its name. */
export function senderSections() {
  return SENDERS.map(section).join('\n\n')
}

/** @param {Sender} sender */
function section(sender) {
  const { name, title, secret, shown } = sender
  const own = senderText(sender.name)
  const urlSecret = urlSecretOf(sender)
  const steps = hasPage(sender)
    ? `See [all steps and the workflow](${name}.md).`
    : sender.click === undefined
      ? `Enter the URL at ${plainTitle(title)}.`
      : `At ${plainTitle(title)}: ${sender.click.trim()}`
  const facts = [
    `Signature: ${shortProofOf(sender)}.`,
    ...(secret === undefined ? [] : [`Secret: ${code(secret)}, ${shown}.`]),
    ...(urlSecret === undefined
      ? []
      : [`Second secret: ${code(urlSecret)}, the URL, because the signature covers it.`]),
    ...filterFacts(sender, own),
    `Key: ${[sender.repeat ?? [], sender.otherRepeat ?? []].flat().map(code).join(' or ') || 'the hash of the request'}.`,
    `Retries: ${waitingText(sender, own)}`,
  ]
  const more = hasPage(sender)
    ? []
    : [own.outputs ?? [], own.signature ?? [], own.notes ?? []].flat()
  const heading = anchorOf(title) === name ? '' : `<a id="${name}"></a>\n\n`
  return `${heading}### ${title}

\`hookline init --sender ${name}\` writes a GitHub Actions workflow for ${plainTitle(title)} webhooks. ${steps}

${facts.map((fact) => `- ${fact}`).join('\n')}${more.length === 0 ? '' : `\n\n${more.join(' ')}`}`
}

/** The events that pass the filter of the workflow. @param {Sender} sender @param {Page} own */
function filterFacts({ events }, { filter }) {
  if (filter !== undefined) return [filter]
  if (events === undefined) return []
  const [path, ...usual] = events
  return [`Events: those whose ${code(path)} is ${orList(usual)}.`]
}

/** The anchor that GitHub gives to a heading. @param {string} heading */
function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** @param {Sender} sender */
function shortProofOf({ name, scheme = name, options = {}, handshake }) {
  const known = schemeNamed(scheme)
  const place = Object.entries(options).map(([option, value]) => `, ${option} ${code(value)}`)
  const proof =
    scheme === name
      ? link(proofOf(scheme), known?.page)
      : `${link(code(`scheme: ${scheme}`), known?.page)}${place.join('')}`
  return [proof, handshake === undefined ? [] : HANDSHAKES[handshake]].flat().join('. ')
}

/** The part of Hookline that answers the handshake of a sender. */
const HANDSHAKES = {
  relay: 'The relay answers the handshake',
  both: 'The relay answers the handshake, and the workflow receives the request too',
  workflow: 'The first run has to confirm the URL',
  endpoint: 'The endpoint needs the secret, so that the relay can answer the handshake',
}

/**
 * @param {string} text
 * @param {string} [page]
 */
function link(text, page) {
  return page ? `[${text}](${page})` : text
}

/** The number of senders, and of the sources of their signatures in the tests. */
export function countText() {
  const handshakes = SENDERS.filter(({ handshake }) => handshake !== undefined)
  const vendors = SENDERS.filter(
    ({ name }) => Object.hasOwn(SIGNED_BY, name) || VECTORS.some(({ sender }) => sender === name),
  )
  return `${SENDERS.length} senders are known by name, with ${SCHEME_NAMES.length} verification schemes. For each sender, the tests sign a request, forge it in six ways, and send it through relay and action. For ${vendors.length} senders, the vendor's own package or a published example confirms the signature. All ${handshakes.length} handshakes are answered.`
}

/** The number of senders for the comparison page. */
export function sendersCount() {
  return `Hookline knows ${SENDERS.length} senders by name, and has ${SCHEME_NAMES.length} verification schemes.`
}

/** The schemes that fit any sender. */
export function schemesTable() {
  return table(
    ['scheme', 'verification'],
    Object.entries(PROOFS).map(([name, proof]) => [code(name), proof]),
  )
}

/** The schemes of one sender each, with their options. */
export function senderSchemesTable() {
  const own = SCHEME_NAMES.filter((name) => !Object.hasOwn(PROOFS, name)).flatMap(
    (name) => schemeNamed(name) ?? [],
  )
  const rows = own
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map(({ name, page, needs, takes = [] }) => [
      link(code(name), page),
      proofOf(name),
      [
        ...(needs.length === 0 ? [] : [needs.map(code).join(', ')]),
        ...(takes.length === 0 ? [] : [`optional: ${takes.map(code).join(', ')}`]),
      ].join('; '),
    ])
  return table(['scheme', 'verification', 'options'], rows)
}

/** The options of `verify`, from the schemas that check them. */
export function verifyOptionsTable() {
  const rows = Object.entries(VERIFY_SCHEMAS).map(([name, schema]) => [
    code(name),
    v.getDescription(schema) ?? '',
  ])
  return table(['option', 'meaning'], rows)
}

/** Descriptions of the schemes that belong to no sender. */
const PROOFS = {
  hmac: 'an HMAC in any header',
  ed25519: 'an Ed25519 signature in any header; `secret` is the public key',
  bearer: '`authorization: Bearer`',
  basic: '`authorization: Basic`; the secret is `user:password`',
  token: 'a plain token in a header, a query parameter or a field of the body',
}

/** The settings of a scheme without options. */
const NO_SETTINGS = /** @type {import('../../src/triggers/verify/scheme.ts').VerifySettings} */ ({})

/** @param {string} scheme */
function proofOf(scheme) {
  const own = senderText(scheme)['verified by']
  if (own !== undefined) return own
  const rule = ruleOf(scheme)
  if (!rule) {
    const { headers: [header] = [], fields: [field] = [] } =
      schemeNamed(scheme)?.credentials(NO_SETTINGS) ?? {}
    const own = `${header === undefined ? `${code(field ?? '')} of the body` : code(header)}, a token`
    return PROOFS[/** @type {keyof typeof PROOFS} */ (scheme)] ?? own
  }
  const { header, signedPayload = '{body}', timestampBodyField } = rule
  const time =
    timestampBodyField === undefined ? '' : `, with its time in \`${timestampBodyField}\``
  return `${code(header)}, ${algorithmOf(rule)} over ${code(signedPayload)}${time}`
}

/** @param {import('../../src/triggers/verify/signed-header.ts').SignedHeader} rule */
function algorithmOf({ algorithm = 'sha256' }) {
  const named = { ed25519: 'Ed25519', p256: 'ECDSA with P-256' }
  return named[/** @type {keyof typeof named} */ (algorithm)] ?? `HMAC-${algorithm.toUpperCase()}`
}
