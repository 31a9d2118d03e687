import initSqlJs from 'sql.js'
import type { SqlRow } from '../../src/relay/store/database.ts'
import type { ObjectStorage } from '../../src/relay/workers/object-database.ts'

/** The storage of a Durable Object in memory, with the time of its alarm. */
export async function objectStorage(): Promise<ObjectStorage> {
  const { Database } = await initSqlJs()
  const sqlite = new Database()
  let alarm: number | null = null
  return {
    sql: {
      exec: (text, ...values) => {
        const statement = sqlite.prepare(text)
        statement.bind(values as (string | number | null)[])
        const rows: SqlRow[] = []
        while (statement.step()) rows.push(statement.getAsObject())
        statement.reset()
        return { toArray: () => rows }
      },
    },
    transactionSync: (change) => change(),
    getAlarm: async () => alarm,
    setAlarm: async (time) => {
      alarm = time
    },
    deleteAlarm: async () => {
      alarm = null
    },
  }
}
