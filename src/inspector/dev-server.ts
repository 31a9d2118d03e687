import { DEFAULT_MESSAGING_API_URL } from '../action/inputs.ts'
import { enginePorts } from '../action/ports.ts'
import { describeEvent, describeRefusal, describeRequest } from '../dev/inspector/describe.ts'
import { Recorder } from '../dev/inspector/recorder.ts'
import { newestRequest } from '../dev/inspector/replay.ts'
import type { Origin, Welcome } from '../dev/inspector/wire.ts'
import type { EnginePorts, WorkflowSource } from '../engine/event.ts'
import { type Environment, readAccessKeys, systemClock } from '../relay/config.ts'
import { type Credentials, judgeCredentials, NO_CREDENTIALS } from '../relay/credentials.ts'
import type { DispatchPort } from '../relay/dispatch.ts'
import type { RunningServer } from '../relay/http-server.ts'
import { serveRelay } from '../relay/node.ts'
import { type RelayPorts, type RelayRequest, relay } from '../relay/relay.ts'
import { memoryBackend } from '../state/memory.ts'
import { createStore } from '../state/store.ts'
import { type Json, parseJson } from '../wire/json.ts'
import { readClientPayload } from '../wire/payload.ts'
import type { Reply } from '../wire/reply.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { inspectorServer } from './http.ts'
import {
  curlLine,
  type DevEvent,
  foundTriggers,
  type LocalPlatformPorts,
  poller,
  readAllWorkflows,
  repeat,
  runLocally,
} from './local-engine.ts'
import { INSPECTOR_FILES } from './page-files.ts'

export interface DevServerOptions {
  /** Opens the server to other machines: a request then has to bring one of the keys. */
  readonly host: string | undefined
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  readonly workflows: (event: Json) => WorkflowSource
  readonly tell: (event: DevEvent) => void
  readonly report: (error: unknown) => void
}

export interface DevServer extends RunningServer {
  /** Begins to poll for the triggers that can, until the server is closed. */
  poll(): void
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
  const recorder = new Recorder()
  const platform = { workflows, engine: devEngine(env), now: () => performance.now() }
  const stage = { ...options, recorder, platform }
  const ports = devPorts(stage, 'request', await devCredentials(host, env))
  const again = devPorts(stage, 'replay', NO_CREDENTIALS)
  const replay = (request: RelayRequest) => relay(request, again)
  const parts = {
    recorder,
    files: INSPECTOR_FILES,
    run: crypto.randomUUID(),
    key: crypto.randomUUID(),
    welcome: (base: string) => welcome(base, workflows),
    replay,
  }
  const inspector = inspectorServer(parts, report)
  const { route } = inspector
  const server = await serveRelay({ host: host ?? 'localhost', port, ports, route })
  let stopPolling = async () => {}
  return {
    url: server.url,
    poll() {
      stopPolling = repeat(localPoller(stage), POLL_PAUSE, report)
    },
    async replayNewest() {
      const request = newestRequest(recorder.after(0))
      return request && replay(request)
    },
    async close() {
      inspector.close()
      await Promise.all([server.close(), stopPolling()])
    },
  }
}

/** What an event meets here. */
interface Stage extends Pick<DevServerOptions, 'tell' | 'report'> {
  readonly recorder: Recorder
  readonly platform: LocalPlatformPorts
}

/** Every run has an id of its own; what is seen is remembered as long as the process lives. */
function devEngine(env: Environment): () => EnginePorts {
  const store = createStore(memoryBackend(Date.now))
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
      if (entry.status >= 400) stage.recorder.add(describeRefusal(entry))
    },
    report: stage.report,
  }
}

/** Evaluates here what would be dispatched, and tells and records what came of it. */
function localDispatch({ platform, recorder, tell }: Stage, origin: Origin): DispatchPort {
  return async ({ clientPayload }) => {
    const payload = readClientPayload(parseJson(clientPayload))
    const time = systemClock.now()
    const event = await runLocally(payload, platform)
    const { unlisted, withheld } = await describeRequest(event, payload, { time, origin })
    recorder.add(unlisted, withheld)
    tell(event)
    return { tries: 1 }
  }
}

function localPoller({ platform, recorder, tell }: Stage): () => Promise<void> {
  return poller(platform, (event) => {
    recorder.add(describeEvent(event, { time: systemClock.now(), origin: 'poll' }))
    tell(event)
  })
}

function welcome(base: string, workflows: DevServerOptions['workflows']): Welcome {
  const { found, problems } = readAllWorkflows(() => workflows({}))
  const triggers = foundTriggers(base, found).flatMap(({ workflow, trigger, url, example }) => {
    if (!example) return []
    const curl = curlLine(url, example)
    return { workflow, trigger, method: example.method, url: url + example.path, curl }
  })
  return { triggers, problems: problems.map((problem) => renderProblem(problem)) }
}

/** @throws UserError when the server is opened without a key */
async function devCredentials(host: string | undefined, env: Environment): Promise<Credentials> {
  if (host === undefined) return NO_CREDENTIALS
  return judgeCredentials({
    accessKeys: readAccessKeys(env.HOOKLINE_KEYS),
    authority: { token: async () => undefined },
    now: systemClock.now,
  })
}
