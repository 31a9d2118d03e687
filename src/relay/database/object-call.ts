import { isObject } from '../../wire/json.ts'

interface ObjectStub {
  fetch(
    url: string,
    init: { method: string; body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Response>
}

/** The binding `OUTBOX`: https://developers.cloudflare.com/durable-objects/api/namespace/ */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): ObjectStub
}

/** Sends a request to one object. @throws Error if the object cannot be reached, or failed */
export async function askObject(
  namespace: ObjectNamespace,
  object: string,
  path: string,
  init: Parameters<ObjectStub['fetch']>[1],
): Promise<Response> {
  const stub = namespace.get(namespace.idFromName(object))
  const response = await stub.fetch(`https://outbox${path}`, init)
  if (!response.ok) throw new Error(`the outbox responded with status ${response.status}`)
  return response
}

/** The methods of a store that other objects can call; all return promises. */
export type CalledMethods<Store> = Readonly<Record<keyof Store & string, true>>

/**
 * A store that is in an object, as others call it. Arguments and results are JSON.
 *
 * @param ask sends the body of a `POST` to the object
 */
export function storeInObject<Store>(
  methods: CalledMethods<Store>,
  ask: (body: string) => Promise<Response>,
): Store {
  const calls = Object.keys(methods).map((method) => {
    const call = async (...given: readonly unknown[]) => {
      const response = await ask(JSON.stringify({ method, given }))
      // JSON leaves out `undefined`.
      const { result } = (await response.json()) as { result?: unknown }
      return result
    }
    return [method, call] as const
  })
  // `answerObjectCall` runs the method with this name.
  return Object.fromEntries(calls) as Store
}

/** A call that `storeInObject` made. */
export interface ObjectCall<Store> {
  readonly method: keyof Store & string
  readonly given: readonly unknown[]
}

/** @throws TypeError for anything but a call of one of the methods */
export function readObjectCall<Store>(
  methods: CalledMethods<Store>,
  body: unknown,
): ObjectCall<Store> {
  const { method, given } = isObject(body) ? body : {}
  if (!isMethod(methods, method) || !Array.isArray(given)) throw new TypeError('no such call')
  return { method, given }
}

function isMethod<Store>(
  methods: CalledMethods<Store>,
  name: unknown,
): name is keyof Store & string {
  return typeof name === 'string' && Object.hasOwn(methods, name)
}

/** Runs in the object: the response to a call. */
export async function answerObjectCall<Store>(
  store: Store,
  { method, given }: ObjectCall<Store>,
): Promise<Response> {
  // `storeInObject` gave the method its arguments.
  const run = store[method] as (...given: unknown[]) => Promise<unknown>
  return Response.json({ result: await run.apply(store, [...given]) })
}
