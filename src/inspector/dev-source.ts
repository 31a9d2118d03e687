import type { RelayRequest, RelayResponse } from '../wire/http.ts'
import type { ShownRequest, Welcome } from './api.ts'
import { type Cause, type Recorder, readOrder, replayRequest } from './recorder.ts'
import {
  type InspectorAnswer,
  type InspectorSource,
  inspectorJson,
  inspectorText,
  listChanged,
} from './server.ts'

/** The parts of `hookline dev`: its recorded events, and the means to send a request to itself. */
interface DevParts {
  readonly recorder: Recorder
  readonly files: ReadonlyMap<string, string>
  readonly key: string
  /** Workflows as they are now, with addresses below `base`. */
  welcome(base: string): Welcome
  /** An example request of a sender with a new id and the current time, without a path. */
  /**
   * Signs the request as its sender would; returns it unchanged if nothing is signed.
   *
   * @throws UserError if the request cannot be signed
   */
  sign(request: ShownRequest): Promise<ShownRequest>
  /** Headers by which the trigger at a path authenticates its sender, in lower case. */
  secretHeadersAt(path: string): readonly string[]
  /** Sends a request to this server. */
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
