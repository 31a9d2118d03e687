import { DEFAULT_MESSAGING_API_URL } from '../../action/inputs.ts'
import { curlLine, foundTriggers } from '../../dev/found-triggers.ts'
import { type DevEvent, type LocalPlatformPorts, runLocally } from '../../dev/local-platform.ts'
import { poller } from '../../dev/polling.ts'
import { FIXTURES } from '../../dev/send/fixtures/index.ts'
import { survey } from '../../dev/survey.ts'
import type { WorkflowSource } from '../../engine/events.ts'
import type { EnginePorts } from '../../engine/ports.ts'
import type { Origin, Reader, ShownRequest, Welcome } from '../../inspector/api.ts'
import type { InspectorParts } from '../../inspector/inspector.ts'
import { PAGE_FILES } from '../../inspector/page-files.ts'
import { Recorder } from '../../inspector/recorder.ts'
import { eventRecord, refusalRecord, requestRecord } from '../../inspector/records.ts'
import { newestRequest } from '../../inspector/replay.ts'
import { inspectorServer } from '../../inspector/server.ts'
import { readClientPayload } from '../../protocol/dispatch.ts'
import { type Json, parseJson } from '../../protocol/json.ts'
import type { Reply } from '../../protocol/reply.ts'
import { heldToken } from '../../relay/access-keys.ts'
import { type Credentials, noToken } from '../../relay/credentials.ts'
import { type DispatchPort, type RelayPorts, type RelayRequest, relay } from '../../relay/relay.ts'
import { memoryShelf } from '../../state/memory.ts'
import { createStore } from '../../state/store.ts'
import type { ExampleRequest } from '../../triggers/trigger.ts'
import { renderProblem } from '../../workflow/code-frame.ts'
import type { RunningServer } from '../node/http-server.ts'
import { enginePorts } from '../ports.ts'
import type { Environment } from '../relay/relay-config.ts'
import { readAccessKeys } from '../relay/relay-keys.ts'
import { serveRelay } from '../relay/relay-server.ts'
import { systemClock } from '../system-clock.ts'
import { repeat } from './repeat.ts'

export interface DevServerOptions {
  /** Opens the server to other machines: a request then has to bring one of the keys. */
  readonly host: string | undefined
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  readonly workflows: (event: Json) => WorkflowSource
  /** Who can read the outputs of a workflow's triggers. */
  readonly readers: (workflow: string) => readonly Reader[]
  readonly tell: (event: DevEvent) => void
  readonly report: (error: unknown) => void
}

export interface DevServer extends RunningServer {
  /** Begins to poll for the triggers that can, until the server is closed. */
  poll(): void
  /** To be called when a workflow file was changed: pages look at them again. */
  workflowsChanged(): void
  /** Sends the newest request once more; `undefined` when there was none. */
  replayNewest(): Promise<Reply | undefined>
}

/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' }

/** Milliseconds between two looks at what is due; GitHub's own schedule is five minutes at least. */
const POLL_PAUSE = 5000

/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
export async function serveDev(options: DevServerOptions): Promise<DevServer> {
  const { host, port, env, workflows, report } = options
  const recorder = new Recorder(crypto.randomUUID().slice(0, 8))
  const platform = { workflows, engine: devEngine(env), now: () => performance.now() }
  const stage = { ...options, recorder, platform }
  const ports = devPorts(stage, 'request', await devCredentials(host, env))
  const send = (request: RelayRequest, origin: Origin) =>
    relay(request, devPorts(stage, origin, noToken))
  const parts: InspectorParts = {
    recorder,
    files: PAGE_FILES,
    key: crypto.randomUUID(),
    welcome: (base) => welcome(base, workflows),
    fixture,
    send,
  }
  const inspector = inspectorServer(parts, report)
  const { route, workflowsChanged } = inspector
  const server = await serveRelay({ host: host ?? 'localhost', port, ports, route })
  let stopPolling = async () => {}
  return {
    url: server.url,
    poll() {
      stopPolling = repeat(localPoller(stage), POLL_PAUSE, report)
    },
    async replayNewest() {
      const request = newestRequest(recorder.after(0))
      return request && send(request, 'replay')
    },
    workflowsChanged,
    async close() {
      inspector.close()
      await Promise.all([server.close(), stopPolling()])
    },
  }
}

/** What an event meets here. */
interface Stage extends Pick<DevServerOptions, 'tell' | 'report' | 'readers'> {
  readonly recorder: Recorder
  readonly platform: LocalPlatformPorts
}

/** Every run has an id of its own; what is seen is remembered as long as the process lives. */
function devEngine(env: Environment): () => EnginePorts {
  const store = createStore(memoryShelf())
  const engine = enginePorts(env.HOOKLINE_MESSAGING_API_URL || DEFAULT_MESSAGING_API_URL, { store })
  return () => ({ ...engine, run: { id: crypto.randomUUID(), at: Date.now() } })
}

function devPorts(stage: Stage, origin: Origin, credentials: Credentials): RelayPorts {
  return {
    dispatch: localDispatch(stage, origin),
    credentials,
    repository: LOCAL,
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry) => {
      if (entry.status >= 400) stage.recorder.add(refusalRecord(entry, origin))
    },
    report: stage.report,
  }
}

/** Evaluates here what would be dispatched, and tells and records what came of it. */
function localDispatch({ platform, recorder, readers, tell }: Stage, origin: Origin): DispatchPort {
  return async ({ clientPayload }) => {
    const payload = readClientPayload(parseJson(clientPayload))
    const time = systemClock.now()
    const event = await runLocally(payload, platform)
    const arrival = { time, origin, readers: readers(event.workflow) }
    const { unlisted, withheld } = await requestRecord(event, payload, arrival)
    recorder.add(unlisted, withheld)
    tell(event)
    return { tries: 1 }
  }
}

function localPoller({ platform, recorder, readers, tell }: Stage): () => Promise<void> {
  return poller(platform, (event) => {
    const who = readers(event.workflow)
    recorder.add(eventRecord(event, { time: systemClock.now(), origin: 'poll', readers: who }))
    tell(event)
  })
}

function welcome(base: string, workflows: DevServerOptions['workflows']): Welcome {
  const { found, problems } = survey(() => workflows({}))
  const triggers = foundTriggers(base, found).map(({ workflow, trigger, url, example }) => {
    const { method, path, contentType, body } = example ?? SIGNED
    const request: ShownRequest = {
      method,
      path: `${encodeURIComponent(workflow)}/${trigger}${path}`,
      headers: contentType === undefined ? {} : { 'content-type': contentType },
      body: body ?? '',
      encoding: 'text',
    }
    const curl = example ? curlLine(url, example) : null
    return { workflow, trigger, method, url: url + path, curl, request }
  })
  const fixtures = [...FIXTURES.keys()]
  return { triggers, problems: problems.map((problem) => renderProblem(problem)), fixtures }
}

/** What composing a request begins with where only its sender can make a whole one. */
const SIGNED: ExampleRequest = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: '{}',
}

function fixture(name: string): Omit<ShownRequest, 'path'> | undefined {
  const moment = { id: crypto.randomUUID(), now: systemClock.now() }
  const found = FIXTURES.get(name)?.request(moment)
  if (!found) return undefined
  const { headers, body } = found
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { method: 'POST', headers, body: text, encoding: 'text' }
}

/** @throws UserError when the server is opened without a key */
async function devCredentials(host: string | undefined, env: Environment): Promise<Credentials> {
  if (host === undefined) return noToken
  return heldToken(readAccessKeys(env.HOOKLINE_KEYS), undefined)
}
