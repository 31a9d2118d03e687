/** What the outbox uses of https://nodejs.org/api/sqlite.html, which Node 20 and its types have not. */
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string, options?: { readonly timeout?: number })
    exec(statements: string): void
    prepare(statement: string): StatementSync
    close(): void
  }
  export interface StatementSync {
    all(...values: readonly (string | number | null)[]): unknown[]
    get(...values: readonly (string | number | null)[]): object | undefined
  }
}
