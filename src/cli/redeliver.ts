import { join } from 'node:path'
import { Command } from 'commander'
import { systemClock } from '../relay/relay-config.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import type { Clock, RefusalKind } from '../wire/github-api.ts'
import { HttpFailure } from '../wire/http.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import {
  DeliveryHistory,
  type FailedDelivery,
  nextPage,
  readAttempts,
} from './redeliver/deliveries.ts'
import {
  askAbout,
  findWebhook,
  type GitHubWebhook,
  refusedError,
  type WebhookOptions,
} from './redeliver/github-webhook.ts'
import { openRequested, type RequestedAttempts } from './redeliver/requested.ts'
import { readDuration } from './scope-options.ts'
import { EXIT, print } from './terminal.ts'
import { openUserFolder } from './user-folder.ts'

interface RedeliverOptions extends WebhookOptions {
  readonly since: string
  readonly watch?: boolean
  readonly dryRun?: boolean
  readonly json?: boolean
}

const HELP = `
GitHub does not retry a webhook whose receiver failed. This command lists the
failed deliveries, which GitHub stores for 3 days, and makes GitHub send them
again, oldest first. A delivery that succeeded once is never sent again.

For GitHub Enterprise Server, set GH_ENTERPRISE_TOKEN in place of GH_TOKEN.

--watch looks every 5 minutes until Ctrl-C. A delivery that fails again is sent
again after 5, 10, 20 … minutes, and at most every 6 hours.

${environmentHelp(
  [
    'GH_TOKEN',
    'GitHub token with "Webhooks: write" (default: GITHUB_TOKEN, then HOOKLINE_GITHUB_TOKEN)',
  ],
  'HOOKLINE_APP_ID',
  'HOOKLINE_APP_KEY',
  'HOOKLINE_API_URL',
)}

Examples:
  $ hookline redeliver --since 6h --dry-run
  $ hookline redeliver --repository octo/shop --hook 123456 --watch
  $ hookline redeliver --app`

/** Milliseconds between two looks. */
const BETWEEN_LOOKS = 5 * 60_000

/** Milliseconds between two redeliveries: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const BETWEEN_REQUESTS = 1000

/** Milliseconds. A later look reads so much of the former one again, because an attempt may be listed late. */
const LISTING_LAG = 10 * 60_000

/** Milliseconds that GitHub stores a delivery: https://docs.github.com/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks */
const LONGEST_STORED = 3 * 86_400_000

/** Milliseconds until this command forgets an attempt: later than GitHub does. */
const LONGEST_KNOWN = LONGEST_STORED + 86_400_000

/** Milliseconds between two attempts of a delivery that fails each time. */
const LONGEST_BACKOFF = 6 * 3_600_000

export function redeliverCommand(): Command {
  return new Command('redeliver')
    .description('make GitHub send the failed deliveries of its own webhooks again')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--organization <name>', 'organization, in place of a repository')
    .option('--app', 'webhook of a GitHub App, in place of a repository')
    .option('--hook <id>', 'id of the webhook, if there is more than one')
    .option('--since <duration>', 'age of the oldest delivery, at most 3d', '3d')
    .option('--watch', 'look every 5 minutes until Ctrl-C')
    .option('--dry-run', 'only list the failed deliveries')
    .option('--json', 'print one JSON line per delivery')
    .addHelpText('after', HELP)
    .action(redeliver)
}

async function redeliver(options: RedeliverOptions): Promise<void> {
  checkOptions(options)
  const age = readAge(options.since)
  const webhook = await findWebhook(options)
  const folder = openUserFolder(
    'redeliver',
    webhook.host,
    ...webhook.owner.toLowerCase().split('/'),
  )
  const [, hook = 'app'] = /hooks\/(\d+)/.exec(webhook.path) ?? []
  const requested = openRequested(join(folder, `${hook}.json`))
  const { json, dryRun = false } = options
  const report = (result: RedeliveryResult) => print(json ? resultJson(result) : resultLine(result))
  const look = createRedelivery({ webhook, requested, age, dryRun, report, ...systemClock })
  if (!options.watch) {
    const results = await look({ patient: false })
    process.stderr.write(`${summary(results, options.since)}\n`)
    if (results.some(({ result }) => result === 'refused')) process.exitCode = EXIT.failure
    return
  }
  for (let isFirst = true; ; isFirst = false) {
    await look({ patient: true }).catch((error: unknown) => {
      // The first look reports a wrong setting; later ones outlast a fault of GitHub or of the network.
      if (isFirst || !(error instanceof UserError)) throw error
      process.stderr.write(`${error.message}; trying again in 5 minutes\n`)
    })
    await systemClock.sleep(BETWEEN_LOOKS)
  }
}

function checkOptions({ repository, organization, app, hook }: RedeliverOptions): void {
  if ([repository, organization, app].filter(Boolean).length > 1) {
    throw new UsageError({
      message: '--repository, --organization and --app exclude each other',
      hint: 'Name one of them.',
    })
  }
  if (app && hook !== undefined) {
    throw new UsageError({
      message: '--hook cannot be combined with --app',
      hint: 'Remove --hook.',
    })
  }
  if (hook !== undefined && !/^\d{1,20}$/.test(hook)) {
    throw new UsageError({
      message: `--hook ${JSON.stringify(hook)} is not an id`,
      hint: "It is the number at the end of the address of the webhook's settings.",
    })
  }
}

/** @returns milliseconds @throws UserError for a longer time than GitHub stores deliveries */
function readAge(since: string): number {
  const age = readDuration(since) * 1000
  if (age <= LONGEST_STORED) return age
  throw new UsageError({
    message: `--since ${since} is too long, because GitHub stores deliveries for 3 days`,
    hint: 'Use --since 3d, and let the sender of older events send them again.',
  })
}

/** What became of a failed delivery. `unknown`: GitHub gave no answer, and may send it. */
export interface RedeliveryResult {
  readonly delivery: FailedDelivery
  readonly result: 'failed' | 'requested' | 'refused' | 'unknown'
}

/** Refusals of the token; any other one is about one delivery. */
const CONCERNS_ALL: ReadonlySet<RefusalKind> = new Set(['unauthorized', 'sso', 'forbidden'])

interface RedeliveryPorts extends Pick<Clock, 'now' | 'sleep'> {
  readonly webhook: GitHubWebhook
  readonly requested: RequestedAttempts
  /** Milliseconds. */
  readonly age: number
  readonly dryRun: boolean
  report(result: RedeliveryResult): void
}

/**
 * Returns a function that reads the deliveries and requests the failed ones again, oldest first. Its first
 * call reads all that GitHub lists, the next ones what is new. With `patient`, a delivery that failed more
 * than once waits longer each time.
 *
 * @throws UserError if GitHub refuses to list the deliveries
 */
export function createRedelivery(ports: RedeliveryPorts) {
  const { webhook, requested, age, dryRun, report } = ports
  const history = new DeliveryHistory()
  let read = 0
  return async ({ patient }: { readonly patient: boolean }): Promise<RedeliveryResult[]> => {
    const start = ports.now().getTime()
    await readDeliveries(webhook, history, read - LISTING_LAG)
    read = start
    history.forget(start - LONGEST_KNOWN)
    requested.forget(start - LONGEST_KNOWN)
    const results: RedeliveryResult[] = []
    for (const delivery of history.failed(start - age)) {
      if (requested.has(delivery.last)) continue
      if (patient && start < delivery.last.at + backoffOf(delivery)) continue
      if (!dryRun && results.length > 0) await ports.sleep(BETWEEN_REQUESTS)
      const result = dryRun ? 'failed' : await request(delivery, ports)
      results.push({ delivery, result })
      report({ delivery, result })
    }
    return results
  }
}

/** Milliseconds after the last attempt. */
function backoffOf({ attempts }: FailedDelivery): number {
  return attempts === 1 ? 0 : Math.min(LONGEST_BACKOFF, BETWEEN_LOOKS * 2 ** (attempts - 2))
}

/** @param until milliseconds since 1970; older attempts are known already */
async function readDeliveries(webhook: GitHubWebhook, history: DeliveryHistory, until: number) {
  const patience = { budget: 60_000 }
  let path: string | undefined = `${webhook.path}?per_page=100`
  while (path !== undefined) {
    const answer = await askAbout(webhook, path, { patience })
    const attempts = readAttempts(answer.text)
    history.add(attempts)
    const oldest = attempts.at(-1)
    path = oldest && oldest.at >= until ? nextPage(webhook.path, answer.header('link')) : undefined
  }
}

async function request(
  { last }: FailedDelivery,
  { webhook, requested, sleep }: RedeliveryPorts,
): Promise<RedeliveryResult['result']> {
  // Stored first: after a crash in between, the delivery is not sent twice.
  requested.add(last)
  for (;;) {
    const asked = await webhook
      .ask(`${webhook.path}/${last.id}/attempts`, { json: '{}' })
      .catch((error: unknown) => {
        if (!(error instanceof HttpFailure)) throw error
        return undefined
      })
    if (!asked) return 'unknown'
    const { refusal } = asked
    if (!refusal) return 'requested'
    if (refusal.kind === 'failed') return 'unknown'
    if (refusal.kind === 'limited') {
      await sleep(refusal.wait ?? 60_000)
      continue
    }
    requested.remove(last)
    if (CONCERNS_ALL.has(refusal.kind)) throw refusedError(webhook, refusal)
    return 'refused'
  }
}

function resultLine({ delivery, result }: RedeliveryResult): string {
  const { guid, event, last, attempts } = delivery
  const status = last.status === 0 ? 'no response' : `status ${last.status}`
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const parts = [new Date(last.at).toISOString(), guid, event, status, tries, result]
  return printable(parts.join('  '))
}

function resultJson({ delivery, result }: RedeliveryResult): string {
  const { guid, event, first, last, attempts } = delivery
  const shown = {
    delivery: guid,
    event,
    first: new Date(first).toISOString(),
    last: new Date(last.at).toISOString(),
    status: last.status,
    attempts,
    result,
  }
  return printableJson(JSON.stringify(shown))
}

function summary(results: readonly RedeliveryResult[], since: string): string {
  if (results.length === 0) return `no failed delivery in the last ${since} waits for a redelivery`
  const count = (wanted: RedeliveryResult['result']) =>
    results.filter(({ result }) => result === wanted).length
  const parts = (['requested', 'failed', 'refused', 'unknown'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => `${count(result)} ${WORDS[result]}`)
  return parts.join(', ')
}

const WORDS: Readonly<Record<RedeliveryResult['result'], string>> = {
  requested: 'requested again',
  failed: 'failed',
  refused: 'refused by GitHub',
  unknown: 'without a response of GitHub',
}
