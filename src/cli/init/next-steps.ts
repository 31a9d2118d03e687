import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import type { Sender } from '../../triggers/sender.ts'
import { webhookUrl } from '../../wire/path.ts'
import { POSIX, type Shell, type Value } from '../../wire/shell.ts'
import { PAIRED } from '../send/signatures.ts'
import type { Answers, Kind, NewFile } from './kinds.ts'
import { secretsOf, triggerOf, urlSecretOf } from './sender.ts'

export function localServer(port: string): string {
  return `http://localhost:${port}`
}

/** What to do with a workflow that was just written: lines to paste into a shell. */
export interface NextSteps {
  /** What a sender is given; `null` for what has no URL. */
  readonly url: string | null
  /** What has to be put in place of a part of the URL that stands for it. */
  readonly missing: readonly string[]
  /** Fires the workflow on GitHub, by way of the relay; `null` where its sender alone can. */
  readonly curl: string | null
  /** Prints the URL with a credential that may stand in it, for a sender that sets no header. */
  readonly sealedUrl: readonly string[]
  /**
   * On this machine: what serves, which keeps its terminal, and what fires it; of a bot, what asks for
   * its token, and what polls.
   */
  readonly tryOut: readonly string[]
  /** Page on which the token for relay and doctor is made. */
  readonly token: readonly string[]
  /** What that token may do, as GitHub's page calls it. */
  readonly tokenBox: string
  /** What starts a relay, with the variables that it needs. */
  readonly relay: readonly string[]
  /** To GitHub. */
  readonly publish: readonly string[]
  /** What shows that it works there, once there are a token and a relay. */
  readonly doctor: readonly string[]
  /** Of the repository: a sender's often come into being with its webhook. */
  readonly secrets: readonly string[]
  /** What gives it a public URL at once, and follows each request to its run. */
  readonly connect: readonly string[]
}

/** Stands in the URL where the repository is not known. */
const SOME_REPOSITORY = 'owner/name'

/** @param port where `hookline dev` listens, or a relay on this machine */
export function nextSteps(
  kind: Kind,
  answers: Answers,
  files: readonly NewFile[],
  port: string,
  { gh = 'absent', shell = POSIX, isAlone = true }: Surroundings = {},
): NextSteps {
  const login = gh === 'out' ? ['gh auth login'] : []
  const { name } = answers
  const added = [...files, ...compiledFiles(kind.compile, { name })].map(({ path }) => path)
  const push = [
    ...login,
    ...(kind.compile === undefined ? [] : [kind.compile]),
    shell.chained([
      `git add ${added.join(' ')}`,
      `git commit -m 'Add the workflow ${name}'`,
      'git push',
    ]),
  ]
  return kind.secret === undefined
    ? {
        ...webhookSteps(kind, answers, push, port, shell),
        connect: [connectLine(answers, isAlone)],
      }
    : pollingSteps(kind.secret, answers, push, shell)
}

function webhookSteps(
  kind: Kind,
  { name, relay, repository, sender, dispatch = 'repository' }: Answers,
  push: readonly string[],
  port: string,
  shell: Shell,
): Omit<NextSteps, 'connect'> {
  const { box, permission, flag, variables } = BY_MODE[dispatch]
  const trigger = sender ? triggerOf(sender) : kind.trigger
  const place = repository || SOME_REPOSITORY
  const url = webhookUrl({ relay, repository: place, workflow: name, trigger })
  const local = `${localServer(port)}/webhook/${name}/${trigger}`
  const isOwn = relay === localServer(port)
  // Keys that end with a relay will do for one whose public address ends with it too.
  const sealing: Readonly<Record<string, Value>> =
    sender && isOwn ? { HOOKLINE_SEALING_KEYS: { printedBy: 'hookline keys create sealing' } } : {}
  const serving = `hookline relay${isOwn ? ' --tunnel' : ''}`
  const kindOfUrl = URL_FLAGS.get(trigger) ?? ` --trigger ${trigger}`
  return {
    url,
    missing: [
      ...(repository ? [] : [`your repository for ${SOME_REPOSITORY}`]),
      ...(isOwn ? [`your relay's address for ${relay}`] : []),
    ],
    curl: sender
      ? null
      : exampleLine(url, ANY_REQUEST, shell.variable('HOOKLINE_GITHUB_TOKEN'), shell.request),
    sealedUrl: [`hookline url ${name}${kindOfUrl} --repository ${place} --relay ${relay}`],
    tryOut: [
      'hookline dev',
      ...(sender
        ? sendLines(sender, local, shell)
        : [exampleLine(local, ANY_REQUEST, undefined, shell.request)]),
    ],
    token: [tokenPage(name, repository, [permission])],
    tokenBox: box,
    // The relay holds no token: each request brings its own.
    relay: [
      shell.hiding('HOOKLINE_GITHUB_TOKEN', shell.having({ ...variables, ...sealing }, serving)),
    ],
    publish: push,
    secrets: [...(sender ? secretsOf(sender) : []), ...(kind.secrets ?? [])].map(secretLine),
    doctor: [
      `hookline doctor --workflow ${name}${repository && ` --repository ${repository}`}${flag} --relay ${relay}`,
    ],
  }
}

/** How `hookline url` is told of a trigger, where not by `--trigger`. */
const URL_FLAGS: ReadonlyMap<string, string> = new Map([
  ['webhook', ''],
  ['messaging_bot', ' --bot'],
])

/** What each event asks of the token, of a command line, and of the relay's environment. */
const BY_MODE = {
  repository: {
    box: 'Contents: Read and write',
    permission: 'contents',
    flag: '',
    variables: {},
  },
  workflow: {
    box: 'Actions: Read and write',
    permission: 'actions',
    flag: ' --dispatch workflow',
    variables: { HOOKLINE_DISPATCH: { text: 'workflow' } },
  },
} as const

/**
 * Here and there the secret is asked for, so that it stands in no argument and no history; and the
 * file that then holds it is kept out of the repository. What polls needs no token of GitHub, so there
 * is nothing for doctor to look at.
 */
function pollingSteps(
  secret: string,
  { name }: Answers,
  push: readonly string[],
  shell: Shell,
): NextSteps {
  return {
    url: null,
    missing: [],
    curl: null,
    sealedUrl: [],
    tryOut: [ignoreLine(shell), shell.keeping(secret, '.env'), 'hookline dev --poll'],
    token: [],
    tokenBox: '',
    relay: [],
    connect: [],
    secrets: [],
    publish: [secretLine(secret), ...push, `gh workflow run ${name}.yml`],
    doctor: [],
  }
}

function connectLine({ name, sender }: Answers, isAlone: boolean): string {
  return `hookline connect${sender ? ` ${sender.name}` : ''}${isAlone ? '' : ` --workflow ${name}`}`
}

function secretLine(secret: string): string {
  return `gh secret set ${secret}`
}

function ignoreLine(shell: Shell): string {
  return shell.appending('.env', '.gitignore')
}

/**
 * Gives `hookline dev` the secrets, and fires as the sender does; Amazon alone signs for SNS. Where
 * the workflow holds a public key, `send` makes a pair for a trial, and tells that half of it.
 */
function sendLines(sender: Sender, url: string, shell: Shell): readonly string[] {
  const { name, secret, scheme = name } = sender
  const signed = urlSecretOf(sender)
  const address = signed === undefined ? [] : [shell.appending(`${signed}=${url}`, '.env')]
  if (secret === undefined) return signed === undefined ? [] : [ignoreLine(shell), ...address]
  const send = `hookline send '${url}' --sender ${name}`
  if (!PAIRED.includes(scheme)) {
    const firing = shell.having({ HOOKLINE_WEBHOOK_SECRET: { of: secret } }, send)
    return [ignoreLine(shell), shell.keeping(secret, '.env'), ...address, firing]
  }
  const paired = `${send} --key ${name}.pem`
  const making = shell.picking('public half:', paired, '.env')
  return [ignoreLine(shell), making, ...address, paired]
}

/** What `hookline build` will make of it: not there yet. */
export function compiledFiles(
  compile: Kind['compile'] | undefined,
  { name }: Pick<Answers, 'name'>,
): readonly NewFile[] {
  return compile === undefined ? [] : [{ path: `.github/workflows/${name}.yml`, text: '' }]
}

/**
 * GitHub's page for a new fine-grained token. What it does not take over from the address has to be
 * chosen there, so the box to tick is told beside it.
 *
 * @param permissions to write, or with `:read` behind them
 */
export function tokenPage(
  name: string,
  repository: string,
  permissions: readonly string[],
): string {
  const [owner = ''] = repository.split('/')
  const asked = new URLSearchParams({
    name: `hookline ${name}`,
    ...(owner && { target_name: owner }),
    expires_in: '90',
    ...Object.fromEntries(permissions.map((each) => [...each.split(':'), 'write'].slice(0, 2))),
  })
  return `https://github.com/settings/personal-access-tokens/new?${asked}`
}

/** What is known of the machine. */
interface Surroundings {
  readonly gh?: GhState
  readonly shell?: Shell
  /** No other workflow here waits for requests. */
  readonly isAlone?: boolean
}

/** Whether the tool of GitHub is there, and knows who asks. */
type GhState = 'absent' | 'in' | 'out'
