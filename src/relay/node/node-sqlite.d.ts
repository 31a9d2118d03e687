/** The parts of https://nodejs.org/api/sqlite.html that the relay uses; the types of Node 20 lack them. */
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string, options?: { readonly timeout?: number })
    exec(statements: string): void
    prepare(statement: string): StatementSync
    close(): void
  }
  /** Since Node 22.16. */
  export const backup:
    | ((source: DatabaseSync, path: string, options: { readonly rate: number }) => Promise<number>)
    | undefined
  export interface StatementSync {
    all(...values: readonly (string | number | null | Uint8Array)[]): unknown[]
    get(...values: readonly (string | number | null | Uint8Array)[]): object | undefined
  }
}
