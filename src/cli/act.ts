import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { GitHubEvent } from '../wire/payload.ts'
import { readSetting } from '../wire/settings.ts'
import { NATIVE_FOLDER, nativeFile } from './files.ts'
import { environmentFor, isInstalled, PROXY_VARIABLES } from './programs.ts'

interface ActOptions {
  readonly root: string
  /** A `.env` file with secrets and variables. */
  readonly envFile: string | undefined
  /** Receives each line of output, and the result. */
  readonly print: (line: string) => void
}

/** Further variables for a program that uses containers. */
const CONTAINERS = ['DOCKER_*', 'XDG_*', 'ACT_*', ...PROXY_VARIABLES]

/** Runs `act` for events, one run at a time. `act` reads the user's `.actrc`. */
export function actRuns({ root, envFile, print }: ActOptions) {
  const stopping = new AbortController()
  let last = Promise.resolve()
  const run = (workflow: string, event: GitHubEvent) =>
    new Promise<void>((resolve) => {
      if (stopping.signal.aborted) return resolve()
      const file = nativeFile(root, workflow)
      if (file === undefined) {
        print(`act: ${NATIVE_FOLDER}/${workflow}.yml is missing. Run: hookline build`)
        return resolve()
      }
      const folder = mkdtempSync(join(tmpdir(), 'hookline-act-'))
      const end = (words: string) => {
        rmSync(folder, { recursive: true, force: true })
        print(`act: ${words}`)
        resolve()
      }
      // Only the user can read the file, because the event may contain private data.
      const eventFile = join(folder, 'event.json')
      writeFileSync(eventFile, JSON.stringify(event.payload), { mode: 0o600 })
      const values = envFile ? ['--secret-file', envFile, '--var-file', envFile] : []
      const args = [event.name, '--workflows', file, '--eventpath', eventFile, ...values]
      print(`act: runs ${file}`)
      const child = spawn(readSetting(process.env, 'HOOKLINE_ACT'), args, {
        cwd: root,
        env: environmentFor(...CONTAINERS),
        stdio: ['ignore', 'pipe', 'pipe'],
        signal: stopping.signal,
      })
      let failure: string | undefined
      child.on('error', (error: NodeJS.ErrnoException) => {
        failure =
          error.code === 'ENOENT' ? NOT_INSTALLED : 'the program failed to start or was ended'
      })
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => print(`  ${line}`))
      }
      // Node emits "close" after each error, and after the last line of output.
      child.on('close', (code) =>
        end(failure ?? (code === 0 ? 'succeeded' : `failed (exit ${code})`)),
      )
    })
  return {
    /** Why no job can run. */
    missing: isInstalled(readSetting(process.env, 'HOOKLINE_ACT')) ? undefined : NOT_INSTALLED,
    start(workflow: string, event: GitHubEvent): void {
      last = last.then(() => run(workflow, event))
    },
    /** Ends the present run and drops the queued runs. */
    close: () => stopping.abort(),
  }
}

const NOT_INSTALLED =
  'the program "act" is not on the PATH. Install it from https://nektosact.com, or set HOOKLINE_ACT.'
