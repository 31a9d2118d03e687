import { createHash, randomUUID } from 'node:crypto'
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openState, type StateChoice } from '../state/index.ts'
import type { Files, GitHubPort, KnownTexts } from '../state/place.ts'
import { createStore, type StateStore } from '../state/store.ts'
import { errorCode, UserError } from '../wire/errors.ts'
import { GitHubCallError, type GitHubResponse } from '../wire/github-api.ts'
import { isObject } from '../wire/json.ts'

/** The store of the input `state`; `undefined` for `none`. */
export async function chosenStore(
  { state, githubToken }: { readonly state: StateChoice; readonly githubToken: string },
  folder: string,
): Promise<StateStore | undefined> {
  const backend = await openState(state, {
    sleep: (duration) => sleep(duration),
    random: Math.random,
    now: Date.now,
    repository: process.env.GITHUB_REPOSITORY ?? '',
    files: stateFiles(folder),
    github: githubPort(githubToken),
    known: knownTexts(process.env.RUNNER_TEMP),
  })
  return backend && createStore(backend)
}

/** Milliseconds for one call. */
const CALL_LIMIT = 10_000

/** GitHub through its own client, which is loaded with the first call. */
export function githubPort(token: string, limit = CALL_LIMIT): GitHubPort {
  let client: Promise<Client> | undefined
  const apiUrl = new URL(process.env.GITHUB_API_URL ?? 'https://api.github.com')
  return {
    apiUrl,
    async call({ method = 'POST', path, headers, body, timeout }) {
      client ??= connectClient(token)
      const request = await client
      const signal = AbortSignal.timeout(Math.min(limit, timeout))
      try {
        const reply = await request(`${method} ${apiUrl.origin}${path}`, {
          // A cached response may be a minute old.
          headers: { ...headers, 'if-none-match': '' },
          ...(body !== undefined && { data: body }),
          request: { signal, redirect: 'manual' },
        })
        return githubResponse(reply)
      } catch (error) {
        if (hasResponse(error)) return githubResponse({ ...error.response, status: error.status })
        // The client's own message is not shown, because it may contain the address of a proxy.
        const message = signal.aborted ? `no answer in ${limit / 1_000} s` : 'no answer'
        throw new GitHubCallError(message, { sent: true, cause: error })
      }
    },
  }
}

interface ClientReply {
  readonly status: number
  readonly data: unknown
  readonly headers?: Readonly<Record<string, unknown>>
}

type Client = (route: string, parameters: Record<string, unknown>) => Promise<ClientReply>

async function connectClient(token: string): Promise<Client> {
  if (token === '') {
    throw new UserError({ message: 'input "github-token" is empty, but state is on a branch' })
  }
  const { getOctokit } = await import('@actions/github')
  return getOctokit(token).request
}

function githubResponse({ status, data, headers }: ClientReply): GitHubResponse {
  return {
    status,
    header(name) {
      const value = headers?.[name]
      return value === undefined ? undefined : String(value)
    },
    text: typeof data === 'string' ? data : (JSON.stringify(data) ?? ''),
  }
}

/** Whether the client threw because of a response that is no success. */
function hasResponse(
  error: unknown,
): error is { readonly status: number; readonly response: Omit<ClientReply, 'status'> } {
  return isObject(error) && typeof error.status === 'number' && isObject(error.response)
}

/** Texts in the folder that the runner empties with every job; without such a folder, none. */
function knownTexts(folder: string | undefined): KnownTexts {
  const placeOf = (name: string) => {
    const hash = createHash('sha256').update(`${process.env.GITHUB_REPOSITORY} ${name}`)
    return join(folder ?? '', `hookline-${hash.digest('hex')}.json`)
  }
  return {
    read: async (name) =>
      folder ? readFile(placeOf(name), 'utf8').catch(() => undefined) : undefined,
    async write(name, text) {
      // Without the file, GitHub is asked once more.
      if (folder) await writeFile(placeOf(name), text, { mode: 0o600 }).catch(() => {})
    },
  }
}

/** Files of this machine; relative paths begin at `folder`. */
export function stateFiles(folder: string): Files {
  const resolve = (path: string) => (isAbsolute(path) ? path : join(folder, path))

  async function ifThere<Result>(path: string, work: (file: string) => Promise<Result>) {
    try {
      return await work(resolve(path))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw unusableState(path, error)
    }
  }

  async function writeNew(path: string, text: string, sync: boolean): Promise<void> {
    await mkdir(dirname(resolve(path)), { recursive: true })
    const file = await open(resolve(path), 'wx')
    try {
      await file.writeFile(text)
      if (sync) await file.sync()
    } finally {
      await file.close()
    }
  }

  return {
    read: (path) => ifThere(path, (file) => readFile(file, 'utf8')),

    async create(path, text) {
      try {
        await writeNew(path, text, false)
        return true
      } catch (error) {
        if (errorCode(error) === 'EEXIST') return false
        throw unusableState(path, error)
      }
    },

    async write(path, text) {
      try {
        await writeNew(path, text, true)
      } catch (error) {
        throw unusableState(path, error)
      }
    },

    async rename(from, to) {
      const done = await ifThere(from, async (file) => {
        await rename(file, resolve(to))
        return true
      })
      return done === true
    },

    async remove(path) {
      await ifThere(path, (file) => rm(file, { force: true }))
    },

    async suffixes(path) {
      const name = basename(resolve(path))
      const names = (await ifThere(dirname(resolve(path)), (file) => readdir(file))) ?? []
      return names.filter((one) => one.startsWith(name)).map((one) => one.slice(name.length))
    },

    renewedAt: (path) => ifThere(path, async (file) => (await stat(file)).mtimeMs),

    keepRenewing(path, every) {
      const renew = () => {
        const now = new Date()
        // If another process took the lock, that process renews it itself.
        utimes(resolve(path), now, now).catch(() => {})
      }
      const timer = setInterval(renew, every)
      timer.unref()
      return () => clearInterval(timer)
    },

    unique: () => randomUUID(),
  }
}

function unusableState(path: string, cause: unknown): UserError {
  const code = errorCode(cause) ?? 'unknown fault'
  return new UserError({ message: `${path} cannot be used as state (${code})` }, { cause })
}
