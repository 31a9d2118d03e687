import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { NODE24 } from './node24.ts'

const SCRIPT = `
const { DatabaseSync } = require('node:sqlite')
const [, file, statements] = process.argv
const database = new DatabaseSync(file)
const rows = database.prepare("SELECT name FROM sqlite_master WHERE name = 'event'").all()
if (rows.length > 0 && database.prepare('SELECT 1 FROM event').all().length > 0) {
  database.exec(statements)
  console.log('changed')
}
database.close()`

/** Runs statements on a file that holds events, by SQLite itself. @returns 0 where it holds none, else 1 */
export async function sqliteIn(file: string, statements: string): Promise<number> {
  const given = ['--disable-warning=ExperimentalWarning', '-e', SCRIPT, file, statements]
  const { stdout } = await promisify(execFile)(NODE24 ?? '', given)
  return stdout.trim() === 'changed' ? 1 : 0
}
