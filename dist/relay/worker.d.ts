/** Settings and secrets of the worker, by the names that docs/host/relay.md lists. */
export interface Environment {
  readonly [name: string]: unknown
}

/** The relay as a module worker: `export { default, Outbox } from 'hookline/worker'`. */
declare const worker: {
  fetch(request: Request, env: Environment): Promise<Response>
}

export default worker

/** The Durable Object behind the binding `OUTBOX`: docs/host/relay.md says how it is switched on. */
export declare class Outbox {
  constructor(state: object, env: Environment)
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}
