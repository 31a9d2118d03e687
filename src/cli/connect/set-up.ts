import { SETTINGS_FILE } from '../../compiler/compiler-settings.ts'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import { setWebhookBody } from '../../triggers/messaging-bot/bot-api.ts'
import type { Sender } from '../../triggers/sender.ts'
import { POSIX, type Shell } from '../../wire/shell.ts'
import { botApiFrom } from '../bot-here.ts'
import { VERIFIABLE_LATER } from '../endpoint/conditions.ts'
import type { ForgeHere } from '../forge.ts'
import { urlSecretOf, withoutMarkdown } from '../init/sender-workflow.ts'
import { filterWords } from '../target/filter-words.ts'
import { shellHere } from '../terminal.ts'
import { type ConnectTarget, verifies } from './connect-target.ts'
import type { PublicRelay, UrlLifetime } from './public-relay.ts'
import { secretCommand, secretsPage } from './requirements.ts'

const REGISTER =
  'Register it with the bot. Set its token in BOT_TOKEN and a secret of your choice in BOT_SECRET:'

interface SetUp {
  readonly target: ConnectTarget
  readonly sender: Sender | undefined
  readonly relay: Pick<PublicRelay, 'url' | 'inWorkflow' | 'lifetime'>
  readonly shell: Shell
  readonly forge: ForgeHere
  /** True if the workflow names the relay from which the action may fetch large bodies. */
  readonly fetchesBodies: boolean
  /** True if the key `s` stores the secrets. */
  readonly storesByKey: boolean
}

/** The remaining steps at the sender and in the repository before the first event arrives. */
export function setUpLines(setUp: SetUp): string[] {
  const { target, sender, relay, shell, forge, fetchesBodies, storesByKey } = setUp
  const { repository, trigger, example, signatures } = target
  const { url, inWorkflow, lifetime } = relay
  const call = { ...(example ?? ANY_REQUEST), path: '' }
  const steps =
    trigger === 'messaging_bot'
      ? ['', REGISTER, registrationLine(url)] // The end of its here-document must start a line.
      : sender
        ? [...clickLines(sender), ...filterLines(target)]
        : signatures.length > 0
          ? ['', 'Enter the URL at the sender. Only a signed request starts the workflow.']
          : [
              '',
              'Enter the URL at the sender, or try it:',
              `  ${exampleLine(url, call, undefined, shell.request)}`,
            ]
  // Without `verify`, the workflow reads no secret.
  const secrets =
    sender && verifies(sender, signatures)
      ? storesByKey
        ? [keyLine(sender, secretsPage(forge, repository))]
        : secretLines(sender, repository, forge)
      : []
  // The secret is often shown only after the sender has the URL.
  const checks = inWorkflow
    .filter((condition) => condition !== VERIFIABLE_LATER)
    .map((condition) => `Checked in the workflow only: ${condition}`)
  return [
    '',
    sender ? `Webhook URL for ${sender.title}` : 'Webhook URL',
    `  ${url}`,
    LIFETIMES[lifetime],
    ...steps,
    ...secrets,
    ...(lifetime !== 'ends with the tunnel' && !fetchesBodies ? bodyLines(target, url) : []),
    ...(checks.length > 0 ? ['', ...checks] : []),
  ]
}

/** The ways to a URL that stays. */
const KEEP_PAGE =
  'https://github.com/hookline/hookline/blob/main/docs/start/quickstart.md#4-keep-the-url'

const LIFETIMES: Readonly<Record<UrlLifetime, string>> = {
  stays: 'It stays the same at each start of connect.',
  'stays at the relay': 'It stays, also when connect has ended.',
  'ends with the tunnel': `It ends with the tunnel. To keep it: ${KEEP_PAGE}`,
}

function clickLines({ title, click }: Sender): string[] {
  return click === undefined ? [] : ['', `At ${title}: ${withoutMarkdown(click.trim())}`]
}

/** The events that start the workflow, so that the user chooses them at the sender. */
function filterLines({ filter = {} }: FoundTrigger): string[] {
  const conditions = filterWords(filter)
  return conditions.length === 0 ? [] : [`Filter of the workflow: ${conditions.join('; ')}`]
}

/** The repository secrets that the workflow reads. A sender often shows them only with the webhook. */
function secretLines(sender: Sender, repository: string, forge: ForgeHere): string[] {
  const { secret, shown } = sender
  const urlSecret = urlSecretOf(sender)
  const store = (name: string) => `  ${secretCommand(forge, repository, name)}`
  const page = forge.kind === 'github' ? `, or at ${secretsPage(forge, repository)}` : ''
  return [
    ...(secret
      ? [
          `In a second terminal${page}, store its secret (${withoutMarkdown(shown)}):`,
          store(secret),
        ]
      : []),
    ...(urlSecret
      ? ['', 'Store the complete URL above too, because it is signed:', store(urlSecret)]
      : []),
  ]
}

function keyLine(sender: Sender, page: string): string {
  const { secret, shown } = sender
  const urlSecret = urlSecretOf(sender)
  const values = [
    ...(secret ? [`its secret (${withoutMarkdown(shown)}) as ${secret}`] : []),
    ...(urlSecret ? [`the complete URL above, which is signed, as ${urlSecret}`] : []),
  ]
  return `Press s, or open ${page}, to store ${values.join(', and then ')}.`
}

/** How the action gets bodies that do not fit into an event, which the relay stores. */
function bodyLines({ file, files }: ConnectTarget, url: string): string[] {
  const isCompiled = files.length > 1
  const place = isCompiled ? `in ${SETTINGS_FILE}` : `under "with:" of the action in ${file}`
  return ['', `For bodies of more than 64 KB, add ${place}:`, `  relay-url: ${new URL(url).origin}`]
}

/** How to get a URL that works without `connect`. */
export function stayLines({ lifetime }: Pick<PublicRelay, 'lifetime'>): string[] {
  if (lifetime === 'stays at the relay') return ['', 'The URL stays.']
  return [
    '',
    lifetime === 'stays' ? 'The URL works again when connect runs.' : 'The URL has ended.',
    `For a URL that always works: ${KEEP_PAGE}`,
  ]
}

/** The setWebhook call as a line in which the shell fills in the bot's token and secret. */
function registrationLine(url: string): string {
  const shell = shellHere()
  const variables = ['BOT_TOKEN', 'BOT_SECRET'].map((name) => shell.variable(name))
  const [botToken = '', secretToken = ''] = variables
  const body = setWebhookBody({ url, secretToken, updates: [] })
  const call = { method: 'POST', url: `${botApiFrom(process.env)}/bot${botToken}/setWebhook`, body }
  const headers = { 'Content-Type': 'application/json' }
  return shell.name === 'powershell'
    ? shell.request({ ...call, headers, body: JSON.stringify(body), variables })
    : hereDocument(call.url, botToken, body)
}

/** A here-document, because the shell fills in every variable of it. */
function hereDocument(url: string, botToken: string, body: object): string {
  return `curl -sS ${POSIX.quoted(url, [botToken])} -H 'Content-Type: application/json' -d @- <<JSON
${JSON.stringify(body)}
JSON`
}
