import { ANY_REQUEST, exampleLine } from '../../triggers/example-line.ts'
import { type Sender, sectionAddress } from '../../triggers/sender.ts'
import { webhookUrl } from '../../wire/path.ts'
import { POSIX, type Shell } from '../../wire/shell.ts'
import { type PushFacts, publishLines } from '../publish.ts'
import { PAIRED } from '../send/signatures.ts'
import type { Answers, Kind, NewFile } from './kinds.ts'
import { withoutMarkdown } from './plain-text.ts'
import { secretsOf, triggerOf, urlSecretOf } from './sender-workflow.ts'

export function localServer(port: string): string {
  return `http://localhost:${port}`
}

/** The next steps for a workflow that was just written: lines to paste into a shell. */
export interface NextSteps {
  /** The webhook URL; `null` for a workflow that polls. */
  readonly url: string | null
  /** The replacements for placeholders in the URL. */
  readonly missing: readonly string[]
  /** Fires the workflow on GitHub through the relay; `null` if only the sender can sign the request. */
  readonly curl: string | null
  /** Creates an endpoint at the relay, which stores the GitHub token. */
  readonly endpoint: readonly string[]
  /** Writes the secrets into `.env`, before the test on this machine. */
  readonly prepare: readonly string[]
  /**
   * Tests on this machine: first the command that occupies a terminal, then those that fire the workflow.
   * For a bot: the command that polls.
   */
  readonly tryOut: readonly string[]
  /** Page that creates the token for relay and doctor. */
  readonly token: readonly string[]
  /** The permission of that token, as GitHub's page calls it. */
  readonly tokenBox: string
  /** Starts a relay, with the variables that it needs. */
  readonly relay: readonly string[]
  /** Compiles, commits and pushes the workflow. */
  readonly publish: readonly string[]
  /** Starts a workflow that polls. */
  readonly start: readonly string[]
  /** Checks the whole way, once there are a token and a relay. */
  readonly doctor: readonly string[]
  /** Stores the repository secrets. A sender often shows them only with the webhook. */
  readonly secrets: readonly string[]
  /** Whether `connect` stores all of them by a key. */
  readonly storedByKey: boolean
  /** The origin of each secret: `the signing secret of the endpoint, whsec_…`. */
  readonly secretSources: readonly string[]
  /** Gives it a public URL, and follows each request to its run. */
  readonly connect: readonly string[]
  /** Settings that the sender's endpoint needs, as `name: value`. */
  readonly endpointSettings: readonly string[]
  /** The address of the section about the sender. */
  readonly senderPage: string | null
  /** For a bot: writes a workflow that polls in place of receiving webhooks. */
  readonly polling: readonly string[]
}

/** Placeholder in the URL if the repository is unknown. */
const SOME_REPOSITORY = 'owner/name'

/** Placeholder in a page's address if the host of the forge is unknown. */
const SOME_HOST = 'https://<host>'

/** @param port where `hookline dev` listens, or a relay on this machine */
export function nextSteps(
  kind: Kind,
  answers: Answers,
  files: readonly NewFile[],
  port: string,
  {
    gh = 'absent',
    shell = POSIX,
    push: pushing = { refspec: 'HEAD' },
    isAlone = true,
    webUrl,
  }: MachineFacts = {},
): NextSteps {
  const { name, forge } = answers
  const login = gh === 'out' && forge === undefined ? ['gh auth login'] : []
  const added = [...files, ...compiledPaths(kind.compile, { name })].map(({ path }) => path)
  const push = [
    ...login,
    ...(kind.compile === undefined ? [] : [kind.compile]),
    ...publishLines({ files: added, workflow: name, isCommitted: false, push: pushing, shell }),
  ]
  return kind.secret === undefined
    ? {
        ...webhookSteps(kind, answers, push, port, { shell, webUrl }),
        connect: [connectLine(answers, isAlone)],
      }
    : pollingSteps(kind.secret, answers, push, { shell, webUrl })
}

function webhookSteps(
  kind: Kind,
  { name, relay, repository, sender, forge, dispatch = 'repository' }: Answers,
  push: readonly string[],
  port: string,
  { shell, webUrl }: { readonly shell: Shell; readonly webUrl: string | undefined },
): Omit<NextSteps, 'connect'> {
  const { box, permission, flag } = BY_MODE[dispatch]
  // On GitHub, a token URL always sends `repository_dispatch`.
  const isDirect = dispatch === 'workflow' && forge === undefined
  const variables: Parameters<Shell['having']>[0] =
    forge === undefined ? {} : { HOOKLINE_FORGE: { text: forge } }
  const web = webUrl ?? SOME_HOST
  const trigger = sender ? triggerOf(sender) : kind.trigger
  const place = repository || SOME_REPOSITORY
  const url = webhookUrl({ relay, repository: place, workflow: name, trigger })
  const local = `${localServer(port)}/webhook/${name}/${trigger}`
  const isOwn = relay === localServer(port)
  const serving = `hookline relay${isOwn ? ' --tunnel' : ''}`
  const { prepare, fire } = sender
    ? sendLines(sender, local, shell)
    : { prepare: [], fire: [exampleLine(local, ANY_REQUEST, undefined, shell.request)] }
  const storing = (secret: string) =>
    forge === undefined ? secretLine(secret) : secretPage(secret, webUrl, repository)
  return {
    url,
    missing: [
      ...(repository ? [] : [`your repository for ${SOME_REPOSITORY}`]),
      ...(isOwn ? [`your relay's address for ${relay}`] : []),
    ],
    curl:
      sender || isDirect
        ? null
        : exampleLine(url, ANY_REQUEST, shell.variable('HOOKLINE_GITHUB_TOKEN'), shell.request),
    endpoint: [
      `hookline endpoint create ${name} --repository ${place} --workflow ${name} --credential token${isOwn ? '' : ` --relay ${relay}`}`,
    ],
    prepare,
    tryOut: ['hookline dev', ...fire],
    token: [
      forge === undefined
        ? tokenPage(name, repository, [permission], webUrl)
        : `${web}/user/settings/applications`,
    ],
    tokenBox: box,
    // The relay has no token; each request carries one.
    relay: [shell.hiding('HOOKLINE_GITHUB_TOKEN', shell.having(variables, serving))],
    publish: push,
    start: [],
    secrets: (sender ? secretsOf(sender) : []).map(storing),
    storedByKey: sender !== undefined && forge === undefined,
    secretSources: [
      ...(sender?.secret === undefined ? [] : [withoutMarkdown(sender.shown)]),
      ...(sender && urlSecretOf(sender) !== undefined ? ['the complete webhook URL'] : []),
    ],
    endpointSettings: sender?.respond === undefined ? [] : [`respond: ${sender.respond}`],
    senderPage: sender === undefined ? null : sectionAddress(sender.name),
    polling: trigger === 'messaging_bot' ? ['hookline init --kind bot'] : [],
    doctor: [
      `hookline doctor --workflow ${name}${repository && ` --repository ${repository}`}${flag} --relay ${relay}`,
    ],
  }
}

/** The requirements of each dispatch mode: the permission of the token, and a flag. */
const BY_MODE = {
  repository: {
    box: 'Contents: Read and write',
    permission: 'contents',
    flag: '',
  },
  workflow: {
    box: 'Actions: Read and write',
    permission: 'actions',
    flag: ' --dispatch workflow',
  },
} as const

/**
 * The secret is typed at a prompt, so that it is in no argument and in no shell history, and .env is added
 * to .gitignore. A workflow that polls needs no GitHub token, so doctor has nothing to check.
 */
function pollingSteps(
  secret: string,
  { name, forge, repository }: Answers,
  push: readonly string[],
  { shell, webUrl }: { readonly shell: Shell; readonly webUrl: string | undefined },
): NextSteps {
  const isGitHub = forge === undefined
  return {
    url: null,
    missing: [],
    curl: null,
    endpoint: [],
    prepare: [ignoreLine(shell), shell.keeping(secret, '.env')],
    tryOut: ['hookline dev --poll'],
    token: [],
    tokenBox: '',
    relay: [],
    connect: [],
    secrets: [isGitHub ? secretLine(secret) : secretPage(secret, webUrl, repository)],
    storedByKey: false,
    secretSources: [],
    endpointSettings: [],
    senderPage: null,
    polling: [],
    publish: push,
    // Another forge has no command for it: the schedule of the workflow starts it.
    start: isGitHub ? [`gh workflow run ${name}.yml`] : [],
    doctor: [],
  }
}

function connectLine({ name, sender }: Answers, isAlone: boolean): string {
  return `hookline connect${sender ? ` ${sender.name}` : ''}${isAlone ? '' : ` --workflow ${name}`}`
}

function secretLine(secret: string): string {
  return `gh secret set ${secret}`
}

/** A secret, and the page of Forgejo or Gitea that stores it. */
function secretPage(secret: string, webUrl: string | undefined, repository: string): string {
  const page = `${repository || SOME_REPOSITORY}/settings/actions/secrets`
  return `${secret} at ${webUrl ?? SOME_HOST}/${page}`
}

function ignoreLine(shell: Shell): string {
  return shell.appending('.env', '.gitignore')
}

/**
 * Gives `hookline dev` the secrets, and sends an example event of the sender. If the workflow verifies with
 * a public key, `send` creates a key pair and prints the public key. Only Amazon can sign for SNS.
 */
function sendLines(sender: Sender, url: string, shell: Shell): SendLines {
  const { name, secret, scheme = name } = sender
  const signed = urlSecretOf(sender)
  const address = signed === undefined ? [] : [shell.appending(`${signed}=${url}`, '.env')]
  if (secret === undefined) {
    return { prepare: signed === undefined ? [] : [ignoreLine(shell), ...address], fire: [] }
  }
  const send = `hookline send '${url}' --sender ${name}`
  if (!PAIRED.includes(scheme)) {
    return {
      prepare: [ignoreLine(shell), shell.keeping(secret, '.env'), ...address],
      fire: [shell.having({ HOOKLINE_WEBHOOK_SECRET: { of: secret } }, send)],
    }
  }
  const paired = `${send} --private-key ${name}.pem`
  const making = shell.picking('public key:', paired, '.env')
  return { prepare: [ignoreLine(shell), ...address], fire: [making, paired] }
}

interface SendLines {
  readonly prepare: readonly string[]
  readonly fire: readonly string[]
}

/** The files that `hookline build` will write. */
export function compiledPaths(
  compile: Kind['compile'] | undefined,
  { name }: Pick<Answers, 'name'>,
): readonly NewFile[] {
  return compile === undefined ? [] : [{ path: `.github/workflows/${name}.yml`, text: '' }]
}

/**
 * GitHub's page for a new fine-grained token, with name, owner, expiry and permissions filled in. The
 * repository has to be chosen there.
 *
 * @param permissions such as `contents` for write access, or `actions:read`
 */
export function tokenPage(
  name: string,
  repository: string,
  permissions: readonly string[],
  webUrl = 'https://github.com',
): string {
  const [owner = ''] = repository.split('/')
  const asked = new URLSearchParams({
    name: `hookline ${name}`,
    ...(owner && { target_name: owner }),
    expires_in: '90',
    ...Object.fromEntries(permissions.map((each) => [...each.split(':'), 'write'].slice(0, 2))),
  })
  return `${webUrl}/settings/personal-access-tokens/new?${asked}`
}

/** Facts about the machine. */
interface MachineFacts {
  readonly gh?: GhState
  readonly shell?: Shell
  readonly push?: PushFacts
  /** Whether no other workflow in this folder receives webhooks. */
  readonly isAlone?: boolean
  /** Address of the pages of the git remote's host. */
  readonly webUrl?: string | undefined
}

/** Whether gh is not installed, signed in, or signed out. */
type GhState = 'absent' | 'in' | 'out'
