import { UserError } from '../protocol/errors.ts'
import type { GitHubApi, GitHubReply } from '../state/github-api.ts'

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

/** @throws UserError when no answer came; the client's message is not shown, it may hold the URL */
function refusal(error: unknown): GitHubReply {
  if (!hasStatus(error)) throw noAnswer(error)
  const data = error.response?.data
  const message = typeof data === 'object' && data !== null && 'message' in data && data.message
  return { status: error.status, data, message: typeof message === 'string' ? message : '' }
}

interface RequestError extends Error {
  readonly status: number
  readonly response?: { readonly data: unknown }
}

function hasStatus(error: unknown): error is RequestError {
  if (!(error instanceof Error) || !('status' in error)) return false
  return typeof error.status === 'number' && 'response' in error && error.response !== undefined
}

function noAnswer(cause: unknown): UserError {
  return new UserError({ message: 'GitHub gave no answer about the state' }, { cause })
}
