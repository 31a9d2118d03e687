/** Settings and secrets of the worker; docs/reference/environment.md lists their names. */
export interface Environment {
  readonly [name: string]: unknown
}

/** The relay as a module worker: `export { default, RelayObject } from 'hookline/worker'`. */
declare const worker: {
  fetch(request: Request, env: Environment): Promise<Response>
}

export default worker

/** The Durable Object of the binding `RELAY`; docs/host/workers.md describes it. */
export declare class RelayObject {
  constructor(state: object, env: Environment)
  fetch(request: Request): Promise<Response>
  alarm(): Promise<void>
}
