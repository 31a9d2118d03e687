import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { builtModules } from './build.ts'
import { NODE24 } from './node24.ts'

type Environment = Readonly<Record<string, string>>

/** Runs statements, or one SELECT, on a file by SQLite itself. @returns the rows of a SELECT */
export async function sqlite(file: string, statements: string): Promise<readonly unknown[]> {
  const printed = await scripted(SQL, [file, statements])
  return printed === '' ? [] : JSON.parse(printed)
}

const SQL = `
  import { DatabaseSync } from 'node:sqlite'
  const [, file, statements] = process.argv
  // Another process may have the file locked for a moment.
  const database = new DatabaseSync(file, { timeout: 10_000 })
  if (!statements.startsWith('SELECT')) database.exec(statements)
  else console.log(JSON.stringify(database.prepare(statements).all()))
  database.close()`

/**
 * Opens the database as the relay does, and closes it.
 *
 * @returns the error, or the signal that ended the process; empty without one
 */
export async function opened(file: string, env: Environment = {}): Promise<string> {
  const module = join(await builtModules(), 'relay/node/sqlite.js')
  const script = `
    import { openDatabaseFile } from ${JSON.stringify(module)}
    await (await openDatabaseFile(process.argv[1])).close()`
  return scripted(script, [file], env).catch(({ signal, stderr }) => signal ?? stderr)
}

async function scripted(script: string, args: readonly string[], env: Environment = {}) {
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(NODE24 ?? '', [...options, ...args], { env })
  return stdout.trim()
}
