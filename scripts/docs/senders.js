import { readFileSync } from 'node:fs'
import { code, table } from './table.js'

const built = new URL('../../build/', import.meta.url)
/** @type {typeof import('../../src/triggers/verify/senders.ts')} */
const { SENDERS, senderNamed } = await import(new URL('triggers/verify/senders.js', built).href)
/** @type {typeof import('../../src/triggers/verify/schemes.ts')} */
const { SCHEMES, SIGNED_HEADERS } = await import(new URL('triggers/verify/schemes.js', built).href)
/** @type {typeof import('../../src/cli/init/kinds.ts')} */
const { KINDS } = await import(new URL('cli/init/kinds.js', built).href)
/** @type {typeof import('../../src/cli/init/sender.ts')} */
const { secretsOf, triggerOf } = await import(new URL('cli/init/sender.js', built).href)

/**
 * Who signed for each sender: a package, with its version where what it did is recorded, what the
 * vendor published, or `own`. A test holds it against what it does.
 *
 * @type {Record<string, string>}
 */
const SIGNED_BY = JSON.parse(
  readFileSync(new URL('../../__tests__/senders/signed-by.json', import.meta.url), 'utf8'),
)

/** @typedef {import('../../src/triggers/verify/scheme.ts').Sender} Sender */

/** Pages that a person wrote, since there is more to say. */
const WRITTEN = [
  ...['aws-sns', 'github', 'google-form', 'shopify', 'slack', 'standard-webhooks', 'stripe'],
  ...['trello', 'typeform'],
]

/** What is to be clicked for the others that matter most, and what else there is to know. */
const SET_UP = {
  gitlab: ['*Settings > Webhooks > Add new webhook*: the URL, a secret token, and the events.', ''],
  bitbucket: [
    '*Repository settings > Webhooks > Add webhook*: the URL, a secret, and the triggers.',
    '',
  ],
  jira: [
    '*System > WebHooks > Create a WebHook*: the URL, a secret, and the events; a JQL query narrows them.',
    '',
  ],
  linear: ['*Settings > API > Webhooks > New webhook*: the URL, and the kinds of data.', ''],
  sentry: [
    '*Settings > Custom Integrations > Create New Integration > Internal*: the URL as *Webhook URL*, then the resources under *Webhooks*.',
    'Its time stands in `sentry-hook-timestamp`, and is not signed.',
  ],
  pagerduty: [
    '*Integrations > Generic Webhooks (v3) > New Webhook*: the URL, the scope, and the events.',
    '',
  ],
  notion: [
    '*Integrations > your integration > Webhooks > Create a subscription*: the URL, and the events.',
    'Its first request holds `verification_token` and is not signed, so it cannot fire the workflow: add an entry without `verify` for once, or fetch the token with `hookline dev` behind a tunnel. Paste it at Notion, and store it.',
  ],
  asana: [
    'By its API: `POST /webhooks` with `resource` and `target`, the URL.',
    'The relay gives `x-hook-secret` back, and the same request reaches the workflow. It is not signed yet: read the secret from a workflow without `verify`, or from the inspector of `hookline dev`, and store it.',
  ],
  monday: [
    '*Integrate > webhooks* on the board, or `create_webhook` of the API from an app.',
    'Only webhooks of an app are signed. The signature is a JWT that says for whom and when, and nothing of the body; with `url` it has to be for that URL.',
  ],
  zoom: [
    '*App Marketplace > Develop > your app > Feature > Event Subscriptions*: the URL, and the events.',
    'Zoom sends `endpoint.url_validation` first, and wants an answer that only the secret token can make. The relay holds no secrets of senders, so it cannot answer: something that can, a function of your own, has to stand before it.',
  ],
  discord: [
    '*Developer Portal > your app > Webhooks > Endpoint URL*.',
    'Discord calls the URL with right and with wrong signatures, and takes it only when the wrong ones get a 401. The relay holds no keys of senders, so it cannot tell them apart: something that can has to stand before it. What it hands on, the workflow verifies.',
  ],
  meta: [
    '*App dashboard > Webhooks*, or *WhatsApp > Configuration*: the URL as *Callback URL*, any *Verify token*, then the fields.',
    'The verify token is not looked at: what counts is the signature of each event.',
  ],
  twitch: [
    'By its API: `POST /helix/eventsub/subscriptions` with `transport: {method: webhook, callback, secret}`.',
    '',
  ],
  twilio: [
    '*Phone Numbers > your number > Messaging > A message comes in*: the URL, HTTP POST.',
    'Twilio signs the URL and the parameters of a form; of other bodies a hash, which it adds to the URL. The names and values of a form are signed without anything between them: that is the scheme of the vendor.',
  ],
  hubspot: [
    '*Your app > Webhooks*: the URL as *Target URL*, then the subscriptions.',
    'One request holds up to 100 events, as a list.',
  ],
  square: [
    '*Developer Console > your app > Webhooks > Subscriptions > Add subscription*: the URL, and the events.',
    '',
  ],
  paddle: ['*Developer Tools > Notifications > New destination*: the URL, and the events.', ''],
  zendesk: [
    '*Admin Center > Apps and integrations > Webhooks > Create webhook*: the URL, POST, JSON.',
    '',
  ],
  'microsoft-graph': [
    'By its API: `POST /subscriptions` with `notificationUrl`, the URL, and `clientState`.',
    'Graph signs nothing: each notification brings the `clientState`, which the outputs leave out. A subscription ends after some days, and has to be renewed.',
  ],
}

const NOTICE =
  '<!-- Made by "npm run docs" from src/triggers/verify/senders.ts: change it there, or in scripts/docs/senders.js. -->'

/** The pages that are made of the table, by file name. */
export function senderPages() {
  return Object.entries(SET_UP).map(([name, [click = '', more = '']]) => {
    const sender = senderNamed(name)
    if (!sender) throw new Error(`no sender ${name}`)
    return [`docs/senders/${name}.md`, page(sender, click, more)]
  })
}

/** @type {Record<string, string>} */
const HANDSHAKES = {
  relay: 'The relay answers the challenge by which it makes sure that the URL is yours.',
  both: 'The relay answers the challenge by which it makes sure that the URL is yours.',
  workflow: 'Its first request is for you.',
  none: 'The challenge by which it makes sure that the URL is yours is **not answered**.',
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

\`npx hookline init --sender ${name}\` writes it, or one without a compiler. ${eventText(sender)}

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
function proofText(sender) {
  const { name, scheme = name } = sender
  const page = SCHEMES.get(scheme)?.page
  const time = SCHEMES.get(scheme)?.takes?.includes('tolerance')
    ? ` A request more than ${SIGNED_HEADERS[scheme]?.[1].tolerance ?? 300} seconds from its signed time is refused, either way.`
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
  none: '**not answered**',
  '': '',
}

/** Every sender of the table. */
export function sendersTable() {
  const pages = [...WRITTEN, ...Object.keys(SET_UP)]
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
  const others = handshakes.filter(({ handshake }) => handshake === 'none')
  const vendors = SENDERS.filter(({ name }) => signedBy(name) !== 'own')
  return `${SENDERS.length} senders are known by name, ${SCHEMES.size} ways of proving them. The tests sign a request of each, forge it in six ways, and send it through the relay to the action: for ${vendors.length} of them what signs, or agrees, is the vendor's own package or published example. Of the ${handshakes.length} that ask for a handshake, ${handshakes.length - others.length} get it; ${others.map(({ title }) => title).join(' and ')} do not.`
}

/** @param {string} name */
function signedBy(name) {
  const by = SIGNED_BY[name]
  if (!by) throw new Error(`nobody has signed for ${name}: see __tests__/senders/table.test.ts`)
  return by
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

/** Of schemes that are code, in words. */
const PROOFS = {
  'standard-webhooks':
    '`webhook-id`, `webhook-timestamp`, `webhook-signature`, or the same with `svix-`',
  aws_sns: "the signature in the message, with Amazon's certificate; no `secret`",
  twilio: '`x-twilio-signature`, over the URL and the parameters of the form',
  contentful: '`x-contentful-signature`, over method, path, headers and body',
  mailgun:
    '`signature` in the body, over a time and a token; it says nothing of the rest of the body',
  netlify: '`x-webhook-signature`, a JWS over the hash of the body',
  plaid: '`plaid-verification`, a JWS over the hash of the body; `secret` is a JWK, or several',
  monday: '`authorization`, a JWT that says nothing of the body',
  gitlab: '`x-gitlab-token`; a *signing token* of GitLab is `standard-webhooks`',
  telegram: '`x-telegram-bot-api-secret-token`',
  'microsoft-graph': '`clientState` of each entry of `value` in the body',
  hmac: 'any HMAC in any header',
  ed25519: 'any signature of Ed25519 in any header; `secret` is the public key',
  bearer: '`authorization: Bearer`',
  basic: '`authorization: Basic`; the secret is `user:password`',
  token: 'a plain token in a header, a query parameter or a field of the body',
}

/** @param {string} scheme */
function proofOf(scheme) {
  const [, rule] = SIGNED_HEADERS[scheme] ?? []
  if (!rule) return PROOFS[/** @type {keyof typeof PROOFS} */ (scheme)] ?? ''
  const { header, algorithm = 'sha256', template = '{body}', timestampField } = rule
  const kinds = { ed25519: 'Ed25519', p256: 'ECDSA with P-256' }
  const kind =
    kinds[/** @type {keyof typeof kinds} */ (algorithm)] ?? `HMAC-${algorithm.toUpperCase()}`
  const time = timestampField === undefined ? '' : `, with its time in \`${timestampField}\``
  return `${code(header)}, ${kind} over ${code(template)}${time}`
}
