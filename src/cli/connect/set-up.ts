import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import { PAGE } from '../../triggers/lists/page.ts'
import type { Sender } from '../../triggers/sender.ts'
import { baseOf } from '../../wire/address.ts'
import { readSetting } from '../../wire/settings.ts'
import type { Shell } from '../../wire/shell.ts'
import { urlSecretOf } from '../init/sender.ts'
import { registrationOf } from '../url.ts'
import type { Line } from './line.ts'
import type { ConnectTarget } from './target.ts'

const REGISTER =
  'Register it with the bot, its token in BOT_TOKEN and a secret of your choice in BOT_SECRET:'

interface SetUp {
  readonly target: ConnectTarget
  /** What the file asks of a request. */
  readonly asked: FoundTrigger
  readonly sender: Sender | undefined
  readonly line: Line
  readonly shell: Shell
}

/** What is to be done at the sender, and here, so that the first event comes. */
export function setUpLines({ target, asked, sender, line, shell }: SetUp): string[] {
  const { repository, trigger, example } = target
  const { url, left } = line
  const title = sender ? `Webhook URL, to be given to ${sender.title}` : 'Webhook URL'
  const call = { ...(example ?? ANY_REQUEST), path: '' }
  const own =
    trigger === 'messaging_bot'
      ? ['', REGISTER, registrationOf(url).text] // its end stands at the margin
      : sender
        ? clickLines(sender)
        : asked.proofs.length > 0
          ? ['', 'Requests to it are signed, as `verify` in the file asks.']
          : ['', 'Try it:', `  ${exampleLine(url, call, undefined, shell.request)}`]
  const leaving =
    left.length > 0 ? ['', ...left.map((what) => `Left to the workflow: ${what}`)] : []
  const secrets = sender ? secretLines(sender, repository) : []
  return ['', title, `  ${url}`, ...own, ...secrets, ...leaving]
}

function clickLines({ name, title }: Sender): string[] {
  const click = PAGE[name]?.click
  return click === undefined ? [] : ['', `At ${title}: ${withoutMarkdown(click.trim())}`]
}

/** The secrets of the repository that the workflow reads, which often come into being with the webhook. */
function secretLines(sender: Sender, repository: string): string[] {
  const { secret, shown } = sender
  const urlSecret = urlSecretOf(sender)
  const server = baseOf(readSetting(process.env, 'HOOKLINE_SERVER_URL'))
  const store = (name: string) => `  gh secret set ${name} --repo ${repository}`
  const lines = [
    ...(secret
      ? ['', `Its secret, ${withoutMarkdown(shown)}, for the workflow to read:`, store(secret)]
      : []),
    ...(urlSecret ? ['', 'It signs the URL above too, whole:', store(urlSecret)] : []),
  ]
  if (lines.length === 0) return []
  return [...lines, `or at ${server}/${repository}/settings/secrets/actions/new`]
}

/** How to keep what worked. */
export function stayLines({ repository, workflow }: ConnectTarget): string[] {
  return [
    '',
    'The URL and its key are gone. To stay:',
    '  hookline app create --relay https://<your relay>   an App, so that nobody needs a token',
    '  run the relay, on a machine or at the edge: docs/host/relay.md',
    `  hookline url ${workflow} --relay https://<your relay> --repository ${repository}`,
  ]
}

/** What stands in a table or a block stays as it is. */
function withoutMarkdown(text: string): string {
  return text
    .replaceAll(/^```.*\n/gm, '')
    .replace(/\[([^\]]+)\]\((https:[^)]+)\)/g, '$1 ($2)')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/(?<![\w*])\*([^*\n]+)\*(?![\w*])/g, '$1')
}
