import { Command, InvalidArgumentError, Option } from 'commander'
import { http } from '../action/http.ts'
import { systemClock } from '../relay/config.ts'
import { withoutSecret } from '../triggers/messaging-bot/bot-api.ts'
import type { OutgoingRequest } from '../triggers/sender.ts'
import { SENDERS, senderNamed } from '../triggers/senders.ts'
import { isLoopback, notAnAddress, parseAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { DEV_HEADER } from '../wire/headers.ts'
import { HttpFailure, type HttpReply } from '../wire/http.ts'
import { record } from '../wire/json.ts'
import { PARAMETER } from '../wire/path.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { githubOf } from './github.ts'
import { readSecret, unreachableHint } from './http.ts'
import type { Run } from './runs.ts'
import { type Answer, readAnswer } from './send/answer.ts'
import { sendExactly } from './send/exact-request.ts'
import { FIXTURES, fixtureOf } from './send/fixtures.ts'
import { type Addressed, outgoingRequest, type RequestOptions } from './send/request.ts'
import { keyInFile, ONLY_AMAZON, PAIRED, SIGNATURE_NAMES, signed } from './send/signatures.ts'
import { EXIT, print, withProgress, wrapped } from './terminal.ts'

interface SendOptions extends RequestOptions {
  readonly as?: string
  readonly sign?: string
  readonly secretStdin?: boolean
  readonly key?: string
  readonly batch?: number
  readonly list?: boolean
  readonly wait?: boolean
  readonly json?: boolean
}

const HELP = `
A saved request is JSON with method, path, headers and body. For it <url> is the address before its
path, https://relay.example.com/owner/name or http://localhost:3000/webhook, or a webhook URL instead.

${environmentHelp(
  'HOOKLINE_GITHUB_TOKEN',
  ['GH_TOKEN', 'with --wait, asks GitHub for the run; HOOKLINE_GITHUB_TOKEN where it is not set'],
  'HOOKLINE_WEBHOOK_SECRET',
  'HOOKLINE_DEV_KEY',
)}
None of them is printed. HOOKLINE_GITHUB_TOKEN goes as X-Platform-Authorization, and may be a key of the relay.
Where the workflow holds a public key, HOOKLINE_WEBHOOK_SECRET is the private one, or --key names its file.

Senders: ${wrapped(
  SENDERS.map(({ name }) => name),
  9,
)}
Schemes: ${wrapped(SIGNATURE_NAMES, 9)}

Examples:
  $ hookline send --list
  $ hookline send http://localhost:3000/webhook/hook/webhook --as stripe
  $ hookline send http://localhost:3000/webhook/hook/webhook --as discord --key discord.pem
  $ hookline send http://localhost:3000/webhook/hook/webhook --fixture github.push
  $ hookline send http://localhost:3000/webhook --file saved.json
  $ hookline send http://localhost:3000/webhook/hook/webhook --data '{"hello":"world"}'
  $ hookline send https://relay.example.com/owner/name/hook/webhook --as stripe --batch 5 --wait`

const TIMEOUT = 30_000

export function sendCommand(): Command {
  return new Command('send')
    .description('send a fixture, a saved request or one of your own to a relay, or to dev')
    .argument('[url]', 'webhook URL')
    .option('--as <sender>', 'what that sender sends, signed as it signs')
    .option('--fixture <name>', 'what a well-known sender sends')
    .option('--file <file>', 'a saved request')
    .option('--method <method>', 'by default POST with a body, else GET')
    .addOption(
      new Option('--header <header>', 'another header, as "name: value"; may be repeated')
        .argParser((header: string, others: readonly string[]) => [...others, header])
        .default([], 'none'),
    )
    .option('--data <text>', 'body, or @file')
    .option('--sign <scheme>', "how to sign, by default as the fixture's sender does")
    .option('--secret-stdin', 'read the secret that signs from standard input')
    .option('--key <file>', 'private key that signs; made, where there is no such file')
    .option('--batch <n>', 'send it so many times, to be handed over as one', wholeNumber)
    .option('--wait', 'follow the run to its end; exits with 1 when it failed')
    .option('--list', 'list the fixtures')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(sendRequest)
}

async function sendRequest(
  address: string | undefined,
  options: SendOptions,
  command: Command,
): Promise<void> {
  if (options.list) {
    const all = [...FIXTURES.values()].map(({ name, scheme }) => ({ name, sign: scheme ?? null }))
    const lines = all.map(({ name, sign }) => `${name.padEnd(36)}${sign ?? ''}`.trimEnd())
    return print(options.json ? printableJson(JSON.stringify(all)) : lines.join('\n'))
  }
  if (address === undefined) command.error("error: missing required argument 'url'")
  if (options.fixture !== undefined && options.file !== undefined) {
    command.error('error: --fixture and --file exclude each other')
  }
  const target = parseUrl(address)
  const secret =
    options.key === undefined ? await readSecret(options.secretStdin ?? false) : undefined
  const make = async (to: URL) =>
    signedRequest(await outgoingRequest(to, asSender(options)), options, secret)
  if (options.batch !== undefined) return sendBatch(target, make, options.batch, options)
  const { request, url } = await make(target)
  const started = performance.now()
  const answer = await send(url, request)
  const milliseconds = Math.round(performance.now() - started)
  const { status, delivery, run, message, hint, body } = answer
  const lines = [
    // The query is left out: it may hold a token.
    `${request.method} ${url.origin}${url.pathname}`,
    `${status}  ${milliseconds} ms${delivery ? `  delivery ${delivery}` : ''}`,
    ...(run === null ? [] : [run]),
    ...(answer.queued ? [whyQueued(answer)] : []),
    ...(answer.filtered ? [FILTERED] : []),
    ...(answer.noTrigger ? [NO_TRIGGER] : []),
    ...(!answer.accepted && message === null && isBare(url) ? [BARE] : []),
    answer.nothingFired ? NOTHING_FIRED : message === null ? body : `${message}: ${hint ?? ''}`,
  ]
  print(
    options.json
      ? printableJson(JSON.stringify({ ...answer, milliseconds }))
      : lines.map(printable).join('\n'),
  )
  if (!answer.accepted) process.exitCode = EXIT.failure
  else if (options.wait) await waitForRun(url, answer)
  else if (run === null && delivery !== null && !answer.filtered) await tellRunName(url)
}

/** The address of a server, in place of one of its webhooks. */
function isBare({ pathname }: URL): boolean {
  return pathname === '/'
}

const BARE = 'this is the page of a server: a webhook URL ends in /<workflow>/<trigger>'

/** What is no relay may say again what it was brought, and that goes to a terminal, or a log. */
function withoutSecrets(reply: HttpReply, secrets: readonly (Secret | undefined)[]): HttpReply {
  const hide = (text: string) =>
    secrets.reduce((rest, secret) => (secret ? withoutSecret(rest, secret) : rest), text)
  const headers = Object.entries(reply.headers).map(([name, value]) => [name, hide(value)] as const)
  return { ...reply, headers: record(headers), text: hide(reply.text) }
}

/** Sends an event again and again, each signed by itself, and tells what became of all of them. */
async function sendBatch(
  target: URL,
  make: (to: URL) => Promise<Addressed>,
  count: number,
  options: SendOptions,
): Promise<void> {
  const { batchLines, withBatch } = await import('./send/batch.ts')
  const to = withBatch(target)
  const answers: Answer[] = []
  while (answers.length < count && answers.at(-1)?.accepted !== false) {
    const { request, url } = await make(to)
    answers.push(await send(url, request))
  }
  const last = answers.at(-1)
  const collected = answers.findLast(({ batch }) => batch !== null)
  const batch = collected?.batch ?? null
  const told = { accepted: last?.accepted ?? false, batch, answers }
  // The query is left out: it may hold a token.
  const lines = [`${to.origin}${to.pathname}`, ...batchLines(answers)]
  print(options.json ? printableJson(JSON.stringify(told)) : lines.map(printable).join('\n'))
  if (!last?.accepted) process.exitCode = EXIT.failure
  else if (options.wait) await waitForRun(to, collected ?? last)
}

/** The run by its page, or else by the delivery id in its name; each change goes to standard error. */
async function waitForRun(url: URL, answer: Answer): Promise<void> {
  const { delivery, run, queued, batch, filtered } = answer
  const { addressedBy, awaitRun, followRun, hasNoJob, hasSucceeded, NOT_ALLOWED, runAt, runLine } =
    await import('./runs.ts')
  if (queued && batch === null) {
    throw new UserError({ message: `there is no run to wait for yet: ${QUEUED}` })
  }
  if (filtered) throw new UserError({ message: `there is no run to wait for: ${FILTERED}` })
  if (run === null && (delivery === null || (await isDev(url)))) {
    throw new UserError({
      message: `there is no run to wait for: what answered is ${delivery === null ? 'not a relay' : 'hookline dev'}`,
      hint: 'hookline dev evaluates here, and starts no run: give the URL of a relay',
    })
  }
  const { repository } = addressedBy(url)
  if (repository === '') {
    throw new UserError({
      message: 'which repository? The URL names none, and there is no git remote',
      hint: 'run it in a clone of the repository',
    })
  }
  const github = { repository, ask: githubOf(process.env), ...systemClock }
  if (batch !== null) process.stderr.write(`${whyQueued(answer)}\n`)
  const { secondsOf } = await import('./send/batch.ts')
  const collecting = batch === null ? 0 : 1000 * (secondsOf(url) ?? 0)
  const id = batch ?? delivery ?? ''
  const found = run === null ? await awaitRun(id, github, collecting) : await runAt(run, github)
  const tell = (each: Run) => process.stderr.write(`${runLine(each)}\n`)
  const ended = await followRun(found, github, tell)
  if (ended.conclusion === 'skipped') process.stderr.write(`${SKIPPED}\n`)
  if (await hasNoJob(ended, github)) process.stderr.write(`${NOT_ALLOWED}\n`)
  if (!hasSucceeded(ended)) process.exitCode = EXIT.failure
}

const QUEUED = "GitHub has not taken it yet, and the relay's outbox keeps it: hookline outbox list"

function whyQueued({ batch }: Answer): string {
  return batch === null ? QUEUED : `the relay collects it, and hands it over in the batch ${batch}`
}

/** @throws InvalidArgumentError */
function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a whole number from 1 to 9999.')
}

const FILTERED = 'filtered: the condition in the grant wants none of it, so GitHub was not asked'

const NO_TRIGGER =
  'accepted, but the URL names no trigger: it ends in /<workflow>/<trigger>, as in /hook/webhook, without an extension'

const NOTHING_FIRED =
  'taken, and nothing fired: the terminal of hookline dev, and its page, say which condition did not hold'

const SKIPPED =
  'nothing ran: does the guard in `if:` name another workflow or trigger than the URL?'

/** Where the workflow is at hand, and its runs will not tell which delivery started them. */
async function tellRunName(url: URL): Promise<void> {
  const [{ addressedBy }, { adviceAt }] = await Promise.all([
    import('./runs.ts'),
    import('./run-name.ts'),
  ])
  const advice = adviceAt(process.cwd(), addressedBy(url).workflow)
  if (advice !== undefined && !(await isDev(url))) process.stderr.write(`${advice}\n`)
}

/** On this machine it may be `hookline dev` that answers, like a relay: its inspector is at the front. */
async function isDev(url: URL): Promise<boolean> {
  if (!isLoopback(url.hostname)) return false
  const front = new URL('/', url).href
  const call = http({ method: 'GET', url: front, timeout: TIMEOUT })
  const { headers } = await call.catch(() => ({ headers: record<string>([]) }))
  return headers[DEV_HEADER] !== undefined
}

/** As its sender: with what it sends, unless something else is to be sent. @throws UserError */
function asSender(options: SendOptions): SendOptions {
  const { as, fixture, file, data } = options
  if (as === undefined) return options
  const sender = senderNamed(as)
  if (!sender && !SIGNATURE_NAMES.includes(as)) {
    const names = [...new Set([...SENDERS.map(({ name }) => name), ...SIGNATURE_NAMES])]
    const hint = didYouMean(as, names)
    throw new UserError({
      message: `unknown sender ${JSON.stringify(as)}`,
      ...(hint && { hint }),
      notes: [`senders: ${names.join(', ')}`],
    })
  }
  const isOther = (fixture ?? file ?? data) !== undefined
  const own = isOther ? undefined : fixtureOf(as)?.name
  return { ...options, ...(own !== undefined && { fixture: own }) }
}

/** @throws UserError when one of scheme and secret is there without the other */
async function signedRequest(
  addressed: Addressed,
  options: SendOptions,
  given: Secret | undefined,
): Promise<Addressed> {
  const sender = senderNamed(options.as ?? '')
  const asked = options.sign ?? (sender ? (sender.scheme ?? sender.name) : options.as)
  const scheme = asked ?? addressed.scheme
  const secret = options.key === undefined ? given : pairedKey(options.key, scheme ?? '')
  if (!secret && scheme === 'aws_sns' && options.sign === undefined) {
    process.stderr.write(`sent without a signature: ${ONLY_AMAZON}\n`)
    return addressed
  }
  if (!secret && asked === undefined) return addressed
  if (!secret) {
    const isPaired = PAIRED.includes(scheme ?? '')
    throw new UserError({
      message: `${options.sign === undefined ? '--as' : '--sign'} needs the secret`,
      hint: isPaired
        ? `give --key ${scheme}.pem: where there is no such file, a pair of keys is made, and its public half shown`
        : 'set HOOKLINE_WEBHOOK_SECRET, or give --secret-stdin',
    })
  }
  if (scheme === undefined) {
    throw new UserError({
      message: 'there is a secret, but nothing says how to sign',
      hint: 'give --as or --sign, or unset HOOKLINE_WEBHOOK_SECRET',
    })
  }
  const moment = {
    timestamp: Math.floor(Date.now() / 1000),
    id: `msg_${crypto.randomUUID()}`,
  }
  return signed(addressed, scheme, secret, { ...moment, place: sender?.options ?? {} })
}

/** Who made a pair of keys has to tell the workflow the public half: it is shown once. */
function pairedKey(file: string, scheme: string): Secret {
  const { secret, publicText } = keyInFile(file, scheme)
  if (publicText !== undefined) {
    const name = senderNamed(scheme)?.secret
    process.stderr.write(`made ${file}; the workflow gets its public half: ${name}=${publicText}\n`)
  }
  return secret
}

async function send(url: URL, { method, headers, body }: OutgoingRequest): Promise<Answer> {
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')
  const authorized = token ? { ...headers, 'x-platform-authorization': token.reveal() } : headers
  try {
    // For the real jobs of dev on this machine; to nobody else.
    const key = readSetting(process.env, 'HOOKLINE_DEV_KEY')
    const own =
      key && isLoopback(url.hostname)
        ? { ...authorized, 'x-hookline-dev-key': key.reveal() }
        : authorized
    const call = sendExactly({ method, url, headers: own, body, timeout: TIMEOUT })
    const reply = await withProgress(`waiting for ${url.host}`, call)
    const sealed = url.searchParams.get(PARAMETER.token)
    const brought = [token, key, sealed ? new Secret(sealed) : undefined]
    return readAnswer(withoutSecrets(reply, brought))
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = unreachableHint(error, 'is the relay, or hookline dev, running there?')
    throw new UserError({ message: `${url.host}: ${error.message}`, hint }, { cause: error })
  }
}

function parseUrl(text: string): URL {
  const url = parseAddress(text)
  if (url) return url
  const example = 'http://localhost:3000/webhook/hook/webhook'
  throw notAnAddress(text, { name: 'the URL', of: 'a webhook', example })
}
