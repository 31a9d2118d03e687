import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { CHECKS, selfTest } from '../../scripts/self-test.js'
import { ACT, type ActRun, runAct } from '../support/act.ts'
import { bundle } from '../support/build.ts'
import { githubAnswers } from '../support/contents-api.ts'
import { memoryRepository } from '../support/repositories.ts'

/**
 * The self-test against a stand-in for GitHub whose runs are real: act runs self-test-listen with the
 * built action, and the state branch is in memory. What act cannot show is listed at the end.
 */
const ROOT = new URL('../../', import.meta.url)
const LISTENER = '.github/workflows/self-test-listen.yml'
const BRANCH = 'self-test'
const GENEROUS = 600_000

/** act evaluates `if` first (StepsRunner.cs of GitHub's runner: `env` first). */
const ONLY_ON_GITHUB = ['the runner evaluates `env` before `if`']

interface Request {
  readonly headers: Readonly<Record<string, string>>
}

interface Run {
  readonly title: string
  readonly ended: Promise<ActRun>
  result?: ActRun
}

let close: (() => void) | undefined
afterEach(() => close?.())

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/** The files that the listener needs: its own, the action, and its built code. */
function files(): Record<string, string> {
  const { listener, action } = { listener: read(LISTENER), action: read('action.yml') }
  return {
    // act does not know `queue`, and runs nothing concurrently, so a run need not last.
    [LISTENER]: listener.replace(/^ *queue: max\n/m, '').replace('run: sleep 15', 'run: true'),
    'action.yml': action,
    ...Object.fromEntries(
      ['index', 'post'].map((name) => [
        `dist/action/${name}.js`,
        readFileSync(bundle(`action/${name}.js`), 'utf8'),
      ]),
    ),
    'dist/package.json': '{"type":"commonjs"}',
  }
}

/** Starts the stand-in. @returns its address */
async function startGitHub(): Promise<string> {
  const repository = memoryRepository()
  const asGitHub = githubAnswers(repository)
  const runs: Run[] = []
  let url = ''
  const start = (name: string, payload: object, { headers }: Request) => {
    const id = runs.length + 1
    const env = { GITHUB_API_URL: url, GITHUB_RUN_ID: String(id), GITHUB_REPOSITORY: 'octo/repo' }
    const event = { name, payload, env, secrets: { GITHUB_TOKEN: 'token-of-this-test' } }
    const actions = Object.fromEntries([[checkout(), NOTHING]])
    const run: Run = {
      title: `self-test-listen ${headers['x-hookline-delivery']}`,
      ended: runAct(files(), event, { actions }),
    }
    runs.push(run)
    void run.ended.then((result) => {
      run.result = result
    })
    return id
  }
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace('/repos/octo/repo', '')
    const sent = request.method === 'GET' ? {} : ((await json(request)) as Sent) // our own calls
    const answer = (status: number, body?: unknown) =>
      response
        .writeHead(status, { date: new Date().toUTCString() })
        .end(body === undefined ? undefined : JSON.stringify(body))
    if (path === '/dispatches') {
      const { event_type: action, client_payload: payload } = sent
      if (payload) start('repository_dispatch', { action, client_payload: payload }, payload)
      return answer(204)
    }
    if (path.endsWith('/self-test-listen.yml/dispatches')) {
      const { inputs } = sent
      const id = start('workflow_dispatch', { inputs }, JSON.parse(inputs?.hookline ?? ''))
      return answer(200, { workflow_run_id: id })
    }
    const [, id, jobs] = /^\/actions\/runs\/(\d+)(\/jobs)?$/.exec(path) ?? []
    const run = runs[Number(id) - 1]
    if (run) {
      await run.ended
      return answer(200, jobs ? { jobs: jobsOf(run) } : { id: Number(id), ...stateOf(run) })
    }
    if (path.startsWith('/actions/runs?')) {
      const listed = runs.map((each, n) => ({
        ...{ id: n + 1, display_title: each.title, event: 'repository_dispatch', path: LISTENER },
        ...{ created_at: new Date().toISOString(), html_url: `${url}/actions/runs/${n + 1}` },
        ...stateOf(each),
      }))
      return answer(200, { workflow_runs: listed.toReversed() })
    }
    if (path === '/graphql' && sent.query?.includes('parents(first: 1)')) {
      return answer(200, { data: { repository: { ref: { target: target(sent.variables) } } } })
    }
    const { status, body } = asGitHub({
      ...{ method: request.method ?? '', path: request.url ?? '', body: { ...sent } },
    })
    return answer(status, body)
  })

  /** The commit that the query of the self-test asks for. */
  function target({ folder }: { folder?: string } = {}) {
    const head = repository.head(BRANCH)
    if (head === undefined) return null
    const paths = [...repository.files(head).keys()]
    const names = [...new Set(paths.map((path) => path.split('/')[0] ?? ''))]
    const entries = names.map((name) => ({ name, type: paths.includes(name) ? 'blob' : 'tree' }))
    const inside = paths.filter((path) => path.startsWith(`${folder}/`)).map((name) => ({ name }))
    const nodes = repository.parents(head).map((oid) => ({ oid }))
    return { tree: { entries }, parents: { nodes }, file: { object: { entries: inside } } }
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  url = `http://127.0.0.1:${port}`
  return url
}

/** The fields of the self-test's calls. */
interface Sent {
  readonly event_type?: string
  readonly client_payload?: Request
  readonly inputs?: { readonly hookline: string }
  readonly query?: string
  readonly variables?: { readonly folder?: string }
}

function stateOf({ result }: Run) {
  if (!result) return { status: 'in_progress', conclusion: null }
  return { status: 'completed', conclusion: result.exitCode === 0 ? 'success' : 'failure' }
}

function jobsOf({ result }: Run) {
  const jobs = Object.entries(result?.jobs ?? {})
  return jobs.map(([name, conclusion]) => ({ name, conclusion }))
}

const NOTHING = `name: checkout
description: act has the files already
inputs: {persist-credentials: {description: unused}}
runs: {using: composite, steps: [{run: 'true', shell: sh}]}
`

function checkout(): string {
  return /uses: (actions\/checkout@\S+)/.exec(read(LISTENER))?.[1] ?? ''
}

;(ACT ? test : test.skip)(
  'on act, the self-test finds what the code assumes, but for what only GitHub can show',
  async () => {
    const lines: string[] = []
    const options = {
      token: 't',
      repository: 'octo/repo',
      ref: 'main',
      apiUrl: await startGitHub(),
    }
    await selfTest({ ...options, sleep: pause }, (line) => {
      lines.push(line)
    })
    const isOnly = (line: string) => ONLY_ON_GITHUB.some((name) => line.includes(name))
    expect(lines.filter((line) => !isOnly(line) && !line.startsWith('as assumed: '))).toEqual([])
    expect(lines).toHaveLength(Object.keys(CHECKS).length)
  },
  GENEROUS,
)

/** Between two questions of the self-test to GitHub, which asks until a run has ended. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1000))
}
