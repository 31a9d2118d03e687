import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { SENDERS, senderNamed } from '../triggers/senders.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { DISPATCH_MODES } from '../wire/payload.ts'
import { quoted } from '../workflow/suggestion.ts'
import { originRepository } from './files.ts'
import { git } from './git.ts'
import { AGENT_NAMES, agentKind } from './init/agent.ts'
import { type Answers, KINDS, type NewFile } from './init/kinds.ts'
import { compiledFiles, localServer, nextSteps } from './init/next-steps.ts'
import { answered, askAt, type Given } from './init/questions.ts'
import { filesText, reportText } from './init/report.ts'
import { knownSender } from './init/sender.ts'
import { environmentFor, GH_VARIABLES } from './programs.ts'
import { settingOption } from './settings-file.ts'
import { print, shellHere, wrapped } from './terminal.ts'
import { triggersHere } from './workflows-here.ts'

interface InitOptions extends Given {
  readonly sender?: string
  readonly agent?: string
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
  $ hookline init
  $ hookline init --sender stripe
  $ hookline init --dispatch workflow
  $ hookline init --agent claude --sender linear
  $ hookline init --yes --name deploy --repository octo/repo --relay https://relay.example.com`

export function initCommand(): Command {
  const kinds = [...KINDS.keys()]
  return new Command('init')
    .description('write a first workflow, and say how to try it')
    .addOption(new Option('--kind <kind>', 'what starts it').choices(kinds))
    .option('--sender <name>', 'who sends the requests')
    .addOption(
      new Option('--agent <agent>', 'a coding agent works on what is sent').choices(AGENT_NAMES),
    )
    .option('--name <name>', 'name of the workflow, and of its file')
    .option('--repository <owner/name>', 'where it will run, by default the git remote origin')
    .option('--relay <url>', 'address of the relay')
    .addOption(
      new Option('--dispatch <mode>', 'what the relay starts it by').choices(DISPATCH_MODES),
    )
    .addOption(settingOption('uses', 'the action, with its tag or commit'))
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action(init)
}

async function init(options: InitOptions, { args: [word] }: Command): Promise<void> {
  if (word !== undefined) throw misplaced(word)
  const { dryRun = false, json } = options
  const port = process.env.PORT || '3000'
  const answers = await allAnswers(options, port)
  const kind = options.agent === undefined ? KINDS.get(answers.kind) : agentKind(options.agent)
  if (!kind) return
  refuseSubfolder()
  const files = kind.files(answers)
  refuseExisting(process.cwd(), [...files, ...compiledFiles(kind.compile, answers)])
  const gh = spawnSync('gh', ['auth', 'status'], {
    stdio: 'ignore',
    timeout: 5000,
    env: environmentFor(...GH_VARIABLES),
  })
  const ghState = gh.error ? 'absent' : gh.status === 0 ? 'in' : 'out'
  const isAlone = triggersHere().length === 0
  const steps = nextSteps(kind, answers, files, port, { gh: ghState, shell: shellHere(), isAlone })
  if (!json) print(filesText(files))
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
      : reportText(files, dryRun, steps).trimEnd(),
  )
}

async function allAnswers(options: InitOptions, port: string): Promise<Answers> {
  const { yes, json, kind, sender: from, name, repository, relay, dispatch, uses } = options
  const { stdin: input, stdout: output } = process
  if (options.agent !== undefined && kind !== undefined) throw new UsageError(AGENT_AND_KIND)
  refusePolled(options)
  const sender = from === undefined ? undefined : knownSender(from)
  const given = options.agent
    ? { kind: [...KINDS.keys()][0], name: name ?? 'agent', repository, relay, dispatch }
    : sender
      ? {
          kind: kind ?? [...KINDS.keys()][0],
          name: name ?? sender.name,
          repository,
          relay,
          dispatch,
        }
      : { kind: kind ?? (dispatch && [...KINDS.keys()][0]), name, repository, relay, dispatch }
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

const AGENT_AND_KIND = { message: '--agent is a kind of its own', hint: 'leave --kind out' }

/** @throws UserError for what goes with requests alone, beside a kind that nobody sends them to */
function refusePolled({ kind, sender, dispatch }: InitOptions): void {
  const flag = sender === undefined ? dispatch && '--dispatch' : '--sender'
  if (!flag || KINDS.get(kind ?? '')?.secret === undefined) return
  throw new UserError({
    message: `${flag} is for what is fed by requests: the kind ${kind} polls`,
    hint: 'leave one of the two out; a bot that is fed by requests is --sender telegram',
  })
}

/** As `connect stripe` has it. */
function misplaced(word: string): UsageError {
  const message = `init takes no name on its own, and there is ${quoted(word)}`
  const { name } = senderNamed(word) ?? {}
  return new UsageError({
    message,
    hint: name
      ? `a sender: hookline init --sender ${name}`
      : 'a workflow: --name; a sender: --sender',
  })
}

/** @throws UserError below the root of a repository, where GitHub reads no workflow */
function refuseSubfolder(): void {
  const up = git('.', 'rev-parse', '--show-cdup')?.replace(/\/$/, '') ?? ''
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
