import { type ActionResult, type ActionRun, dispatchEvent, runInShared } from '../support/action.ts'

/** A request in the relay's `client_payload`; by default an empty POST to `hook/webhook`. */
export interface Sent {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | null
}

export function payload({ path = 'hook/webhook', method = 'POST', headers = {}, body }: Sent = {}) {
  return { path, method, headers, body: body ?? null }
}

/** Runs the action with an inline `on:` on a request that came through a relay. */
export function fire(on: string, sent: Sent = {}, run: Partial<ActionRun> = {}) {
  return runInShared({ ...dispatchEvent(payload(sent)), inputs: { on }, ...run })
}

/** The only item of a run: the outputs of the trigger's context. */
export function itemOf({ outputs, stdout }: ActionResult) {
  if (outputs.triggered !== 'true') throw new Error(`nothing fired: ${stdout}`)
  const [context] = JSON.parse(outputs.items ?? '')
  const [trigger] = Object.keys(context)
  return context[trigger ?? ''].outputs
}

/** A `multipart/form-data` body and its headers. */
export function multipart(parts: readonly string[]): Required<Pick<Sent, 'headers' | 'body'>> {
  const body = [...parts.map((part) => `--frontier\r\n${part}\r\n`), '--frontier--\r\n'].join('')
  return { headers: { 'content-type': 'multipart/form-data; boundary=frontier' }, body }
}
