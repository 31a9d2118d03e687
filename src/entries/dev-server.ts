import { curlLine, foundTriggers } from '../dev/found-triggers.ts'
import { describeEvent, describeRefusal } from '../dev/inspector/describe.ts'
import { Recorder } from '../dev/inspector/recorder.ts'
import type { Origin, Welcome } from '../dev/inspector/wire.ts'
import { type DevEvent, runLocally } from '../dev/local-platform.ts'
import { survey } from '../dev/survey.ts'
import type { WorkflowSource } from '../engine/evaluate.ts'
import type { Json } from '../protocol/json.ts'
import { heldToken } from '../relay/access-keys.ts'
import { type Credentials, noToken } from '../relay/credentials.ts'
import { type DispatchPort, type RelayPorts, relay } from '../relay/relay.ts'
import { renderProblem } from '../workflow/code-frame.ts'
import { INSPECTOR_FILES } from './inspector-files.ts'
import { inspectorServer } from './inspector-server.ts'
import type { RunningServer } from './node/http-server.ts'
import { type Environment, readAccessKeys } from './relay-config.ts'
import { serveRelay } from './relay-server.ts'
import { systemClock } from './system-clock.ts'

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

/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' }

/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
export async function serveDev(options: DevServerOptions): Promise<RunningServer> {
  const { host, port, env, report } = options
  const recorder = new Recorder()
  const ports = devPorts(options, recorder, 'request', await devCredentials(host, env))
  const again = devPorts(options, recorder, 'replay', noToken)
  const inspector = inspectorServer(
    {
      recorder,
      files: INSPECTOR_FILES,
      run: crypto.randomUUID(),
      key: crypto.randomUUID(),
      welcome: (base) => welcome(base, options.workflows),
      replay: (request) => relay(request, again),
    },
    report,
  )
  const { route } = inspector
  const server = await serveRelay({ host: host ?? 'localhost', port, ports, route })
  const close = () => {
    inspector.close()
    return server.close()
  }
  return { url: server.url, close }
}

function devPorts(
  options: DevServerOptions,
  recorder: Recorder,
  origin: Origin,
  credentials: Credentials,
): RelayPorts {
  return {
    dispatch: localDispatch(options, recorder, origin),
    credentials,
    repository: LOCAL,
    now: systemClock.now,
    newDelivery: () => crypto.randomUUID(),
    log: (entry) => {
      if (entry.status >= 400) recorder.add(describeRefusal(entry))
    },
    report: options.report,
  }
}

/** Evaluates here what would be dispatched, and tells and records what came of it. */
function localDispatch(
  { workflows, tell }: DevServerOptions,
  recorder: Recorder,
  origin: Origin,
): DispatchPort {
  return async ({ payload }) => {
    const time = systemClock.now()
    const event = await runLocally(payload, { workflows, now: () => performance.now() })
    const { unlisted, withheld } = await describeEvent(event, payload, { time, origin })
    recorder.add(unlisted, withheld)
    tell(event)
    return { tries: 1 }
  }
}

function welcome(base: string, workflows: DevServerOptions['workflows']): Welcome {
  const { found, problems } = survey(() => workflows({}))
  const triggers = foundTriggers(base, found).map((one) => {
    const { workflow, trigger, url, example } = one
    return {
      workflow,
      trigger,
      method: example.method,
      url: url + example.path,
      curl: curlLine(one),
    }
  })
  return { triggers, problems: problems.map((problem) => renderProblem(problem)) }
}

/** @throws UserError when the server is opened without a key of at least 20 characters */
async function devCredentials(host: string | undefined, env: Environment): Promise<Credentials> {
  if (host === undefined) return noToken
  return heldToken(readAccessKeys(env.HOOKLINE_KEYS ?? ''), undefined)
}
