import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import { type Sender, sectionAddress } from '../../triggers/sender.ts'
import type { Shell } from '../../wire/shell.ts'
import type { Origin } from '../origin.ts'
import { type PushFacts, publishLines } from '../publish.ts'
import { PAIRED } from '../send/signatures.ts'
import { type Answers, indented, type Kind, type NewFile } from './kinds.ts'
import { secretsOf, triggerOf, urlSecretOf, withoutMarkdown } from './sender-workflow.ts'

/** The page about relays on a server. */
const RELAY_PAGE = 'https://github.com/hookline/hookline/blob/main/docs/host/relay.md'

/** The part of the page about a bot that receives messages on the reader's machine. */
const LOCAL_BOT_PAGE =
  'https://github.com/hookline/hookline/blob/main/docs/start/telegram-bot.md#try-it-on-your-machine'

/** Placeholder for a repository that is not known. */
const SOME_REPOSITORY = 'owner/name'

interface MachineFacts {
  /** Port of `hookline dev`. */
  readonly port: string
  /** True if gh has to sign in first. */
  readonly needsLogin: boolean
  readonly shell: Shell
  readonly push: PushFacts
  /** True if no other workflow in this folder receives webhooks. */
  readonly isAlone: boolean
  readonly origin: Origin | undefined
}

type Section = readonly [title: string, lines: readonly string[]]

/** The next steps for a workflow that was just written, the shortest way first. */
export function nextSteps(kind: Kind, answers: Answers, facts: MachineFacts): string {
  const { name } = answers
  const { needsLogin, push, shell } = facts
  const files = [...kind.files(answers), ...compiledPaths(kind, name)].map(({ path }) => path)
  const publish = [
    ...(needsLogin ? ['gh auth login'] : []),
    ...(kind.compile === undefined ? [] : [kind.compile]),
    ...publishLines({ files, workflow: name, isCommitted: false, push, shell }),
  ]
  const sections =
    kind.secret === undefined
      ? webhookSections(kind, answers, publish, facts)
      : botSections(kind.secret, answers, publish, facts)
  return sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => `\n${title}\n${indented(lines.join('\n'), 2)}\n`)
    .join('')
}

function webhookSections(
  kind: Kind,
  answers: Answers,
  publish: readonly string[],
  facts: MachineFacts,
): Section[] {
  const { name, sender } = answers
  const trigger = sender ? triggerOf(sender) : kind.trigger
  const stored = sender ? secretsOf(sender) : []
  const place = facts.origin?.repository ?? SOME_REPOSITORY
  const other = facts.isAlone ? '' : ` --workflow ${name}`
  return [
    ['Commit and push it to the default branch:', publish],
    [
      'The steps at the sender, its signature and its retries:',
      sender ? [sectionAddress(sender.name)] : [],
    ],
    [
      'Get a public URL, and follow each request to its run:',
      [`hookline connect${sender ? ` ${sender.name}` : ''}${other}`],
    ],
    [secretsTitle(answers), stored.map((secret) => secretLine(secret, answers, facts))],
    [
      'The sender waits only briefly for a response. Give its endpoint this setting:',
      sender?.respond === undefined ? [] : [`respond: ${sender.respond}`],
    ],
    [
      'Or poll for messages, which needs no public URL:',
      trigger === 'messaging_bot' ? ['hookline init --kind bot'] : [],
    ],
    ['Optional: to test it on this machine:', localLines(trigger, answers, facts)],
    [
      'Optional: for a URL that always works, start a relay on a server, and create it:',
      [
        'hookline relay',
        '# In a second terminal, with HOOKLINE_GITHUB_TOKEN:',
        `hookline endpoint create ${name} --repository ${place} --workflow ${name} --credential token`,
        `# ${RELAY_PAGE}`,
      ],
    ],
  ]
}

/** The secret is typed at a prompt, so that it is in no argument and in no shell history. */
function botSections(
  secret: string,
  answers: Answers,
  publish: readonly string[],
  facts: MachineFacts,
): Section[] {
  return [
    [
      "Push it to the default branch, and store the bot's token:",
      [...publish, secretLine(secret, answers, facts)],
    ],
    [
      'Write a message to the bot, and start the workflow. Within about a minute the bot answers:',
      // Another forge has no command for it: the schedule of the workflow starts it.
      answers.forge === undefined ? [`gh workflow run ${answers.name}.yml`] : [],
    ],
    ['To try it on this machine:', [LOCAL_BOT_PAGE]],
  ]
}

/** The origin of each secret, such as `the signing secret of the endpoint`. A sender often shows it only with the webhook. */
function secretsTitle({ sender, forge }: Answers): string {
  const sources = [
    ...(sender?.secret === undefined ? [] : [withoutMarkdown(sender.shown)]),
    ...(sender && urlSecretOf(sender) !== undefined ? ['the complete webhook URL'] : []),
  ]
  const noun = sources.length === 1 ? 'secret' : 'secrets'
  const key = forge === undefined ? ' Press s in connect, or run:' : ''
  return `Store the repository ${noun} (${sources.join('; ')}).${key}`.replace(/\.$/, ':')
}

/** Stores a secret: a command, or the page of Forgejo or Gitea. */
function secretLine(secret: string, { forge }: Answers, { origin }: MachineFacts): string {
  if (forge === undefined) return `gh secret set ${secret}`
  const { repository = SOME_REPOSITORY, webUrl = 'https://<host>' } = origin ?? {}
  return `${secret} at ${webUrl}/${repository}/settings/actions/secrets`
}

/** The way without GitHub. The terminal that has read the secret signs with it. */
function localLines(
  trigger: string,
  { name, sender }: Answers,
  { port, shell }: MachineFacts,
): string[] {
  const url = `http://localhost:${port}/webhook/${name}/${trigger}`
  const { prepare, fire } = sender
    ? sendLines(sender, url, shell)
    : { prepare: [], fire: [exampleLine(url, ANY_REQUEST, undefined, shell.request)] }
  return prepare.length > 0
    ? [...prepare, '# In a second terminal:', 'hookline dev', '# In this terminal:', ...fire]
    : ['hookline dev', '# In a second terminal:', ...fire]
}

/**
 * Gives `hookline dev` the secrets, and sends an example event of the sender. If the workflow verifies with
 * a public key, `send` creates a key pair and prints the public key. Only Amazon can sign for SNS.
 */
function sendLines(sender: Sender, url: string, shell: Shell) {
  const { name, secret, scheme = name } = sender
  const signed = urlSecretOf(sender)
  const ignore = shell.appending('.env', '.gitignore')
  const address = signed === undefined ? [] : [shell.appending(`${signed}=${url}`, '.env')]
  if (secret === undefined) {
    return { prepare: signed === undefined ? [] : [ignore, ...address], fire: [] }
  }
  const send = `hookline send '${url}' --sender ${name}`
  if (!PAIRED.includes(scheme)) {
    return {
      prepare: [ignore, shell.keeping(secret, '.env'), ...address],
      fire: [shell.having({ HOOKLINE_WEBHOOK_SECRET: { of: secret } }, send)],
    }
  }
  const paired = `${send} --private-key ${name}.pem`
  const making = shell.picking('public key:', paired, '.env')
  return { prepare: [ignore, ...address], fire: [making, paired] }
}

/** The files that `hookline build` will write. */
export function compiledPaths({ compile }: Kind, name: string): readonly Pick<NewFile, 'path'>[] {
  return compile === undefined ? [] : [{ path: `.github/workflows/${name}.yml` }]
}
