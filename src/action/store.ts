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
import { GRAPHQL } from '../state/branch-api.ts'
import { openState, type StateChoice } from '../state/index.ts'
import type { Files, GitHubApi, GitHubReply, KnownTexts } from '../state/place.ts'
import { createStore, type StateStore } from '../state/store.ts'
import { errorCode, UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { http } from './http.ts'

interface StoreInputs {
  readonly state: StateChoice
  readonly githubToken: string
}

/** The store that the input `state` names; `undefined` for none. */
export async function chosenStore(
  { state, githubToken }: StoreInputs,
  folder: string,
): Promise<StateStore | undefined> {
  const backend = await openState(state, {
    sleep: (duration) => sleep(duration),
    random: Math.random,
    now: Date.now,
    repository: process.env.GITHUB_REPOSITORY ?? '',
    files: stateFiles(folder),
    github: githubApi(githubToken),
    http,
    known: knownTexts(process.env.RUNNER_TEMP),
  })
  return backend && createStore(backend)
}

/** A call by itself may take so many milliseconds. */
const CALL_LIMIT = 10_000

/** GitHub for the repository of the run, by its own client, which is loaded with the first call. */
export function githubApi(token: string, limit = CALL_LIMIT): GitHubApi {
  let client: Promise<Client> | undefined
  return async (route, parameters) => {
    client ??= connect(token)
    const { request, owner, repo } = await client
    const signal = AbortSignal.timeout(limit)
    try {
      const own = route === GRAPHQL ? { baseUrl: graphqlBase() } : { owner, repo }
      const reply = await request(route, { ...own, ...parameters, request: { signal } })
      return { status: reply.status, data: reply.data, message: '', ...told(reply.headers) }
    } catch (error) {
      // The client's own message is not told: it may hold the address of a proxy.
      if (!hasResponse(error)) {
        const message = signal.aborted ? `no answer in ${limit / 1_000} s` : 'no answer'
        return { status: 0, data: undefined, message }
      }
      const { data, headers } = error.response
      const said = isObject(data) ? data.message : undefined
      const message = typeof said === 'string' ? said : ''
      return { status: error.status, data, message, ...told(headers) }
    }
  }
}

/** On GitHub Enterprise Server the GraphQL API stands beside the version of the REST API. */
function graphqlBase(): string {
  return apiUrl().replace(/\/v3\/?$/, '')
}

function apiUrl(): string {
  return process.env.GITHUB_API_URL ?? 'https://api.github.com'
}

type Headers = Readonly<Record<string, unknown>>

interface Client {
  readonly request: (
    route: string,
    parameters: Record<string, unknown>,
  ) => Promise<{ readonly status: number; readonly data: unknown; readonly headers: Headers }>
  readonly owner: string
  readonly repo: string
}

async function connect(token: string): Promise<Client> {
  if (token === '') {
    throw new UserError({ message: 'input "github-token" is empty, but state is on a branch' })
  }
  const [owner = '', repo = ''] = (process.env.GITHUB_REPOSITORY ?? '').split('/')
  const { getOctokit } = await import('@actions/github')
  const { request } = getOctokit(token, { baseUrl: apiUrl() })
  return { request, owner, repo }
}

/** What headers of an answer tell of time and of limits. */
function told(headers: Headers | undefined): Partial<GitHubReply> {
  const number = (name: string) => {
    const value = Number(headers?.[name] ?? Number.NaN)
    return Number.isFinite(value) ? value : undefined
  }
  const date = Date.parse(String(headers?.date))
  const [resetAt, retryAfter] = [number('x-ratelimit-reset'), number('retry-after')]
  return {
    date: Number.isNaN(date) ? undefined : date,
    remaining: number('x-ratelimit-remaining'),
    resetAt: resetAt && resetAt * 1_000,
    retryAfter: retryAfter && retryAfter * 1_000,
  }
}

interface RequestError {
  readonly status: number
  readonly response: { readonly data: unknown; readonly headers?: Headers }
}

/** The client's error for an answer that is no success. */
function hasResponse(error: unknown): error is RequestError {
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
      // Without it GitHub is asked once more, and that is all.
      if (folder) await writeFile(placeOf(name), text, { mode: 0o600 }).catch(() => {})
    },
  }
}

/** Files of this machine; relative paths begin at `folder`. */
export function stateFiles(folder: string): Files {
  const resolve = (path: string) => (isAbsolute(path) ? path : join(folder, path))

  /** Does something with a file, where one that is not there is no fault. */
  async function ifThere<Result>(path: string, work: (file: string) => Promise<Result>) {
    try {
      return await work(resolve(path))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined
      throw unusable(path, error)
    }
  }

  /** Writes a file that is not there yet, in a folder that may have to be made. */
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
        throw unusable(path, error)
      }
    },

    async write(path, text) {
      try {
        await writeNew(path, text, true)
      } catch (error) {
        throw unusable(path, error)
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
        // Whoever took the lock over meanwhile sees to it himself.
        utimes(resolve(path), now, now).catch(() => {})
      }
      const timer = setInterval(renew, every)
      timer.unref()
      return () => clearInterval(timer)
    },

    unique: () => randomUUID(),
  }
}

function unusable(path: string, cause: unknown): UserError {
  const code = errorCode(cause) ?? 'unknown fault'
  return new UserError({ message: `${path} cannot be used as state (${code})` }, { cause })
}
