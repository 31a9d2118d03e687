import type { RelayRequest } from '../../relay/relay.ts'
import type { Reply } from '../../wire/reply.ts'
import { sameText } from '../../wire/secret.ts'
import { type Visitor, whyNotAdmitted } from './admission.ts'
import type { Recorder } from './recorder.ts'
import { readOrder, replayRequest } from './replay.ts'
import type { Welcome } from './wire.ts'

export interface InspectorParts {
  readonly recorder: Recorder
  /** Files of the page, by name. */
  readonly files: ReadonlyMap<string, string>
  /** Of this run: another run has another one, and numbers its events anew. */
  readonly run: string
  /** What a replay has to bring; only the page of this run knows it. */
  readonly key: string
  /** Workflows as they are now, with addresses below `base`. */
  welcome(base: string): Welcome
  /** Sends a request once more. */
  replay(request: RelayRequest): Promise<Reply>
}

export interface Visit extends Visitor {
  readonly method: string
  /** Without its query. */
  readonly path: string
  /** @throws RangeError when it is larger than any order */
  body(): Promise<string>
}

/** An answer, or the stream of events after one that the page has seen. */
export type InspectorAnswer =
  | { readonly reply: Reply | Answer }
  | { readonly eventsAfter: number; readonly headers: Readonly<Record<string, string>> }

interface Answer extends Omit<Reply, 'body'> {
  readonly body: string | Uint8Array
}

const FOLDER = '/inspector/'

/** True for the addresses that are the inspector's own. */
export function isInspectors(path: string): boolean {
  return path === '/' || path.startsWith(FOLDER)
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text can become HTML: a browser refuses innerHTML and the like.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const EVERY_ANSWER = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

/** Answers one request to the inspector. */
export async function inspect(visit: Visit, parts: InspectorParts): Promise<InspectorAnswer> {
  const refusal = whyNotAdmitted(visit)
  if (refusal) return text(403, `Not for you: the inspector of hookline dev is closed, ${refusal}.`)
  const [resource = '', id = ''] = visit.path.slice(FOLDER.length).split('/')
  if (resource === 'replay') return replayed(visit, parts)
  if (visit.method !== 'GET' && visit.method !== 'HEAD') return text(405, 'GET only')
  if (resource === 'run') return json(run(visit, parts))
  if (resource === 'events') return events(visit, parts)
  if (resource === 'requests') return detail(Number(id), parts)
  return file(resource || 'index.html', parts)
}

function file(name: string, { files }: InspectorParts): InspectorAnswer {
  const found = files.get(name)
  const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1))
  return found === undefined || !type ? text(404, 'no such page') : answer(200, type, found)
}

function run({ headers }: Visit, { run, key, welcome }: InspectorParts): object {
  // The host was checked: it is this machine's, with the port that the visitor sees.
  return { run, key, ...welcome(`http://${headers.host}`) }
}

function detail(id: number, { recorder }: InspectorParts): InspectorAnswer {
  const kept = recorder.find(id)
  return kept ? answer(200, 'application/json', kept.json) : text(404, 'no longer kept')
}

/** A browser that lost the connection says which event it saw last: `<run>-<id>`. */
function events({ headers }: Visit, { run }: InspectorParts): InspectorAnswer {
  const [, seenRun, id] = /^(.+)-(\d+)$/.exec(String(headers['last-event-id'] ?? '')) ?? []
  const streaming = { ...EVERY_ANSWER, 'content-type': 'text/event-stream; charset=utf-8' }
  return { eventsAfter: seenRun === run ? Number(id) : 0, headers: streaming }
}

async function replayed(visit: Visit, parts: InspectorParts): Promise<InspectorAnswer> {
  if (visit.method !== 'POST') return text(405, 'POST only')
  const key = String(visit.headers['x-hookline-key'] ?? '')
  if (!(await sameText(key, parts.key))) return text(403, 'the key of this run is missing')
  const order = readOrder(await visit.body())
  if (!order) return text(400, 'not a request that can be sent')
  const withheld = parts.recorder.find(order.of)?.withheld ?? {}
  const { status, headers, body } = await parts.replay(replayRequest(order, withheld))
  return json({ status, delivery: headers['x-hookline-delivery'] ?? '', body })
}

function text(status: number, body: string): InspectorAnswer {
  return answer(status, 'text/plain; charset=utf-8', `${body}\n`)
}

function json(value: object): InspectorAnswer {
  return answer(200, 'application/json', JSON.stringify(value))
}

function answer(status: number, type: string, body: string | Uint8Array): InspectorAnswer {
  return { reply: { status, headers: { ...EVERY_ANSWER, 'content-type': type }, body } }
}
