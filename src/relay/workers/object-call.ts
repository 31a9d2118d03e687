import { isObject } from '../../wire/json.ts'

export interface ObjectRequest {
  readonly method: string
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** The binding `RELAY`: https://developers.cloudflare.com/durable-objects/api/namespace/ */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): {
    fetch(url: string, init: ObjectRequest & { signal?: AbortSignal }): Promise<Response>
  }
}

/**
 * A store that is in a Durable Object, as others call it. All its methods return promises; arguments and
 * results are JSON.
 *
 * @param ask sends the body of a `POST` to the object, which answers it by `answerObjectCall`
 * @param own methods that are called in another way, because their arguments or results are no JSON
 */
export function storeInObject<Store extends object>(
  ask: (body: string) => Promise<Response>,
  own: Partial<Store> = {},
): Store {
  const call =
    (method: string | symbol) =>
    async (...given: readonly unknown[]) => {
      const response = await ask(JSON.stringify({ method, given }))
      // JSON leaves out `undefined`.
      const { result } = (await response.json()) as { result?: unknown }
      return result
    }
  // A promise may resolve with the store, which is no promise itself.
  const get = (_: object, method: string | symbol) => {
    if (method === 'then') return undefined
    return Object.hasOwn(own, method) ? Reflect.get(own, method) : call(method)
  }
  // The object has a store of the same type.
  return new Proxy({}, { get }) as Store
}

/**
 * Runs in the object: the response to a call.
 *
 * @throws TypeError for anything but a call that `storeInObject` made
 */
export async function answerObjectCall<Store extends object>(
  store: Store,
  body: unknown,
): Promise<Response> {
  const { method, given } = isObject(body) ? body : {}
  if (typeof method !== 'string' || !Array.isArray(given)) throw new TypeError('no call')
  const run: unknown = Reflect.get(store, method)
  if (typeof run !== 'function') throw new TypeError(`the object has no method ${method}`)
  return Response.json({ result: await run.apply(store, given) })
}
