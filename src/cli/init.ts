import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Command, Option } from 'commander'
import { usesOn } from '../compiler/compiler-settings.ts'
import { SENDERS, senderNamed } from '../triggers/senders.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { webhookUrl } from '../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import type { Forge } from '../wire/settings.ts'
import { quoted } from '../workflow/suggestion.ts'
import { writeText } from './files.ts'
import { forgeHere } from './forge.ts'
import { KINDS, type NewFile } from './init/kinds.ts'
import { compiledPaths, nextSteps } from './init/next-steps.ts'
import { knownSender } from './init/sender-workflow.ts'
import { originHere } from './origin.ts'
import { ownAction } from './own-action.ts'
import { environmentFor, GH_VARIABLES } from './programs.ts'
import { pushFacts, subfolderProblem } from './publish.ts'
import { print, shellHere, wrappedNames } from './terminal.ts'
import { triggersHere } from './workflows-here.ts'

interface InitOptions {
  /** Name in `KINDS`. */
  readonly kind: string
  readonly sender?: string
  readonly name?: string
  readonly dispatch?: DispatchMode
}

const HELP = `
Run it at the root of the repository, because GitHub reads workflows only there.
Existing files are never overwritten.

With --sender, the workflow verifies the sender's signatures and fires on its
usual events. Senders:
  ${wrappedNames(SENDERS.map(({ name }) => name))}

Examples:
  $ hookline init
  $ hookline init --sender stripe
  $ hookline init --name deploy --dispatch workflow`

/** @param write prints the result */
export function initCommand(write: (text: string) => void = print): Command {
  const kinds = [...KINDS.keys()]
  return new Command('init')
    .description('write a first workflow, and print the next steps')
    .addOption(
      new Option('--kind <kind>', 'what starts the workflow').choices(kinds).default(kinds[0]),
    )
    .option('--sender <name>', 'sender of the requests, such as stripe')
    .option('--name <name>', 'name of the workflow and its file')
    .addOption(
      new Option(
        '--dispatch <mode>',
        'how GitHub starts the workflow (default: repository)',
      ).choices(DISPATCH_MODES),
    )
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
  const kind = KINDS.get(options.kind)
  if (!kind) throw new RangeError('no such kind')
  refusePolled(options)
  const sender = options.sender === undefined ? undefined : knownSender(options.sender)
  const name = checkedName(options.name ?? sender?.name ?? kind.workflow)
  const forge = await otherForge()
  // Forgejo and Gitea have no `repository_dispatch`, and resolve the name of an action on their own host.
  const dispatch = options.dispatch ?? (forge && 'workflow')
  const uses = forge && usesOn(forge, ownAction())
  const answers = { name, sender, forge, dispatch, uses }
  const subfolder = subfolderProblem()
  if (subfolder) throw new UserError(subfolder)
  const files = kind.files(answers)
  refuseExisting(process.cwd(), [...files, ...compiledPaths(kind, name)])
  const steps = nextSteps(kind, answers, {
    port: process.env.PORT || '3000',
    needsLogin: forge === undefined && needsLogin(),
    shell: shellHere(),
    push: pushFacts(),
    isAlone: triggersHere().length === 0,
    origin: originHere(),
  })
  for (const { path, text } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeText(path, text)
  }
  write(`Wrote ${files.map(({ path }) => path).join(', ')}\n${steps}`.trimEnd())
}

/** True if gh is installed, and not signed in. */
function needsLogin(): boolean {
  const { error, status } = spawnSync('gh', ['auth', 'status'], {
    stdio: 'ignore',
    timeout: 5000,
    env: environmentFor(...GH_VARIABLES),
  })
  return !error && status !== 0
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

/** The name becomes part of a file name, a URL and an expression; the URL has the strictest rules. */
function checkedName(name: string): string {
  if (/\.ya?ml$/.test(name)) {
    throw new UserError({
      message: `the name ${name} has an extension`,
      hint: `Use: --name ${name.replace(/\.ya?ml$/, '')}`,
    })
  }
  webhookUrl({
    relay: 'http://localhost',
    repository: undefined,
    workflow: name,
    trigger: 'webhook',
  })
  return name
}

/** @throws UsageError for a flag that concerns webhooks, together with a kind that polls */
function refusePolled({ kind, sender, dispatch }: InitOptions): void {
  const flag = sender === undefined ? dispatch && '--dispatch' : '--sender'
  if (!flag || KINDS.get(kind)?.secret === undefined) return
  throw new UsageError({
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
function refuseExisting(root: string, files: readonly Pick<NewFile, 'path'>[]): void {
  const existing = files.filter(({ path }) => existsSync(join(root, path)))
  if (existing.length === 0) return
  throw new UserError(
    existing.map(({ path }) => ({
      message: `${path} exists already`,
      hint: 'Choose another --name, or move the file.',
    })),
  )
}
