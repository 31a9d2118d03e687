import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { usesOn } from '../compiler/compiler-settings.ts'
import { SENDERS, senderNamed } from '../triggers/senders.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { DISPATCH_MODES } from '../wire/payload.ts'
import type { Forge } from '../wire/settings.ts'
import { quoted } from '../workflow/suggestion.ts'
import { originRepository, writeText } from './files.ts'
import { forgeHere } from './forge.ts'
import { type Answers, KINDS, type NewFile } from './init/kinds.ts'
import { compiledPaths, localServer, nextSteps } from './init/next-steps.ts'
import { answered, askAt, type FlagAnswers } from './init/questions.ts'
import { filesText, reportText } from './init/report.ts'
import { knownSender } from './init/sender-workflow.ts'
import { originHere } from './origin.ts'
import { ownAction } from './own-action.ts'
import { environmentFor, GH_VARIABLES } from './programs.ts'
import { pushFacts, subfolderProblem } from './publish.ts'
import { settingOption } from './settings-file.ts'
import { print, shellHere, wrappedNames } from './terminal.ts'
import { triggersHere } from './workflows-here.ts'

interface InitOptions extends FlagAnswers {
  readonly sender?: string
  readonly uses?: string
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
}

const HELP = `
Asks for missing flags on a terminal, with --sender only for an unknown
repository. Elsewhere, and with --yes, it uses defaults.
Run it at the root of the repository, because GitHub reads workflows only there.
Existing files are never overwritten.

With --sender, the workflow verifies the sender's signatures and fires on its
usual events. Senders:
  ${wrappedNames(
    SENDERS.map(({ name }) => name),
    2,
  )}

Examples:
  $ hookline init
  $ hookline init --sender stripe
  $ hookline init --dispatch workflow
  $ hookline init --yes --name deploy --relay https://relay.example.com`

/** @param write prints the result */
export function initCommand(write: (text: string) => void = print): Command {
  const kinds = [...KINDS.keys()]
  return new Command('init')
    .description('write a first workflow, and print the next steps')
    .addOption(new Option('--kind <kind>', 'what starts the workflow').choices(kinds))
    .option('--sender <name>', 'sender of the requests, such as stripe')
    .option('--name <name>', 'name of the workflow and its file')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--relay <url>', 'address of your relay, whose next steps init then prints')
    .addOption(
      new Option('--dispatch <mode>', 'dispatch mode of the relay').choices(DISPATCH_MODES),
    )
    .addOption(settingOption('uses', 'the action, with its tag or commit'))
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show the files, and write nothing')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .allowExcessArguments()
    .action((options: InitOptions, command: Command) => init(options, command, write))
}

async function init(
  options: InitOptions,
  { args: [word] }: Command,
  write: (text: string) => void,
): Promise<void> {
  if (word !== undefined) throw misplaced(word)
  const { dryRun = false, json } = options
  const port = process.env.PORT || '3000'
  const answers = await allAnswers(options, port)
  const kind = KINDS.get(answers.kind)
  if (!kind) return
  const subfolder = subfolderProblem()
  if (subfolder) throw new UserError(subfolder)
  const files = kind.files(answers)
  refuseExisting(process.cwd(), [...files, ...compiledPaths(kind.compile, answers)])
  const gh = spawnSync('gh', ['auth', 'status'], {
    stdio: 'ignore',
    timeout: 5000,
    env: environmentFor(...GH_VARIABLES),
  })
  const ghState = gh.error ? 'absent' : gh.status === 0 ? 'in' : 'out'
  const isAlone = triggersHere().length === 0
  const steps = nextSteps(kind, answers, files, port, {
    gh: ghState,
    shell: shellHere(),
    push: pushFacts(),
    isAlone,
    webUrl: originHere()?.webUrl,
  })
  if (dryRun && !json) write(filesText(files))
  if (!dryRun) {
    refuseExisting(process.cwd(), files)
    for (const { path, text } of files) {
      mkdirSync(dirname(path), { recursive: true })
      writeText(path, text)
    }
  }
  const hasRelay = options.relay !== undefined || answers.relay !== localServer(port)
  write(
    json
      ? JSON.stringify({ written: !dryRun, files, ...steps })
      : reportText(files, dryRun, steps, hasRelay).trimEnd(),
  )
}

async function allAnswers(options: InitOptions, port: string): Promise<Answers> {
  const { yes, json, kind, sender: from, name, repository, relay } = options
  const forge = await otherForge()
  // Forgejo and Gitea have no `repository_dispatch`, and resolve the name of an action on their own host.
  const dispatch = options.dispatch ?? (forge && 'workflow')
  const uses = forge ? usesOn(forge, options.uses ?? ownAction()) : options.uses
  const { stdin: input, stdout: output } = process
  refusePolled(options)
  const sender = from === undefined ? undefined : knownSender(from)
  const given = sender
    ? {
        kind: kind ?? [...KINDS.keys()][0],
        name: name ?? sender.name,
        repository,
        relay,
        dispatch,
      }
    : {
        kind: kind ?? (options.dispatch && [...KINDS.keys()][0]),
        name,
        repository,
        relay,
        dispatch,
      }
  const surroundings = {
    repository: originRepository(),
    relay: localServer(port),
    hasSender: sender !== undefined,
  }
  if (!input.isTTY || !output.isTTY || yes || json) {
    return { ...(await answered(given, surroundings)), sender, uses, forge }
  }
  const { ask, close } = askAt({ input, output })
  try {
    return { ...(await answered(given, surroundings, ask)), sender, uses, forge }
  } finally {
    close()
  }
}

/** Forgejo or Gitea, if the git remote is there; a host that does not respond counts as GitHub. */
async function otherForge(): Promise<Forge | undefined> {
  const found = await forgeHere().catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (!found || found.kind === 'github') return undefined
  process.stderr.write(
    `${found.host} is ${found.kind === 'gitea' ? 'Gitea' : 'Forgejo'}: workflow_dispatch starts the workflow\n`,
  )
  return found.kind
}

/** @throws UserError for a flag that concerns webhooks, together with a kind that polls */
function refusePolled({ kind, sender, dispatch }: InitOptions): void {
  const flag = sender === undefined ? dispatch && '--dispatch' : '--sender'
  if (!flag || KINDS.get(kind ?? '')?.secret === undefined) return
  throw new UserError({
    message: `${flag} cannot be combined with --kind ${kind}, which polls and receives no webhooks`,
    hint: 'Remove one of them. For a bot that receives webhooks: --sender telegram',
  })
}

/** `connect stripe` has a positional sender; `init` has not. */
function misplaced(word: string): UsageError {
  const message = `init has no positional argument, but got ${quoted(word)}`
  const { name } = senderNamed(word) ?? {}
  return new UsageError({
    message,
    hint: name
      ? `Run: hookline init --sender ${name}`
      : 'Use --name for the workflow, or --sender for the sender.',
  })
}

/** @throws UserError that names every existing file */
function refuseExisting(root: string, files: readonly NewFile[]): void {
  const existing = files.filter(({ path }) => existsSync(join(root, path)))
  if (existing.length === 0) return
  throw new UserError(
    existing.map(({ path }) => ({
      message: `${path} exists already`,
      hint: 'Choose another --name, or move the file.',
    })),
  )
}
