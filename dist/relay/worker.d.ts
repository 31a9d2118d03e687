/** Settings and secrets of the worker; docs/reference/environment.md lists their names. */
export interface Environment {
  readonly [name: string]: unknown
}

/** The relay as a module worker: `export { default, Outbox } from 'hookline/worker'`. */
declare const worker: {
  fetch(request: Request, env: Environment): Promise<Response>
}

export default worker

/** The Durable Object of the binding `OUTBOX`; docs/host/workers.md describes how to enable it. */
export declare class Outbox {
  constructor(state: object, env: Environment)
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}
