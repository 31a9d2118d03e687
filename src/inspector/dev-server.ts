import type { IncomingMessage, ServerResponse } from 'node:http'
import { enginePorts } from '../action/action-ports.ts'
import { foundTriggers, polledTriggers, readAllWorkflows } from '../engine/all-workflows.ts'
import type { EnginePorts, WorkflowSource } from '../engine/engine-ports.ts'
import { triggerNamed } from '../engine/evaluate-event.ts'
import { scripts } from '../engine/scripts.ts'
import { steadyClock, systemClock } from '../relay/config.ts'
import { keyCredentials, NO_CREDENTIALS } from '../relay/github/credential.ts'
import { PACK } from '../relay/github/payload.ts'
import type { DispatchPort } from '../relay/github/send.ts'
import { RelayMetrics } from '../relay/metrics.ts'
import { answer, type RunningServer, serveRelay } from '../relay/node/server.ts'
import { RELAY_PAGES } from '../relay/pages.ts'
import { Readiness } from '../relay/readiness.ts'
import { type Relay, respond } from '../relay/relay.ts'
import { BodyMemory } from '../relay/webhook/body.ts'
import { memoryBackend } from '../state/memory.ts'
import { createStore } from '../state/store.ts'
import { exampleLine } from '../triggers/example-line.ts'
import type { ExampleRequest, RequiredSignature } from '../triggers/trigger.ts'
import { baseAddress } from '../wire/address.ts'
import { toBase64, utf8Text } from '../wire/bytes.ts'
import { type Problem, readOrUndefined, UserError } from '../wire/errors.ts'
import type { RelayRequest, RelayResponse } from '../wire/http.ts'
import { type Json, parseJson } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'
import { type GitHubEvent, readClientPayload } from '../wire/payload.ts'
import { sameText } from '../wire/secret.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import type { OutputReader, ShownJobs, ShownRequest, Welcome } from './api.ts'
import { type DevEvent, type LocalEnginePorts, poller, repeat, runLocally } from './local-engine.ts'
import { PAGE_FILES } from './page-files.ts'
import {
  type Cause,
  eventRecord,
  Recorder,
  readOrder,
  refusalRecord,
  replayRequest,
  requestRecord,
  shownBytes,
  shownProblem,
} from './recorder.ts'
import {
  accessRefusal,
  type InspectorAnswer,
  type InspectorSource,
  inspectorJson,
  inspectorPath,
  inspectorServer,
  inspectorText,
  listChanged,
  randomKey,
} from './server.ts'

interface DevServerOptions {
  /** An address that other machines reach; requests then need the key. */
  readonly host: string | undefined
  /** 0 selects a free port. */
  readonly port: number
  readonly env: Environment
  readonly workflows: (event: Json) => WorkflowSource
  /** Problems of the workflow files; before the first check, the problems that prevent reading them. */
  readonly problems?: () => readonly Problem[] | undefined
  readonly signer: Signer
  readonly explain: (event: DevEvent) => Explained
  readonly tell: (event: DevEvent, explained: Explained) => void
  readonly report: (error: unknown) => void
  /** Passes events to a runner on this machine; `undefined` without `--run`. */
  readonly runs?: LocalRuns | undefined
}

/** Runs real jobs. Any page in a browser can reach a webhook here, so a request needs a key. */
interface LocalRuns {
  readonly key: string
  start(workflow: string, event: GitHubEvent): void
}

/** What the workflow files make of an event. */
interface Explained {
  /** The files and jobs that can read the outputs of its triggers. */
  readonly readers: readonly OutputReader[]
  readonly jobs: readonly ShownJobs[]
}

/** Signs requests as senders do. */
interface Signer {
  /** Names of the known schemes. */
  readonly schemes: readonly string[]
  /** @throws UserError for a secret that the scheme cannot use */
  sign(request: SignableRequest, signature: RequiredSignature): Promise<SignableRequest>
}

export interface SignableRequest {
  readonly method: string
  /** The URL that the sender calls; some senders sign it or add to it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface DevServer extends RunningServer {
  /** Path and query of the inspector; the query contains the key of this run, a secret. */
  readonly inspectorPath: string
  /** Polls for the triggers that support polling, until the server is closed. */
  poll(): void
  /** Tells the pages that a workflow file was changed. */
  workflowsChanged(): void
}

/** Nothing is dispatched, so the name of the repository has no effect. */
const LOCAL = { owner: 'local', name: 'local' }

/** Milliseconds between two polls; GitHub's own schedule has an interval of at least five minutes. */
const POLL_PAUSE = 5000

/** Serves the relay for one repository, with the local engine in place of GitHub. */
export async function serveDev(options: DevServerOptions): Promise<DevServer> {
  const { host, port, env, workflows, signer, report } = options
  const recorder = new Recorder(crypto.randomUUID().slice(0, 8))
  const localEngine = { workflows, engine: devEngine(options), now: () => performance.now() }
  const stage = { ...options, recorder, localEngine }
  const cause = { origin: 'request', of: null } as const
  const relay = devRelay(stage, cause, await devCredentials(host, env), false)
  let stopPolling: (() => Promise<void>) | undefined
  const key = randomKey()
  const source = devSource({
    recorder,
    files: PAGE_FILES,
    key,
    welcome: (base) => welcome(base, stopPolling !== undefined, options),
    secretHeadersAt: (path) => signatureHeaders(path, localEngine),
    sign: (request) => resignedRequest(request, workflows, signer),
    // Requests of the page were authenticated by the cookie, so they may run real jobs.
    send: (request, cause) => respond(request, devRelay(stage, cause, NO_CREDENTIALS, true)),
  })
  const inspector = inspectorServer(source, report)
  const runRelay = devRelay(stage, cause, NO_CREDENTIALS, true)
  const route: typeof inspector.route = (request, response) => {
    if (inspector.route(request, response)) return true
    const key = request.headers['x-hookline-dev-key']
    if (options.runs === undefined || key === undefined) return false
    answerWithKey(request, response, {
      given: String(key),
      key: options.runs.key,
      relay: runRelay,
    }).catch(report)
    return true
  }
  const server = await serveRelay({ host: host ?? 'localhost', port, relay, route })
  return {
    url: server.url,
    inspectorPath: inspectorPath(key),
    poll() {
      const look = poller(stage.localEngine, (event) => {
        const explained = stage.explain(event)
        const time = systemClock.now()
        stage.recorder.add(eventRecord(event, { ...explained, time, origin: 'poll', of: null }))
        stage.tell(event, explained)
      })
      stopPolling = repeat(look, POLL_PAUSE, report)
    },
    workflowsChanged: source.workflowsChanged,
    async close() {
      inspector.close()
      await Promise.all([server.close(), stopPolling?.()])
    },
  }
}

/**
 * Responds to a webhook with a key for real jobs. The key must be right, and the request must come
 * directly from this machine.
 */
async function answerWithKey(
  request: IncomingMessage,
  response: ServerResponse,
  { given, key, relay }: { readonly given: string; readonly key: string; readonly relay: Relay },
): Promise<void> {
  const { headers, socket } = request
  const refusal =
    accessRefusal({ address: socket.remoteAddress, headers }) ??
    ((await sameText(given, key))
      ? undefined
      : 'x-hookline-dev-key is not the key that dev printed')
  if (refusal === undefined) return answer(request, response, relay)
  const body = JSON.stringify({ error: { code: 'unauthorized', message: `not run: ${refusal}` } })
  response.writeHead(401, { 'content-type': 'application/json', connection: 'close' }).end(body)
}

/** The parts of `hookline dev`: its recorded events, and the means to send a request to itself. */
interface DevParts {
  readonly recorder: Recorder
  readonly files: ReadonlyMap<string, string>
  readonly key: string
  /** Workflows as they are now, with addresses below `base`. */
  welcome(base: string): Welcome
  /**
   * Signs the request as its sender would; returns it unchanged if nothing is signed.
   *
   * @throws UserError if the request cannot be signed
   */
  sign(request: ShownRequest): Promise<ShownRequest>
  /** Headers by which the trigger at a path authenticates its sender, in lower case. */
  secretHeadersAt(path: string): readonly string[]
  send(request: RelayRequest, cause: Cause): Promise<RelayResponse>
}

/** The inspector of `hookline dev`. */
export function devSource(parts: DevParts): InspectorSource & {
  /** Tells every page that a workflow file was changed. */ workflowsChanged(): void
} {
  const { recorder, files, key, welcome } = parts
  const { run } = recorder
  let tellChange = () => {}
  return {
    command: 'hookline dev',
    files,
    key,
    run,
    welcome,
    summaries: () => recorder.all().map(({ summary }) => summary),
    listen(send) {
      const unlisten = recorder.listen(({ summary }, gone) =>
        send(listChanged({ summaries: [summary], gone })),
      )
      tellChange = () => send({ name: 'changed', data: '{}' })
      return unlisten
    },
    find: async (id) => recorder.find(id)?.json,
    // The page has neither headers nor bodies of all requests.
    search: (filter) => recorder.search(filter),
    actions: new Map([['replay', (body: string) => replayed(body, parts)]]),
    workflowsChanged: () => tellChange(),
  }
}

/** @throws UserError if the request cannot be signed */
async function replayed(body: string, parts: DevParts): Promise<InspectorAnswer> {
  const order = readOrder(body)
  if (!order) return inspectorText(400, 'invalid request order')
  const original = parts.recorder.find(order.of ?? '')
  const origin = order.of === null ? 'composed' : 'replay'
  const cause = { origin, of: original?.summary.id ?? null } as const
  const request = order.sign ? await parts.sign(order) : order
  const secretHeaders = parts.secretHeadersAt(request.path)
  const replay = replayRequest(request, original?.withheld ?? {}, secretHeaders)
  const { status, headers, body: text } = await parts.send(replay, cause)
  return inspectorJson({ status, delivery: headers['x-hookline-delivery'] ?? '', body: text })
}

/** The parts that evaluate and show an event. */
interface Stage extends Pick<DevServerOptions, 'tell' | 'report' | 'explain' | 'runs'> {
  readonly recorder: Recorder
  readonly localEngine: LocalEnginePorts
}

/** Each run has its own id; the state lives as long as the process. */
function devEngine({ env }: DevServerOptions): () => EnginePorts {
  const store = createStore(memoryBackend(Date.now))
  const engine = enginePorts(baseAddress(readSetting(env, 'HOOKLINE_TELEGRAM_API_URL')), { store })
  return () => ({ ...engine, scripts, run: { id: crypto.randomUUID(), at: Date.now() } })
}

function devRelay(
  stage: Stage,
  cause: Cause,
  credentials: Relay['credentials'],
  mayRun: boolean,
): Relay {
  return {
    send: localDispatch(stage, cause, mayRun),
    store: undefined,
    credentials,
    repository: LOCAL,
    dispatchMode: 'repository',
    pages: RELAY_PAGES,
    readiness: new Readiness({ now: steadyClock.now, servesOne: true }),
    metrics: new RelayMetrics(),
    bodyMemory: new BodyMemory(Number.POSITIVE_INFINITY),
    packers: [PACK],
    loadChecks: () => import('../relay/webhook/verification.ts'),
    publicUrl: undefined,
    pause: () => systemClock.sleep(0),
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry) => {
      if (entry.status >= 400) stage.recorder.add(refusalRecord(entry, cause))
    },
    report: stage.report,
  }
}

function signatureHeaders(path: string, { workflows }: LocalEnginePorts): string[] {
  return signaturesAt(path, workflows).flatMap(({ header }) => header?.toLowerCase() ?? [])
}

/** Evaluates an event in this process, and prints and records the result. */
function localDispatch(stage: Stage, cause: Cause, mayRun: boolean): DispatchPort {
  const { localEngine, recorder, explain, tell, runs } = stage
  return async ({ clientPayload }) => {
    const payload = readClientPayload(parseJson(clientPayload))
    const time = systemClock.now()
    const event = await runLocally(payload, localEngine)
    const explained = explain(event)
    const headers = signatureHeaders(payload.path, localEngine)
    const context = { ...cause, ...explained, time }
    const { unlisted, withheld } = await requestRecord(event, payload, context, headers)
    recorder.add(unlisted, withheld)
    tell(event, explained)
    if (mayRun && event.count > 0 && event.origin) {
      runs?.start(event.workflow, event.origin.event)
    }
    const sentences = event.explanations.map(({ sentence }) => sentence)
    const idleReason = sentences.length > 0 ? asciiHeader(sentences) : unknownReason(event)
    return { tries: 1, isIdle: event.count === 0, ...(idleReason && { idleReason }) }
  }
}

/** The reason for a path without a workflow or trigger; mistakes in a file are for the terminal only. */
function unknownReason({ problems, reason }: DevEvent): string | undefined {
  return problems.length > 0 || reason === undefined ? undefined : asciiHeader([reason])
}

/** Characters of a header. */
const MAX_REASON = 1000

/** Sentences in one header, which takes ASCII only. */
function asciiHeader(sentences: readonly string[]): string {
  return sentences
    .join('; ')
    .replace(/[^ -~]/g, '?')
    .slice(0, MAX_REASON)
}

function welcome(
  base: string,
  polling: boolean,
  { workflows, problems: readProblems, signer }: DevServerOptions,
): Welcome {
  const { found, problems } = readAllWorkflows(() => workflows({}))
  const triggers = foundTriggers(base, found).map(
    ({ workflow, trigger, url, example, signatures }) => {
      const { method, path, contentType, body } = example ?? SIGNED
      const request: ShownRequest = {
        method,
        path: `${encodeURIComponent(workflow)}/${trigger}${path}`,
        headers: contentType === undefined ? {} : { 'content-type': contentType },
        body: body ?? '',
        encoding: 'text',
      }
      const curl = example ? exampleLine(url, example) : null
      const scheme = signable(signatures, signer)?.scheme ?? null
      return { workflow, trigger, method, url: url + path, curl, request, scheme }
    },
  )
  return {
    triggers,
    polled: polledTriggers(found),
    polling,
    problems: (readProblems?.() ?? problems).map(shownProblem),
    relay: null,
  }
}

/** The initial request of the composer if only the sender can create a complete one. */
const SIGNED: ExampleRequest = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: '{}',
}

/** Only tokens in headers can be signed here, because the page would show a token in the URL or body. */
function signable(
  signatures: readonly RequiredSignature[],
  { schemes }: Signer,
): RequiredSignature | undefined {
  return signatures.find(
    ({ scheme, header }) =>
      schemes.includes(scheme) && (scheme !== 'token' || header !== undefined),
  )
}

/** The signatures that the trigger at a path verifies; none for a file with mistakes. */
function signaturesAt(
  path: string,
  workflows: LocalEnginePorts['workflows'],
): readonly RequiredSignature[] {
  const { workflow: name, trigger } = parseWebhookPath(path)
  const workflow = readOrUndefined(() => workflows({}).find(name))
  return (workflow && triggerNamed(workflow, trigger)?.signatures) ?? []
}

/**
 * The request with a signature of now, if the trigger at its path verifies one and its secret is known.
 *
 * @throws UserError if the secret is of no use
 */
export async function resignedRequest(
  request: ShownRequest,
  workflows: LocalEnginePorts['workflows'],
  signer: Signer,
): Promise<ShownRequest> {
  const signature = signable(signaturesAt(request.path, workflows), signer)
  if (!signature) return request
  const url = signature.url?.reveal() ?? `http://localhost/webhook/${request.path}`
  if (!URL.canParse(url)) throw new UserError(NO_ADDRESS)
  const body = shownBytes(request)
  const signed = await signer.sign({ ...request, url, body }, signature)
  const added = signed.url.startsWith(url) ? signed.url.slice(url.length) : ''
  const path = request.path + added
  const text = utf8Text(signed.body)
  if (`${path}\n${text}`.includes(signature.secret.reveal())) throw new UserError(SHOWN_SECRET)
  const shown =
    text === undefined
      ? ({ body: toBase64(signed.body), encoding: 'base64' } as const)
      : ({ body: text, encoding: 'text' } as const)
  return { method: request.method, path, headers: signed.headers, ...shown }
}

const NO_ADDRESS = {
  message: 'the "url" of verify, which this sender signs, is not an address: look at its secret',
}

const SHOWN_SECRET = {
  message: 'this sender writes the secret itself into the request, where the page would show it',
}

/** @throws UserError if other machines can reach the server and no key is set */
async function devCredentials(host: string | undefined, env: Environment) {
  if (host === undefined) return NO_CREDENTIALS
  const key = readSetting(env, 'HOOKLINE_DEV_KEY')
  if (!key) {
    const hint = 'Create a key, which each request carries as its token: openssl rand -hex 16'
    throw new UserError({ message: 'HOOKLINE_DEV_KEY is missing', hint })
  }
  return keyCredentials(key)
}
