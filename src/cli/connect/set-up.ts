import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import { PAGE } from '../../triggers/lists/page.ts'
import type { Sender } from '../../triggers/sender.ts'
import { baseAddress } from '../../wire/address.ts'
import { readSetting } from '../../wire/settings.ts'
import type { Shell } from '../../wire/shell.ts'
import { urlSecretOf } from '../init/sender-workflow.ts'
import { registrationOf } from '../url.ts'
import { type ConnectTarget, verifies } from './connect-target.ts'
import type { PublicRelay } from './public-relay.ts'

const REGISTER =
  'Register it with the bot. Set its token in BOT_TOKEN and a secret of your choice in BOT_SECRET:'

interface SetUp {
  readonly target: ConnectTarget
  /** The trigger with its signature verification. */
  readonly conditions: FoundTrigger
  readonly sender: Sender | undefined
  readonly relay: Pick<PublicRelay, 'url' | 'inWorkflow'>
  readonly shell: Shell
}

/** The remaining steps at the sender and in the repository before the first event arrives. */
export function setUpLines({ target, conditions, sender, relay, shell }: SetUp): string[] {
  const { repository, trigger, example } = target
  const { url, inWorkflow } = relay
  const { signatures } = conditions
  const call = { ...(example ?? ANY_REQUEST), path: '' }
  const steps =
    trigger === 'messaging_bot'
      ? ['', REGISTER, registrationOf(url).text] // The end of its here-document must start a line.
      : sender
        ? clickLines(sender)
        : signatures.length > 0
          ? ['', 'The workflow verifies signatures, so only a signed request starts it.']
          : ['', 'Try it:', `  ${exampleLine(url, call, undefined, shell.request)}`]
  // Without `verify`, the workflow reads no secret.
  const secrets = sender && verifies(sender, signatures) ? secretLines(sender, repository) : []
  const checks = inWorkflow.map((condition) => `Checked in the workflow only: ${condition}`)
  return [
    '',
    sender ? `Webhook URL for ${sender.title}` : 'Webhook URL',
    `  ${url}`,
    ...steps,
    ...secrets,
    ...(checks.length > 0 ? ['', ...checks] : []),
  ]
}

function clickLines({ name, title }: Sender): string[] {
  const click = PAGE[name]?.click
  return click === undefined ? [] : ['', `At ${title}: ${withoutMarkdown(click.trim())}`]
}

/** The repository secrets that the workflow reads. A sender often shows them only with the webhook. */
function secretLines(sender: Sender, repository: string): string[] {
  const { secret, shown } = sender
  const urlSecret = urlSecretOf(sender)
  const server = baseAddress(readSetting(process.env, 'HOOKLINE_SERVER_URL'))
  const store = (name: string) => `  gh secret set ${name} --repo ${repository}`
  const lines = [
    ...(secret ? ['', `Store its secret (${withoutMarkdown(shown)}):`, store(secret)] : []),
    ...(urlSecret
      ? ['', 'Store the complete URL above too, because it is signed:', store(urlSecret)]
      : []),
  ]
  if (lines.length === 0) return []
  return [...lines, `or at ${server}/${repository}/settings/secrets/actions/new`]
}

/** How to replace the temporary URL with a permanent one. */
export function stayLines({ repository, workflow }: ConnectTarget): string[] {
  return [
    '',
    'The URL has ended. For a permanent URL, run a relay:',
    '  hookline app create --relay https://<your relay>   creates a GitHub App, in place of a token',
    '  hookline relay --outbox outbox.db                  on a server; see https://github.com/hookline/hookline#host',
    `  hookline url ${workflow} --relay https://<your relay> --repository ${repository}`,
  ]
}

/** Removes the Markdown of links, emphasis and fences. */
function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/^```.*\n/gm, '')
    .replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '$1 ($2)')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1')
}
