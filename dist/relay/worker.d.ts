/** Settings and secrets of the worker, by the names that docs/relay.md lists. */
export interface Environment {
  readonly [name: string]: unknown
}

/** The relay as a module worker: `export { default } from 'hookline/worker'`. */
declare const worker: {
  fetch(request: Request, env: Environment): Promise<Response>
}

export default worker
