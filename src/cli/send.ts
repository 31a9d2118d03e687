import { Command, Option } from 'commander'
import { http } from '../action/http-client.ts'
import { systemClock } from '../relay/config.ts'
import { withoutSecret } from '../triggers/messaging-bot/bot-api.ts'
import type { OutgoingRequest } from '../triggers/sender.ts'
import { SENDERS, senderNamed } from '../triggers/senders.ts'
import {
  baseAddress,
  isLoopback,
  notAnAddress,
  parseAddress,
  RELAY_ADDRESS,
  readAddress,
  refuseInsecureAddress,
} from '../wire/address.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github-api.ts'
import { DEV_HEADER } from '../wire/headers.ts'
import type { HttpResponse } from '../wire/http.ts'
import { isObject, record } from '../wire/json.ts'
import { PARAMETER } from '../wire/path.ts'
import { HEADER } from '../wire/payload.ts'
import { printable } from '../wire/printable.ts'
import type { WorkflowRun } from '../wire/run-lookup.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { tokenFor, unknownName } from './flag-values.ts'
import type { Addressed } from './follow-runs.ts'
import { githubHere } from './forge-tokens.ts'
import { unreachable } from './request-faults.ts'
import { EXAMPLES, exampleOf } from './send/example-events.ts'
import { sendExactly } from './send/http-request.ts'
import {
  type AddressedRequest,
  outgoingRequest,
  type RequestOptions,
} from './send/outgoing-request.ts'
import { keyInFile, ONLY_AMAZON, PAIRED, SIGNATURE_NAMES, signedNow } from './send/signatures.ts'
import {
  EXIT,
  errorJson,
  print,
  printJson,
  reportError,
  withProgress,
  wrappedNames,
} from './terminal.ts'

interface SendOptions extends RequestOptions {
  readonly sender?: string
  readonly privateKey?: string
  readonly list?: boolean
  readonly relay?: string
  readonly endpoint?: string
  readonly wait?: boolean
  readonly json?: boolean
}

const HELP = `
A saved request (--file) is JSON with the keys method, path, headers and body.
Its path is appended to a <url> without a workflow, for example
https://relay.example.com/octo/repo or http://localhost:3000/webhook.

With --endpoint, the URL is the one of this endpoint, and its relay is found as
by hookline endpoint. With --relay alone, <url> is a path such as
octo/repo/hook/webhook, and the GitHub token travels in the header
X-Platform-Authorization. For a scheme with a public key,
HOOKLINE_WEBHOOK_SECRET is the private key.

${environmentHelp(
  ['HOOKLINE_GITHUB_TOKEN', 'GitHub token, for --relay'],
  ['HOOKLINE_RELAY_KEY', 'relay key, for --endpoint of a relay that is not on this machine'],
  'HOOKLINE_WEBHOOK_SECRET',
  'HOOKLINE_DEV_KEY',
  ['GH_TOKEN', 'GitHub token for --wait (default: HOOKLINE_GITHUB_TOKEN)'],
)}

Senders:
  ${wrappedNames(SENDERS.map(({ name }) => name))}
Schemes:
  ${wrappedNames(SIGNATURE_NAMES)}

Examples:
  $ hookline send --list
  $ hookline send localhost:3000/webhook/hook/webhook --sender stripe
  $ hookline send localhost:3000/webhook/hook/webhook --example github.push
  $ hookline send localhost:3000/webhook/hook/webhook --data '{"hello":"world"}'
  $ hookline send localhost:3000/webhook/hook/webhook --sender discord \\
      --private-key discord.pem
  $ hookline send localhost:3000/webhook --file saved.json
  $ hookline send --endpoint orders --sender stripe --wait
  $ hookline send octo/repo/hook/webhook --sender stripe \\
      --relay https://relay.example.com`

/** Milliseconds until the whole response has arrived. */
const TIMEOUT = 30_000

export function sendCommand(): Command {
  return new Command('send')
    .description('send an example event or a request to a relay or to hookline dev')
    .argument('[url]', 'webhook URL')
    .option('--sender <name>', 'sender or scheme: sign as it does, and send its example event')
    .option('--example <name>', 'send this example event, for example github.push')
    .option('--file <file>', 'send a saved request')
    .option('--method <method>', 'HTTP method (default: POST with a body, else GET)')
    .addOption(
      new Option('--header <header>', 'add a header "name: value"; may be repeated')
        .argParser((header: string, others: readonly string[]) => [...others, header])
        .default([], 'none'),
    )
    .option('--data <body>', 'body, or @file')
    .option('--private-key <file>', 'private key that signs; created if the file is missing')
    .option('--endpoint <name>', 'send to this endpoint of a relay, in place of <url>')
    .option('--relay <url>', 'relay of the endpoint, or of the token URL in <url>')
    .option('--wait', 'wait for the end of the run; exit with 1 if the run failed or nothing fired')
    .option('--list', 'list the example events')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(sendRequest)
}

async function sendRequest(
  address: string | undefined,
  options: SendOptions,
  command: Command,
): Promise<void> {
  if (options.list) return printExamples(options.json ?? false)
  if (address === undefined && options.endpoint === undefined) {
    command.error("error: missing required argument 'url', or --endpoint")
  }
  if (address !== undefined && options.endpoint !== undefined) {
    command.error('error: --endpoint cannot be combined with a url')
  }
  if (options.example !== undefined && options.file !== undefined) {
    command.error('error: --example cannot be combined with --file')
  }
  const { target, endpoint } = await targetOf(address, options)
  const isToken = options.relay !== undefined && options.endpoint === undefined
  const token = isToken ? tokenFor('--relay', process.env) : undefined
  const secret =
    options.privateKey === undefined
      ? readSetting(process.env, 'HOOKLINE_WEBHOOK_SECRET')
      : undefined
  const addressed = await outgoingRequest(target, withSenderExample(options))
  await sendOnce(await signedRequest(addressed, options, secret), token, options, endpoint)
}

/**
 * The URL of the endpoint that is named, with what the endpoint starts; a token URL, or the given URL.
 *
 * @throws UserError
 */
async function targetOf(address = '', { relay, endpoint: name }: SendOptions) {
  if (name === undefined) {
    return { target: relay === undefined ? parseUrl(address) : tokenUrl(relay, address) }
  }
  const [{ findRelay }, { namedEndpoint, readEndpoint }] = await Promise.all([
    import('./find-relay.ts'),
    import('./endpoint/named-endpoint.ts'),
  ])
  const client = await findRelay(relay === undefined ? {} : { relay })
  const named = await namedEndpoint(name, undefined, client)
  const { url, endpoint } = await readEndpoint(client, named)
  const { repository, workflow, targets } = endpoint
  const isOnly = targets === undefined && typeof workflow === 'string'
  return {
    target: parseUrl(url),
    endpoint: { repository: String(repository), workflow: isOnly ? workflow : '' },
  }
}

function printExamples(json: boolean): void {
  const all = [...EXAMPLES.values()].map(({ name, scheme }) => ({ name, sign: scheme ?? null }))
  const lines = all.map(({ name, sign }) => `${name.padEnd(40)}${sign ?? ''}`.trimEnd())
  if (json) printJson(all)
  else print(lines.join('\n'))
}

async function sendOnce(
  { request, url }: AddressedRequest,
  token: Secret | undefined,
  options: SendOptions,
  endpoint: Addressed | undefined,
): Promise<void> {
  const started = performance.now()
  const response = await sendWebhook(url, request, token)
  const milliseconds = Math.round(performance.now() - started)
  const lines = responseLines(request.method, url, response, milliseconds)
  if (!options.json) print(lines.map(printable).join('\n'))
  if (!response.accepted) process.exitCode = EXIT.failure
  let failure = {}
  try {
    if (response.accepted && options.wait) await waitForRun(url, endpoint, response)
  } catch (error) {
    if (!options.json) throw error
    // The only object contains the response, too: the request was sent.
    process.exitCode = reportError(error)
    failure = errorJson(error)
  }
  if (options.json) printJson({ ...response, milliseconds, ...failure })
}

/** The response of a relay or of `hookline dev` to a webhook request. */
interface SendResponse {
  readonly accepted: boolean
  readonly status: number
  /** Delivery id; `null` if the server is not a relay. */
  readonly delivery: string | null
  /** Page of the run, if the relay knows it. */
  readonly run: string | null
  readonly queued: boolean
  /** True if the relay collects the event for a batch. */
  readonly collected: boolean
  /** True if the condition of the endpoint dropped the request, so that no run starts. */
  readonly filtered: boolean
  /** True if the path of the URL names no trigger. */
  readonly missingTrigger: boolean
  /** True if `hookline dev` evaluated the request and no trigger fired. */
  readonly nothingFired: boolean
  /** Why the accepted request starts no run; `null` if a run starts. */
  readonly reason: string | null
  /** Error code of the relay: `missing_token`. */
  readonly code: string | null
  /** Fault and cure; `null` in a response of another server. */
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

function readResponse({ status, headers, text }: HttpResponse): SendResponse {
  const { error } = fieldsOf({ text })
  const { code, message, hint } = isObject(error) ? error : {}
  const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
  const filtered = headers[HEADER.filtered] !== undefined
  const missingTrigger = headers[HEADER.hint] === 'no_trigger'
  const nothingFired = headers[HEADER.hint] === 'nothing_fired'
  return {
    accepted: status >= 200 && status < 300,
    status,
    delivery: headers[HEADER.delivery] ?? null,
    run: headers[HEADER.run] ?? null,
    queued: headers[HEADER.queued] === 'true',
    collected: headers[HEADER.reason] === 'batch',
    filtered,
    missingTrigger,
    nothingFired,
    reason: filtered
      ? FILTERED
      : missingTrigger
        ? NO_TRIGGER
        : nothingFired
          ? idleText(headers)
          : null,
    code: textOf(code),
    message: textOf(message),
    hint: textOf(hint),
    body: text,
  }
}

const FILTERED = 'no run: the condition of the endpoint (--if) is not true for this request'

const NO_TRIGGER =
  'no run: the URL names no trigger. A webhook URL ends in /<workflow>/<trigger>, for example /hook/webhook.'

/** The explanation of `hookline dev`. */
function idleText(headers: HttpResponse['headers']): string {
  const reason = headers[HEADER.reason]
  return `nothing fired: ${reason ?? 'the terminal of hookline dev shows the reason'}`
}

function responseLines(
  method: string,
  url: URL,
  response: SendResponse,
  milliseconds: number,
): string[] {
  const { status, delivery, run, message, hint, body, reason } = response
  const text = message !== null && hint !== null ? `${message}: ${hint}` : (message ?? body)
  return [
    // Without the query and the id of an endpoint, because they are secret.
    `${method} ${url.origin}${url.pathname.replace(ENDPOINT_ID, '$1***')}`,
    `${status}  ${milliseconds} ms${delivery ? `  delivery ${delivery}` : ''}`,
    ...(run === null ? [] : [run]),
    ...(response.queued ? [queuedText(response)] : []),
    ...(reason === null ? [] : [reason]),
    ...(!response.accepted && message === null && url.pathname === '/' ? [NO_WEBHOOK_URL] : []),
    ...(response.nothingFired ? [] : [text]),
  ]
}

const ENDPOINT_ID = /^(\/-\/[^/]+\/)[\w-]{22}/

const NO_WEBHOOK_URL =
  'The URL is the front page of a server. A webhook URL ends in /<workflow>/<trigger>.'

/** Removes the secrets of the request from a response, because any server may repeat them. */
function withoutSecrets(
  reply: HttpResponse,
  secrets: readonly (Secret | undefined)[],
): HttpResponse {
  const hide = (text: string) =>
    secrets.reduce((rest, secret) => (secret ? withoutSecret(rest, secret) : rest), text)
  const headers = Object.entries(reply.headers).map(([name, value]) => [name, hide(value)] as const)
  return { ...reply, headers: record(headers), text: hide(reply.text) }
}

/** Waits for the run, found by its page or by the delivery id in its name; reports to standard error. */
async function waitForRun(
  url: URL,
  endpoint: Addressed | undefined,
  response: SendResponse,
): Promise<void> {
  const { delivery, run, queued, collected, filtered, reason } = response
  const { addressedBy, awaitRun, endOfRun, followRun, runAt, runLine } = await import(
    './follow-runs.ts'
  )
  if (queued && !collected) {
    throw new UserError({ message: 'there is no run yet', hint: QUEUED })
  }
  if (filtered) throw new UserError({ message: 'there is no run', hint: reason ?? '' })
  if (run === null && (delivery === null || (await isDev(url)))) {
    throw new UserError({
      message: `there is no run: ${delivery === null ? 'the server is not a relay' : 'hookline dev evaluates events on this machine'}`,
      hint: 'Send the request to a relay, for example to the URL that hookline connect prints.',
    })
  }
  const addressed = endpoint ?? addressedBy(url)
  const [, ofRun = ''] = /\/([^/]+\/[^/]+)\/actions\/runs\/\d+$/.exec(run ?? '') ?? []
  const repository = addressed.repository || ofRun
  if (repository === '') {
    throw new UserError({
      message: 'the repository is unknown: the URL names none, and there is no git remote origin',
      hint: 'Run the command in a clone of the repository.',
    })
  }
  const github = { repository, ask: await githubHere('send --wait'), ...systemClock }
  if (collected) process.stderr.write(`${printable(queuedText(response))}\n`)
  const collecting = collected ? LONGEST_BATCH : 0
  // A batch has the id of its first event, which this event may be.
  const event = { delivery: delivery ?? '', workflow: addressed.workflow || undefined }
  const found = run === null ? await awaitRun(event, github, collecting) : await runAt(run, github)
  const report = (each: WorkflowRun) => process.stderr.write(`${runLine(each)}\n`)
  const ended = await followRun(found, github, report)
  const { outcome, reason: why, isFailure } = await endOfRun(ended, github)
  if (why !== null) process.stderr.write(`${printable(`${outcome}: ${why}`)}\n`)
  if (isFailure) process.exitCode = EXIT.failure
}

const QUEUED = 'GitHub is unavailable; the relay queued the event. To list it: hookline deliveries'

function queuedText({ collected }: SendResponse): string {
  return collected ? 'the relay collects the event for a batch' : QUEUED
}

/** Milliseconds that a relay collects the events of a batch at most. */
const LONGEST_BATCH = 3_600_000

/** Whether hookline dev serves a URL of this machine; its front page, the inspector, has a header. */
async function isDev(url: URL): Promise<boolean> {
  if (!isLoopback(url.hostname)) return false
  const front = new URL('/', url).href
  const call = http({ method: 'GET', url: front, timeout: TIMEOUT })
  const { headers } = await call.catch(() => ({ headers: record<string>([]) }))
  return headers[DEV_HEADER] !== undefined
}

/** Adds the example event of --sender, unless another flag sets the request. @throws UserError */
function withSenderExample(options: SendOptions): SendOptions {
  const { sender, example, file, data } = options
  if (sender === undefined) return options
  if (!senderNamed(sender) && !SIGNATURE_NAMES.includes(sender)) {
    const names = new Set([...SENDERS.map(({ name }) => name), ...SIGNATURE_NAMES])
    throw unknownName('sender', sender, [...names])
  }
  const hasOwnRequest = (example ?? file ?? data) !== undefined
  const own = hasOwnRequest ? undefined : exampleOf(sender)?.name
  return { ...options, ...(own !== undefined && { example: own }) }
}

/** @throws UserError if the scheme or the secret is missing */
async function signedRequest(
  addressed: AddressedRequest,
  options: SendOptions,
  given: Secret | undefined,
): Promise<AddressedRequest> {
  const sender = senderNamed(options.sender ?? '')
  const wanted = sender ? (sender.scheme ?? sender.name) : options.sender
  const scheme = wanted ?? addressed.scheme
  const { privateKey } = options
  const secret = privateKey === undefined ? given : keyOfPair(privateKey, scheme ?? '')
  if (!secret && scheme === 'aws-sns') {
    process.stderr.write(`sent without a signature. ${ONLY_AMAZON}\n`)
    return addressed
  }
  if (!secret && wanted === undefined) return addressed
  if (!secret) throw missingSecret(options, scheme ?? '')
  if (scheme === undefined) {
    throw new UserError({
      message: 'there is a secret, but no signature scheme',
      hint: 'Add --sender, or unset HOOKLINE_WEBHOOK_SECRET.',
    })
  }
  return signedNow(addressed, scheme, secret, sender?.options)
}

function missingSecret({ sender }: SendOptions, scheme: string): UserError {
  const variable = senderNamed(sender ?? '')?.secret
  const exported = variable !== undefined && process.env[variable] ? `$${variable}` : '…'
  return new UserError({
    message: '--sender needs the secret that signs the request',
    hint: PAIRED.includes(scheme)
      ? `Add --private-key ${scheme}.pem. A missing file is created, and its public key is printed.`
      : `Run: export HOOKLINE_WEBHOOK_SECRET="${exported}"`,
  })
}

/** The private key in a file. For a new file, prints the public key that the workflow needs. */
function keyOfPair(file: string, scheme: string): Secret {
  const { secret, publicText } = keyInFile(file, scheme)
  if (publicText !== undefined) {
    const name = senderNamed(scheme)?.secret
    process.stderr.write(`created ${file}; set its public key: ${name}=${publicText}\n`)
  }
  return secret
}

async function sendWebhook(
  url: URL,
  { method, headers, body }: OutgoingRequest,
  token: Secret | undefined,
): Promise<SendResponse> {
  const authorized = token ? { ...headers, 'x-platform-authorization': token.reveal() } : headers
  try {
    // The key lets hookline dev run real jobs; it is sent to this machine only.
    const key = readSetting(process.env, 'HOOKLINE_DEV_KEY')
    const own =
      key && isLoopback(url.hostname)
        ? { ...authorized, 'x-hookline-dev-key': key.reveal() }
        : authorized
    const call = sendExactly({ method, url, headers: own, body, timeout: TIMEOUT })
    const reply = await withProgress(`waiting for ${url.host}`, call)
    const ofUrl = url.searchParams.get(PARAMETER.token)
    const secrets = [token, key, ofUrl ? new Secret(ofUrl) : undefined]
    return readResponse(withoutSecrets(reply, secrets))
  } catch (error) {
    throw unreachable(error, url.host, 'Start the relay or hookline dev, and check the address.')
  }
}

/**
 * The token goes only to the relay that the user names.
 *
 * @throws UserError for an invalid address; UsageError for a whole URL
 */
function tokenUrl(relay: string, path: string): URL {
  const given = readAddress(relay, RELAY_ADDRESS)
  refuseInsecureAddress(given)
  const base = baseAddress(given)
  if (/^https?:/i.test(path)) {
    throw new UsageError({
      message: '--relay cannot be combined with a whole URL',
      hint: `Write the path after the address of the relay: hookline send octo/repo/hook/webhook --relay ${base}`,
    })
  }
  return parseUrl(`${base}/${path.replace(/^\/+/, '')}`)
}

function parseUrl(text: string): URL {
  const url = parseAddress(text)
  if (url) return url
  const example = 'http://localhost:3000/webhook/hook/webhook'
  throw notAnAddress(text, { name: 'the URL', of: 'a webhook', example })
}
