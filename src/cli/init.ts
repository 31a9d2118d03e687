import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { ANY_REQUEST, exampleLine } from '../inspector/local-engine.ts'
import type { Sender } from '../triggers/verify/scheme.ts'
import { SENDERS, senderNamed } from '../triggers/verify/senders.ts'
import { UserError } from '../wire/errors.ts'
import { webhookUrl } from '../wire/path.ts'
import { DISPATCH_EVENTS } from '../wire/payload.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { originRepository } from './files.ts'
import { type Answers, KINDS, type Kind, type NewFile } from './init/kinds.ts'
import { answered, askAt, type Given } from './init/questions.ts'
import { secretsOf, triggerOf, urlSecretOf } from './init/sender.ts'
import { PAIRED } from './send/signatures.ts'
import { print, wrapped } from './terminal.ts'

interface InitOptions extends Given {
  readonly sender?: string
  readonly uses?: string
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
}

const HELP = `
Without a flag it asks for, on a terminal; elsewhere, and with --yes, the default is taken.
Start it at the root of the repository: GitHub reads workflows nowhere else.
A file that is there already is never overwritten.

With --sender it asks for a proof of that sender, and fires on its usual events:
  ${wrapped(
    SENDERS.map(({ name }) => name),
    2,
  )}

Examples:
  $ npx hookline init
  $ npx hookline init --sender stripe
  $ npx hookline init --event workflow_dispatch
  $ npx hookline init --yes --name deploy --repository octo/repo --relay https://relay.example.com`

const TRY_POLLING =
  'Try it here, line by line, then write to the bot; the second line waits for its token, unseen:'

export function initCommand(): Command {
  const kinds = [...KINDS.keys()]
  return new Command('init')
    .description('write a first workflow, and say how to try it')
    .addOption(new Option('--kind <kind>', 'what starts it').choices(kinds))
    .option('--sender <name>', 'who sends the requests')
    .option('--name <name>', 'name of the workflow, and of its file')
    .option('--repository <owner/name>', 'where it will run, by default the git remote origin')
    .option('--relay <url>', 'address of the relay')
    .addOption(
      new Option('--event <event>', 'what the relay starts it by').choices(DISPATCH_EVENTS),
    )
    .option('--uses <action>', 'the action, with the commit that you pin')
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(init)
}

async function init(options: InitOptions): Promise<void> {
  const { dryRun = false, json } = options
  const port = process.env.PORT || '3000'
  const answers = await allAnswers(options, port)
  const kind = KINDS.get(answers.kind)
  if (!kind) return
  refuseSubfolder()
  const files = kind.files(answers)
  refuseExisting(process.cwd(), [...files, ...compiledFiles(kind.compile, answers)])
  const gh = spawnSync('gh', ['auth', 'status'], { stdio: 'ignore', timeout: 5000 })
  const ghState = gh.error ? 'absent' : gh.status === 0 ? 'in' : 'out'
  const steps = nextSteps(kind, answers, files, port, ghState)
  if (!json) print(files.map(({ path, text }) => `${path}\n\n${indented(text)}\n`).join('\n'))
  if (!dryRun) {
    refuseExisting(process.cwd(), files)
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true })
      // Fails on a file that came into being meanwhile.
      writeFileSync(path, text, { flag: 'wx' })
    }
  }
  print(
    json
      ? JSON.stringify({ written: !dryRun, files, ...steps })
      : reportText(files, dryRun, steps, answers.relay, port).trimEnd(),
  )
}

async function allAnswers(options: InitOptions, port: string): Promise<Answers> {
  const { yes, json, kind, sender: from, name, repository, relay, event, uses } = options
  const { stdin: input, stdout: output } = process
  refusePolled(options)
  const sender = from === undefined ? undefined : knownSender(from)
  const given = sender
    ? { kind: kind ?? [...KINDS.keys()][0], name: name ?? sender.name, repository, relay, event }
    : { kind: kind ?? (event && [...KINDS.keys()][0]), name, repository, relay, event }
  const surroundings = { repository: originRepository(), relay: localServer(port) }
  if (!input.isTTY || !output.isTTY || yes || json) {
    return { ...(await answered(given, surroundings)), sender, uses }
  }
  const { ask, close } = askAt({ input, output })
  try {
    return { ...(await answered(given, surroundings, ask)), sender, uses }
  } finally {
    close()
  }
}

/** @throws UserError for what goes with requests alone, beside a kind that nobody sends them to */
function refusePolled({ kind, sender, event }: InitOptions): void {
  const flag = sender === undefined ? event && '--event' : '--sender'
  if (!flag || KINDS.get(kind ?? '')?.secret === undefined) return
  throw new UserError({
    message: `${flag} is for what is fed by requests: the kind ${kind} polls`,
    hint: 'leave one of the two out; a bot that is fed by requests is --sender telegram',
  })
}

/** @throws UserError for an unknown sender */
function knownSender(name: string): Sender {
  const sender = senderNamed(name)
  if (sender) return sender
  const names = SENDERS.map((known) => known.name)
  const hint = didYouMean(name, names)
  throw new UserError({
    message: `unknown sender ${JSON.stringify(name)}`,
    ...(hint && { hint }),
    notes: [`senders: ${names.join(', ')}`],
  })
}

function reportText(
  files: readonly NewFile[],
  dryRun: boolean,
  steps: NextSteps,
  address: string,
  port: string,
): string {
  const paths = files.map(({ path }) => path).join(', ')
  if (dryRun) return `Nothing was written: without --dry-run it would be ${paths}`
  const { pin, tryOut, publish, token, tokenBox, relay, doctor, url, missing, curl, sealedUrl } =
    steps
  const [serve = '', ...fire] = tryOut
  const asks = fire.some((line) => line.startsWith('read '))
    ? ', which asks for a secret, unseen'
    : ''
  const toFillIn = missing.length === 0 ? '' : `; put in ${missing.join(' and ')}`
  const pinned = section(
    'In place of the ones after "@", put the commit to pin; the newest is:',
    pin,
  )
  const published = section('Then on GitHub, from the default branch:', publish)
  const next = `\nNext: ${tryOut.find((line) => /hookline/.test(line))}\n`
  const written = `Wrote ${paths}\n${pinned}`
  if (url === null) return `${written}${section(TRY_POLLING, tryOut)}${published}${next}`
  const place =
    address === localServer(port)
      ? ', in the first terminal, where Ctrl-C ends dev; --tunnel gives it a public address'
      : `, on the machine behind ${address}`
  return [
    written,
    section('Try it here. In one terminal, which it keeps:', [serve]),
    section(`In a second one${asks}:`, fire),
    published,
    `\nThe token, for that repository alone, with the box "${tokenBox}", is made at\n${token.join('\n')}\n`,
    section('In the second terminal, this line waits for it, unseen:', [READ_TOKEN]),
    section(`The relay${place}:`, relay),
    section('In the second terminal, this tells what is still missing:', doctor),
    curl === null
      ? section(`The URL for the sender, with what it may carry${toFillIn}:`, sealedUrl)
      : section(`The URL for the sender, and a line that fires it${toFillIn}:`, [url, curl]),
    next,
  ].join('')
}

function localServer(port: string): string {
  return `http://localhost:${port}`
}

const READ_TOKEN = 'read -rs HOOKLINE_TOKEN && export HOOKLINE_TOKEN'

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${indented(lines.join('\n'))}\n`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}

/** What to do with a workflow that was just written: lines to paste into a shell. */
interface NextSteps {
  /** What a sender is given; `null` for what has no URL. */
  readonly url: string | null
  /** What has to be put in place of a part of the URL that stands for it. */
  readonly missing: readonly string[]
  /** Fires the workflow on GitHub, by way of the relay; `null` where its sender alone can. */
  readonly curl: string | null
  /** Prints the URL with a credential that may stand in it, for a sender that sets no header. */
  readonly sealedUrl: readonly string[]
  /** What shows the commit to pin; none where the action was given. */
  readonly pin: readonly string[]
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
}

/** Stands in the URL where the repository is not known. */
const SOME_REPOSITORY = 'owner/name'

/** @param port where `hookline dev` listens, or a relay on this machine */
export function nextSteps(
  kind: Kind,
  answers: Answers,
  files: readonly NewFile[],
  port: string,
  gh: GhState = 'absent',
): NextSteps {
  const login = gh === 'out' ? ['gh auth login'] : []
  const { name } = answers
  const added = [...files, ...compiledFiles(kind.compile, { name })].map(({ path }) => path)
  const push = [
    ...login,
    ...(kind.compile === undefined ? [] : [kind.compile(answers)]),
    `git add ${added.join(' ')}`,
    `git commit -m 'Add the workflow ${name}'`,
    'git push',
  ]
  const pin =
    answers.uses === undefined ? ['git ls-remote https://github.com/hookline/hookline HEAD'] : []
  const steps =
    kind.secret === undefined
      ? webhookSteps(kind, answers, push, port)
      : pollingSteps(kind.secret, answers, push)
  return { ...steps, pin }
}

type Steps = Omit<NextSteps, 'pin'>

function webhookSteps(
  kind: Kind,
  { name, relay, repository, sender, event = 'repository_dispatch' }: Answers,
  push: readonly string[],
  port: string,
): Steps {
  const { box, permission, flag, variable } = BY_EVENT[event]
  const trigger = sender ? triggerOf(sender) : kind.trigger
  const place = repository || SOME_REPOSITORY
  const url = webhookUrl({ relay, repository: place, workflow: name, trigger })
  const local = `${localServer(port)}/webhook/${name}/${trigger}`
  const isOwn = relay === localServer(port)
  // Keys that end with a relay will do for one whose public address ends with it too.
  const sealing = sender && isOwn ? 'HOOKLINE_SEAL_KEYS="$(npx hookline keys new)" ' : ''
  const kindOfUrl = URL_FLAGS.get(trigger) ?? ` --trigger ${trigger}`
  return {
    url,
    missing: [
      ...(repository ? [] : [`your repository for ${SOME_REPOSITORY}`]),
      ...(isOwn ? [`your relay's address for ${relay}`] : []),
    ],
    curl: sender ? null : exampleLine(url, ANY_REQUEST, '$HOOKLINE_TOKEN'),
    sealedUrl: [`npx hookline url ${name}${kindOfUrl} --repository ${place} --relay ${relay}`],
    tryOut: [
      'npx hookline dev',
      ...(sender ? sendLines(sender, local) : [exampleLine(local, ANY_REQUEST)]),
    ],
    token: [tokenPage(name, repository, permission)],
    tokenBox: box,
    // The relay holds no token: each request brings its own.
    relay: [
      `env -u HOOKLINE_TOKEN ${variable}${sealing}npx hookline relay${isOwn ? ' --tunnel' : ''}`,
    ],
    publish: [...(sender ? secretsOf(sender).map(secretLine) : []), ...push],
    doctor: [
      `npx hookline doctor --workflow ${name}${repository && ` --repository ${repository}`}${flag} --relay ${relay}`,
    ],
  }
}

/** How `hookline url` is told of a trigger, where not by `--trigger`. */
const URL_FLAGS: ReadonlyMap<string, string> = new Map([
  ['webhook', ''],
  ['messaging_bot', ' --bot'],
])

/** What each event asks of the token, of a command line, and of the relay's environment. */
const BY_EVENT = {
  repository_dispatch: {
    box: 'Contents: Read and write',
    permission: 'contents',
    flag: '',
    variable: '',
  },
  workflow_dispatch: {
    box: 'Actions: Read and write',
    permission: 'actions',
    flag: ' --event workflow_dispatch',
    variable: 'HOOKLINE_EVENT=workflow_dispatch ',
  },
} as const

/**
 * Here and there the secret is asked for, so that it stands in no argument and no history; and the
 * file that then holds it is kept out of the repository. What polls needs no token of GitHub, so there
 * is nothing for doctor to look at.
 */
function pollingSteps(secret: string, { name }: Answers, push: readonly string[]): Steps {
  return {
    url: null,
    missing: [],
    curl: null,
    sealedUrl: [],
    tryOut: [IGNORE_LINE, readLine(secret), 'npx hookline dev --poll'],
    token: [],
    tokenBox: '',
    relay: [],
    publish: [secretLine(secret), ...push, `gh workflow run ${name}.yml`],
    doctor: [],
  }
}

function secretLine(secret: string): string {
  return `gh secret set ${secret}`
}

const IGNORE_LINE = 'echo .env >> .gitignore'

function readLine(secret: string): string {
  return `read -rs ${secret} && echo "${secret}=$${secret}" >> .env`
}

/**
 * Gives `hookline dev` the secrets, and fires as the sender does; Amazon alone signs for SNS. Where
 * the workflow holds a public key, `send` makes a pair for a trial, and tells that half of it.
 */
function sendLines(sender: Sender, url: string): readonly string[] {
  const { name, secret, scheme = name } = sender
  const signed = urlSecretOf(sender)
  const address = signed === undefined ? [] : [`echo '${signed}=${url}' >> .env`]
  if (secret === undefined) return signed === undefined ? [] : [IGNORE_LINE, ...address]
  const send = `npx hookline send '${url}' --as ${name}`
  if (!PAIRED.includes(scheme)) {
    return [IGNORE_LINE, readLine(secret), ...address, `HOOKLINE_SECRET="$${secret}" ${send}`]
  }
  const paired = `${send} --key ${name}.pem`
  const making = `${paired} 2>&1 | sed -n 's/.* public half: //p' >> .env`
  return [IGNORE_LINE, making, ...address, paired]
}

/** What `hookline build` will make of it: not there yet. */
function compiledFiles(
  compile: Kind['compile'] | undefined,
  { name }: Pick<Answers, 'name'>,
): readonly NewFile[] {
  const ends = compile === undefined ? [] : ['.yml']
  return ends.map((end) => ({ path: `.github/workflows/${name}${end}`, text: '' }))
}

/**
 * GitHub's page for a new fine-grained token. What it does not take over from the address has to be
 * chosen there, so the box to tick is told beside it.
 */
function tokenPage(name: string, repository: string, permission: string): string {
  const [owner = ''] = repository.split('/')
  const asked = new URLSearchParams({
    name: `hookline ${name}`,
    ...(owner && { target_name: owner }),
    expires_in: '90',
    [permission]: 'write',
  })
  return `https://github.com/settings/personal-access-tokens/new?${asked}`
}

/** Whether the tool of GitHub is there, and knows who asks. */
type GhState = 'absent' | 'in' | 'out'

/** @throws UserError below the root of a repository, where GitHub reads no workflow */
function refuseSubfolder(): void {
  const git = spawnSync('git', ['rev-parse', '--show-cdup'], { encoding: 'utf8', timeout: 5000 })
  const up = git.status === 0 ? git.stdout.trim().replace(/\/$/, '') : ''
  if (up === '') return
  throw new UserError({
    message:
      'GitHub reads workflows at the root of a repository alone, and this is a folder of one',
    hint: `go there first: cd ${up}; or make a repository of this folder: git init`,
  })
}

/** @throws UserError naming every file that is there already */
function refuseExisting(root: string, files: readonly NewFile[]): void {
  const existing = files.filter(({ path }) => existsSync(join(root, path)))
  if (existing.length === 0) return
  throw new UserError(
    existing.map(({ path }) => ({
      message: `${path} is there already, and nothing is overwritten`,
      hint: 'take another --name, or move the file away',
    })),
  )
}
