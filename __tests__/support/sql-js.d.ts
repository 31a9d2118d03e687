/** The parts of https://sql.js.org that the tests use. */
declare module 'sql.js' {
  interface Statement {
    bind(values: readonly (string | number | null | Uint8Array)[]): boolean
    step(): boolean
    getAsObject(): Record<string, unknown>
    reset(): void
  }
  interface SqlJsDatabase {
    run(statements: string): void
    prepare(statement: string): Statement
  }
  // biome-ignore lint/style/noDefaultExport: the package has only a default export
  export default function initSqlJs(): Promise<{ Database: new () => SqlJsDatabase }>
}
