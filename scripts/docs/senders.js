import { readFileSync } from 'node:fs'
import * as v from 'valibot'
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

/** @typedef {import('../../src/triggers/sender.ts').SenderPage} Page */

/** The sections of the sender's own files, by name. */
const PAGES = new Map(
  await Promise.all(
    SENDERS.map(async ({ name }) => {
      const { page } = await import(new URL(`triggers/senders/${name}.js`, built).href)
      return /** @type {[string, Page]} */ ([name, page ?? {}])
    }),
  ),
)

/** The generated pages of senders, by file name. */
export function senderPages() {
  return SENDERS.flatMap((sender) => {
    const own = PAGES.get(sender.name)
    return own?.click === undefined ? [] : [[`docs/senders/${sender.name}.md`, page(sender, own)]]
  })
}

/**
 * @param {Sender} sender
 * @param {Page} own
 */
function page(sender, own) {
  const { name, title, scheme = name } = sender
  const { click = '', fire = '.', outputs, notes } = own
  const isAnswered = sender.handshake === 'relay' || sender.handshake === 'both'
  const answered = isAnswered && triggerOf(sender) === 'webhook'
  const handshake = answered ? ' The relay answers the handshake.' : ''
  const outputsText = outputs === undefined ? '' : `\n${outputs}\n`
  const workflow = workflowOf(sender)
  const escapeText = workflow.includes(ESCAPED) ? ESCAPE_TEXT : ''
  return `<!-- From src/triggers/senders/${name}.ts -->
# ${title}

For authors of workflows. At the end an event of ${title} starts a workflow that verifies the sender.

## Set up

You need Node 20.19 or newer, [cloudflared](https://developers.cloudflare.com/cloudflare-one/networks/connectors/cloudflare-tunnel/downloads/), and the [GitHub CLI](https://cli.github.com) after \`gh auth login\`.${exportText(sender)}

In your repository's folder, on the default branch, run:

\`\`\`sh
${commandsOf(sender).join('\n')}
\`\`\`

\`connect\` asks whether it may use the token of \`gh\`, and prints your webhook URL. Leave \`connect\` running.

At ${title}: ${click.trim()}${handshake}
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

Next: [test it locally](../guides/test-locally.md) · [filter events](../guides/filter-events.md) · [more senders](README.md)
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
  return ` The workflow runs for events whose ${code(path)} is ${usual.map(code).join(' or ')}; to change that, edit its filter.`
}

/** @param {Sender} sender */
function exportText(sender) {
  const { title, secret, shown } = sender
  return needsSecretFirst(sender)
    ? ` The secret is ${shown}. Export it (\`export ${secret}=…\`), so that the relay can answer the handshake of ${title}.`
    : ''
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
  const answers = { kind: 'webhook', name: sender.name, repository: '', relay: '', sender }
  const [file] = KINDS.get('webhook')?.files(answers) ?? []
  return file?.text ?? ''
}

/** The workflow for the compiler, without the comment for editors. @param {Sender} sender */
function compiledOf(sender) {
  const answers = { kind: 'compiled', name: sender.name, repository: '', relay: '', sender }
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
  const { timeout, retries, repeat, otherRepeat } = sender
  const key =
    repeat === undefined
      ? 'The key of an event is the hash of the request.'
      : `The key of an event is ${[repeat, otherRepeat ?? []].flat().map(code).join(' or ')}, which a retry repeats.`
  return `${[timeout ?? [], retries, own.retries ?? []].flat().join(' ')}

${key} To run each event once, set \`shouldDeduplicate\` and a store; see [drop duplicate events](${DEDUPLICATION}).`
}

const DEDUPLICATION = '../guides/deduplicate.md'

/** @param {string} scheme */
function toleranceOf(scheme) {
  return scheme === 'aws-sns' ? SNS_TOLERANCE : (ruleOf(scheme)?.tolerance ?? 300)
}

/** Every sender: those with a page, and the facts of the others. */
export function sendersTable() {
  const hasPage = (/** @type {Sender} */ { name }) => PAGES.get(name)?.click !== undefined
  const own = SENDERS.filter(hasPage).map(({ name, title }) => [
    `[${title}](${name}.md), ${code(name)}`,
  ])
  const others = SENDERS.filter((sender) => !hasPage(sender)).map((sender) => [
    `${sender.title}, ${code(sender.name)}: ${shortProofOf(sender)}`,
    [
      sender.timeout ?? [],
      sender.retries,
      sender.repeat === undefined ? [] : `Key: ${code(sender.repeat)}.`,
      PAGES.get(sender.name)?.notes ?? [],
    ]
      .flat()
      .join(' '),
  ])
  return [
    table(['sender, name'], own),
    '## Senders without a page\n\n`init` and `verify` know these senders, too. They sign with HMAC-SHA256 over `{body}`, unless the table says otherwise. A retry has the same key, or the same hash if there is no key.',
    table(['sender, name, verification', 'retries, key, notes'], others),
  ].join('\n\n')
}

/** @param {Sender} sender */
function shortProofOf({ name, scheme = name, handshake }) {
  const known = schemeNamed(scheme)
  const isShared = scheme !== name
  const proof = isShared
    ? code(scheme)
    : proofOf(scheme)
        .replace(/, HMAC-SHA256 over `\{body\}`$/, '')
        .replace(', HMAC-SHA256 over', ' over')
  const isUrlSigned = known?.needs.includes('url')
  return [
    link(proof, known?.page),
    isUrlSigned ? 'needs `url`' : [],
    handshake === undefined ? [] : 'handshake',
  ]
    .flat()
    .join('; ')
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
  const own = PAGES.get(scheme)?.verifiedBy
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
