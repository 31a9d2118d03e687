import initSqlJs from 'sql.js'
import {
  type Database,
  type SqlRow,
  type SqlStatement,
  StorageError,
} from '../../src/relay/store/database.ts'
import { SCHEMA } from '../../src/relay/store/schema.ts'

export interface MemoryDatabase extends Database {
  /** While true, writes fail as on a full disk. */
  isFailing: boolean
  /** Runs statements outside of a transaction. */
  run(statements: string): void
}

/** SQLite in memory with the tables of a relay. */
export async function memoryDatabase(schema: readonly string[] = SCHEMA): Promise<MemoryDatabase> {
  const { Database } = await initSqlJs()
  const sqlite = new Database()
  const statements = new Map<string, ReturnType<typeof sqlite.prepare>>()
  const all = ([text, ...values]: SqlStatement): SqlRow[] => {
    const statement = statements.get(text) ?? sqlite.prepare(text)
    statements.set(text, statement)
    try {
      statement.bind(values)
      const rows: SqlRow[] = []
      while (statement.step()) rows.push(statement.getAsObject())
      return rows
    } finally {
      statement.reset()
    }
  }
  for (const statement of schema) sqlite.run(statement)
  const database: MemoryDatabase = {
    isFailing: false,
    run: (statements) => sqlite.run(statements),
    read: async (...statement) => all(statement),
    write: async (statements) => {
      if (database.isFailing) throw new StorageError('disk full')
      sqlite.run('BEGIN')
      try {
        const rows = statements.flatMap(all)
        sqlite.run('COMMIT')
        return rows
      } catch (cause) {
        sqlite.run('ROLLBACK')
        throw new StorageError('disk fails', { cause })
      }
    },
  }
  return database
}
