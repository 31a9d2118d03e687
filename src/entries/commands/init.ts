import { Command, Option } from 'commander'
import type { Answers, NewFile } from '../../dev/init/kind.ts'
import { KINDS } from '../../dev/init/kinds.ts'
import { type NextSteps, nextSteps } from '../../dev/init/next-steps.ts'
import { answered, type Given } from '../../dev/init/questions.ts'
import { askAt } from '../cli/ask.ts'
import { originRepository } from '../cli/git-remote.ts'
import { refuseExisting, writeNew } from '../cli/new-files.ts'

interface InitOptions extends Given {
  readonly yes?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
}

const HELP = `
Without a flag it asks for, on a terminal; elsewhere, and with --yes, the default is taken.
A file that is there already is never overwritten.

Examples:
  $ hookline init
  $ hookline init --yes --name deploy --repository octo/repo --relay https://relay.example.com`

const TRY_WEBHOOK = 'Try it here, each line in a terminal of its own:'
const TRY_POLLING =
  'Try it here, line by line, then write to the bot; the second line waits for its token, unseen:'

export function initCommand(): Command {
  const kinds = [...KINDS.keys()]
  return new Command('init')
    .description('write a first workflow, and say how to try it')
    .addOption(new Option('--kind <kind>', 'what starts it').choices(kinds))
    .option('--name <name>', 'name of the workflow, and of its file')
    .option('--repository <owner/name>', 'where it will run, by default the git remote origin')
    .option('--relay <url>', 'address of the relay')
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show what would be written, and write nothing')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(options: InitOptions): Promise<void> {
  const { dryRun = false, json } = options
  const answers = await allAnswers(options)
  const kind = KINDS.get(answers.kind)
  if (!kind) return
  const files = kind.files(answers)
  refuseExisting(process.cwd(), files)
  const steps = nextSteps(kind, answers, files, process.env.PORT || '3000')
  if (!json) print(files.map((file) => preview(file)).join('\n'))
  if (!dryRun) writeNew(process.cwd(), files)
  print(
    json
      ? JSON.stringify({ written: !dryRun, files, ...steps })
      : told(files, dryRun, steps).trimEnd(),
  )
}

async function allAnswers({
  yes,
  json,
  kind,
  name,
  repository,
  relay,
}: InitOptions): Promise<Answers> {
  const { stdin: input, stdout: output } = process
  const given = { kind, name, repository, relay }
  const surroundings = { repository: originRepository() }
  if (!input.isTTY || !output.isTTY || yes || json) return answered(given, surroundings)
  const { ask, close } = askAt({ input, output })
  try {
    return await answered(given, surroundings, ask)
  } finally {
    close()
  }
}

function preview({ path, text }: NewFile): string {
  return `${path}\n\n${indented(text)}\n`
}

function told(files: readonly NewFile[], dryRun: boolean, steps: NextSteps): string {
  const paths = files.map(({ path }) => path).join(', ')
  if (dryRun) return `Nothing was written: without --dry-run it would be ${paths}`
  const { tryOut, publish, url, curl } = steps
  return [
    `Wrote ${paths}\n`,
    section(url === null ? TRY_POLLING : TRY_WEBHOOK, tryOut),
    section(
      'Then on GitHub, from the default branch; doctor needs the token in HOOKLINE_TOKEN:',
      publish,
    ),
    section(titleOfUrl(steps), url && curl ? [url, curl] : []),
  ].join('')
}

/** A URL that is still to be filled in says so. */
function titleOfUrl({ missing }: NextSteps): string {
  const title = 'The URL for the sender, and a line that fires it'
  return missing.length === 0 ? `${title}:` : `${title}; put in ${missing.join(' and ')}:`
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `\n${title}\n${indented(lines.join('\n'))}\n`
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
