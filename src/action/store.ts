import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { branchBackend, type GitHubApi, type GitHubReply, withRetries } from '../state/branch.ts'
import { type Files, fileBackend } from '../state/file.ts'
import { createStore, type StateStore } from '../state/index.ts'
import { UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import type { Inputs } from './inputs.ts'

/** The store that the input `state` names. */
export function chosenStore(
  { state, githubToken }: Inputs,
  folder: string,
): StateStore | undefined {
  if (state.kind === 'none') return undefined
  const ports = { sleep: (duration: number) => sleep(duration), random: Math.random }
  if (state.kind === 'branch') {
    return createStore(branchBackend(state.name, withRetries(githubApi(githubToken), ports), ports))
  }
  const path = isAbsolute(state.path) ? state.path : join(folder, state.path)
  return createStore(fileBackend(path, state.path, stateFiles, ports))
}

/** GitHub for the repository of the run, by its own client, which is loaded with the first call. */
export function githubApi(token: string): GitHubApi {
  let client: Promise<Client> | undefined
  return async (route, parameters) => {
    client ??= connect(token)
    const { request, owner, repo } = await client
    try {
      const { status, data } = await request(route, { owner, repo, ...parameters })
      return { status, data, message: '' }
    } catch (error) {
      return refusal(error)
    }
  }
}

interface Client {
  readonly request: (
    route: string,
    parameters: Record<string, unknown>,
  ) => Promise<{ readonly status: number; readonly data: unknown }>
  readonly owner: string
  readonly repo: string
}

async function connect(token: string): Promise<Client> {
  if (token === '') {
    throw new UserError({ message: 'input "github-token" is empty, but state is on a branch' })
  }
  const [owner = '', repo = ''] = (process.env.GITHUB_REPOSITORY ?? '').split('/')
  const { getOctokit } = await import('@actions/github')
  const baseUrl = process.env.GITHUB_API_URL ?? 'https://api.github.com'
  const { request } = getOctokit(token, { baseUrl })
  return { request, owner, repo }
}

function refusal(error: unknown): GitHubReply {
  // The client's own message is not told: it may hold the address of a proxy.
  if (!hasResponse(error)) return { status: 0, data: undefined, message: 'no answer' }
  const { data } = error.response
  const message = isObject(data) ? data.message : undefined
  return { status: error.status, data, message: typeof message === 'string' ? message : '' }
}

interface RequestError {
  readonly status: number
  readonly response: { readonly data: unknown }
}

/** The client's error for an answer that is no success. */
function hasResponse(error: unknown): error is RequestError {
  return isObject(error) && typeof error.status === 'number' && isObject(error.response)
}

/** Files of this machine. A new text is written beside its place first, then put there at once. */
export const stateFiles: Files = {
  async read(path) {
    try {
      return await readFile(path, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw unusable(path, error)
    }
  },

  async create(path, text) {
    return beside(path, text, async (written) => {
      try {
        await link(written, path)
        return true
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false
        throw error
      }
    })
  },

  async replace(path, text) {
    await beside(path, text, (written) => rename(written, path))
  },

  async remove(path) {
    await rm(path, { force: true })
  },

  owner: () => `${hostname()} ${process.pid} ${randomUUID()}`,

  isGone(owner) {
    const [host, pid] = owner.split(' ')
    return host === hostname() && !isRunning(Number(pid))
  },
}

async function beside<Result>(
  path: string,
  text: string,
  place: (written: string) => Promise<Result>,
): Promise<Result> {
  const written = `${path}.${randomUUID()}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(written, text)
    return await place(written)
  } catch (error) {
    throw unusable(path, error)
  } finally {
    await rm(written, { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

function unusable(path: string, cause: unknown): UserError {
  return new UserError({ message: `${path} cannot be used as state (${codeOf(cause)})` }, { cause })
}

function codeOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode ? String(error.code) : 'unknown fault'
}
