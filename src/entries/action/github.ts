import type { GitHubApi, GitHubReply } from '../../state/branch.ts'
import { UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'

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
