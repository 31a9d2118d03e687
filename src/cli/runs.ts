import { Command } from 'commander'
import { readRepository, systemClock } from '../relay/config.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { DISPATCH_EVENTS } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { originRepository } from './files.ts'
import { type AskGitHub, fields, githubOf, list, refusalOf } from './github.ts'
import { nameAdvice, runNameLine } from './run-name.ts'
import { EXIT, styled } from './terminal.ts'

interface RunsOptions {
  readonly repository?: string
  readonly delivery?: string
  readonly watch?: boolean
  readonly json?: boolean
}

const HELP = `
A run is known by the delivery id in its name, which this line of the workflow puts there:
  ${runNameLine('hook')}
and where the relay starts it by workflow_dispatch, this one:
  ${runNameLine('hook', 'workflow_dispatch')}

Environment:
  GH_TOKEN, GITHUB_TOKEN, HOOKLINE_TOKEN  the first of them that is set; it needs "Actions: Read"
  HOOKLINE_API_URL                        GitHub's API, by default https://api.github.com

With --watch it goes on; with --delivery too, until that run ends, and exits with 1 when it failed.

Examples:
  $ npx hookline runs
  $ npx hookline runs --delivery 3f1c… --watch`

export function runsCommand(): Command {
  return new Command('runs')
    .description('list the runs that webhooks started, newest first')
    .option('--repository <owner/name>', 'by default the git remote origin')
    .option('--delivery <id>', 'the run of one delivery, as the relay answered it')
    .option('--watch', 'go on, and tell what changes')
    .option('--json', 'print a JSON line per run')
    .addHelpText('after', HELP)
    .action(run)
}

async function run({ delivery, watch, json, ...options }: RunsOptions): Promise<void> {
  const repository = options.repository ?? originRepository()
  if (repository === '') {
    throw new UserError({ message: 'which repository?', hint: 'give --repository owner/name' })
  }
  readRepository(repository)
  const github = { repository, ask: githubOf(process.env), ...systemClock }
  const tell = (found: Run) =>
    process.stdout.write(`${json ? printableJson(JSON.stringify(found)) : runLine(found)}\n`)
  if (watch && delivery !== undefined) {
    const found = await awaitRun(delivery, github)
    const ended = await followRun(found, github, tell)
    if (!hasSucceeded(ended)) process.exitCode = EXIT.failure
    return
  }
  const states = new Map<number, string>()
  for (;;) {
    const runs = await listRuns(github)
    const wanted = delivery === undefined ? runs : runs.filter((each) => isOf(each, delivery))
    for (const each of states.size === 0 ? wanted : wanted.toReversed()) {
      if (states.get(each.id) !== stateOf(each)) tell(each)
      states.set(each.id, stateOf(each))
    }
    if (!watch) {
      if (delivery !== undefined && wanted.length === 0) throw unknownDelivery(delivery)
      if (wanted.length === 0) process.stderr.write('no webhook has started a run yet\n')
      const nameless = wanted.find((each) => each.delivery === null)
      if (nameless) process.stderr.write(`${nameAdvice(nameless.workflow)}\n`)
      return
    }
    await github.sleep(PAUSE)
  }
}

/** What a webhook URL addresses. */
interface Addressed {
  /** `owner/name`; of the git remote, where a relay serves one repository; empty without one. */
  readonly repository: string
  readonly workflow: string
}

export function addressedBy({ pathname }: URL): Addressed {
  const [owner = '', name = '', workflow = ''] = pathname.split('/').filter(Boolean)
  const isSelfHosted = owner === 'webhook'
  return isSelfHosted
    ? { repository: originRepository(), workflow: name }
    : { repository: `${owner}/${name}`, workflow }
}

/** Where runs are looked for. */
interface RunPorts {
  readonly repository: string
  readonly ask: AskGitHub
  now(): Date
  sleep(milliseconds: number): Promise<void>
}

/** A run that a webhook started. */
export interface Run {
  readonly id: number
  /** `null` where the workflow does not put it into the run's name. */
  readonly delivery: string | null
  /** File name without its extension. */
  readonly workflow: string
  /** `queued`, `in_progress`, `completed`, … */
  readonly state: string
  /** `success`, `failure`, …; `null` until it is completed. */
  readonly conclusion: string | null
  readonly started: string
  readonly url: string
}

const PAUSE = 2000

/** How long a run may take to show; GitHub's queues mostly need some seconds. */
const PATIENCE = 60_000

/** A delivery id, wherever it stands in the name of a run. */
export const DELIVERY = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/i

/**
 * Runs that webhooks started, newest first. One that was started by hand carries no delivery id.
 *
 * @throws UserError when GitHub does not tell
 */
async function listRuns(github: RunPorts): Promise<readonly Run[]> {
  const found = await Promise.all(
    DISPATCH_EVENTS.map(async (event) => {
      const answer = await asked(github, `?event=${event}&per_page=50`)
      const runs = list(answer.workflow_runs).map(readRun)
      return event === 'workflow_dispatch' ? runs.filter(({ delivery }) => delivery) : runs
    }),
  )
  return found.flat().sort((one, other) => other.started.localeCompare(one.started))
}

/** Ids are the same in upper and lower case. */
function isOf(run: Run, delivery: string): boolean {
  return run.delivery?.toLowerCase() === delivery.toLowerCase()
}

/** Waits until the run of a delivery is there. @throws UserError when none shows within a minute */
export async function awaitRun(delivery: string, github: RunPorts): Promise<Run> {
  const deadline = github.now().getTime() + PATIENCE
  for (;;) {
    const runs = await listRuns(github)
    const found = runs.find((each) => isOf(each, delivery))
    if (found) return found
    if (github.now().getTime() + PAUSE > deadline) throw unknownDelivery(delivery)
    await github.sleep(PAUSE)
  }
}

/** The run of a page that the relay named. @throws UserError for any other address */
export async function runAt(url: string, github: RunPorts): Promise<Run> {
  const [, id] = /\/actions\/runs\/(\d{1,20})$/.exec(url) ?? []
  if (id === undefined)
    throw new UserError({ message: 'the address is not that of a run of GitHub Actions' })
  return readRun(await asked(github, `/${id}`))
}

/** Tells every change of a run until it is completed, and gives how it ended. */
export async function followRun(
  first: Run,
  github: RunPorts,
  tell: (run: Run) => void,
): Promise<Run> {
  let known = first
  tell(known)
  while (known.state !== 'completed') {
    await github.sleep(PAUSE)
    const now = readRun(await asked(github, `/${known.id}`))
    if (stateOf(now) !== stateOf(known)) tell(now)
    known = now
  }
  return known
}

/** `skipped` and `neutral` are not failures: a guard said that the event was not for it. */
export function hasSucceeded({ conclusion }: Run): boolean {
  return ['success', 'neutral', 'skipped'].includes(conclusion ?? '')
}

export function runLine(run: Run): string {
  const { delivery, workflow, started, url } = run
  const colour = run.conclusion === null ? 'yellow' : hasSucceeded(run) ? 'green' : 'red'
  const state = styled(process.stdout, colour, printable(stateOf(run)).padEnd(12))
  const parts = [printable(started), delivery ?? '-'.padEnd(36), printable(workflow)].join('  ')
  return `${parts}  ${state}  ${printable(url)}`
}

function stateOf({ state, conclusion }: Run): string {
  return conclusion ?? state
}

function unknownDelivery(delivery: string): UserError {
  return new UserError({
    message: `no run carries the delivery ${JSON.stringify(delivery)} in its name`,
    hint: `add to the workflow: ${runNameLine('hook')}`,
    notes: [
      `or, where the relay starts it by workflow_dispatch: ${runNameLine('hook', 'workflow_dispatch')}`,
      'npx hookline runs lists all that there are; npx hookline doctor tells why none started',
    ],
  })
}

function readRun(run: Record<string, unknown>): Run {
  const { id, path, status, conclusion, created_at, html_url, display_title } = run
  const [delivery = null] = DELIVERY.exec(String(display_title)) ?? []
  return {
    id: Number(id),
    delivery,
    workflow: /([^/]+?)(?:\.ya?ml)?(?:@.*)?$/.exec(String(path))?.[1] ?? '',
    state: String(status),
    conclusion: typeof conclusion === 'string' ? conclusion : null,
    started: String(created_at),
    url: String(html_url),
  }
}

async function asked({ repository, ask }: RunPorts, rest: string) {
  try {
    const reply = await ask(`/repos/${repository}/actions/runs${rest}`)
    const refusal = refusalOf(reply)
    const answer = fields(reply.text)
    if (!refusal && ('id' in answer || 'workflow_runs' in answer)) return answer
    throw new UserError({
      message: `GitHub does not show the runs of ${repository} (${reply.status})`,
      hint: 'the token needs "Actions: Read"; set GH_TOKEN where HOOKLINE_TOKEN is for the relay alone',
    })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = 'check the network, a proxy, and HOOKLINE_API_URL'
    throw new UserError({ message: `GitHub: ${error.message}`, hint }, { cause: error })
  }
}
