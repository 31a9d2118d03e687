import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { CHECKS, selfTest } from '../../scripts/self-test.js'

interface Request {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The fields of the self-test's calls. */
interface Sent {
  readonly query?: string
  readonly client_payload?: Request
  readonly inputs?: { readonly hookline: string }
}

interface Run {
  readonly id: number
  readonly title: string
  readonly key: string
}

/** Differences of this GitHub from the one that the code assumes. */
interface Differences {
  readonly refusesUnheard?: boolean
  readonly listsNothing?: boolean
  readonly tellsNoRun?: boolean
  readonly firesTwice?: boolean
  readonly evaluatesIfFirst?: boolean
  readonly cancelsWaiting?: boolean
  readonly hasNoFolder?: boolean
  readonly commitsOnOldHead?: boolean
}

let close: (() => void) | undefined
afterEach(() => close?.())

/** A stand-in for the self-test's calls, with runs that end immediately. */
async function startGitHub(differences: Differences): Promise<string> {
  const runs: Run[] = []
  const add = (request: Request) => {
    const { key } = JSON.parse(request.body)
    const title = `self-test-listen ${request.headers['x-hookline-delivery']}`
    runs.unshift({ id: runs.length + 1, title, key })
    return runs.length
  }
  const conclusionOf = (id: number) =>
    differences.cancelsWaiting && id === runs.length - 1 ? 'cancelled' : 'success'
  const fires = ({ id, key }: Run) =>
    differences.firesTwice || !runs.some((run) => run.key === key && run.id < id)
  const commit = {
    tree: { entries: [{ name: 'state', type: differences.hasNoFolder ? 'blob' : 'tree' }] },
    parents: { nodes: [{ oid: 'a'.repeat(40) }] },
    file: { object: { entries: [{ name: 'keys' }] } },
  }
  const server = createServer(async (request, response) => {
    const answer = (status: number, body?: unknown) =>
      response.writeHead(status).end(body === undefined ? undefined : JSON.stringify(body))
    const path = (request.url ?? '').replace('/repos/octo/repo', '')
    const sent = (request.method === 'POST' ? await json(request) : {}) as Sent
    if (path === '/graphql') {
      const isMutation = String(sent.query).startsWith('mutation')
      const stale = { errors: differences.commitsOnOldHead ? [] : [{ type: 'STALE_DATA' }] }
      return answer(200, isMutation ? stale : { data: { repository: { ref: { target: commit } } } })
    }
    if (path === '/dispatches') {
      if (sent.client_payload) add(sent.client_payload)
      else if (differences.refusesUnheard) return answer(422, {})
      return answer(204)
    }
    if (path.endsWith('/self-test-listen.yml/dispatches')) {
      const id = add(JSON.parse(sent.inputs?.hookline ?? ''))
      return answer(200, differences.tellsNoRun ? {} : { workflow_run_id: id })
    }
    const [, id, jobs] = /^\/actions\/runs\/(\d+)(\/jobs)?$/.exec(path) ?? []
    const run = runs.find((one) => one.id === Number(id))
    if (run && jobs) {
      const conclusion = fires(run) ? 'success' : 'skipped'
      const order = differences.evaluatesIfFirst ? 'success' : 'failure'
      return answer(200, {
        jobs: [
          { name: 'fired', conclusion },
          { name: 'order', conclusion: order },
        ],
      })
    }
    if (run) return answer(200, { status: 'completed', conclusion: conclusionOf(run.id) })
    if (!path.startsWith('/actions/runs?')) return answer(404, {})
    const listed = differences.listsNothing ? [] : runs
    const shown = listed.map(({ id, title }) => ({
      id,
      display_title: title,
      event: 'repository_dispatch',
      path: '.github/workflows/self-test-listen.yml',
      status: 'completed',
      conclusion: 'success',
      created_at: '2026-11-27T08:00:00Z',
      html_url: `https://github.com/octo/repo/actions/runs/${id}`,
    }))
    return answer(200, { workflow_runs: shown })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = () => {
    server.closeAllConnections()
    server.close()
  }
  const { port } = server.address() as AddressInfo // a listening TCP server has one
  return `http://127.0.0.1:${port}`
}

async function tried(differences: Differences): Promise<{ isRight: boolean; different: string[] }> {
  const apiUrl = await startGitHub(differences)
  const options = { token: 't', repository: 'octo/repo', ref: 'main', apiUrl }
  const lines: string[] = []
  const isRight = await selfTest({ ...options, sleep: async () => {} }, (line) => {
    lines.push(line)
  })
  expect(lines).toHaveLength(Object.keys(CHECKS).length)
  return { isRight, different: lines.filter((line) => line.startsWith('different: ')) }
}

describe('the self-test', () => {
  test('passes on a GitHub that behaves as the code assumes', async () => {
    expect(await tried({})).toEqual({ isRight: true, different: [] })
  })

  test.each<[keyof Differences, string]>([
    ['refusesUnheard', 'a dispatch that no workflow listens to'],
    ['listsNothing', 'the unfiltered listing'],
    ['tellsNoRun', 'workflow_dispatch'],
    ['firesTwice', 'one key, one fires'],
    ['evaluatesIfFirst', 'evaluates `env` before `if`'],
    ['cancelsWaiting', 'queue: max'],
    ['hasNoFolder', 'file(path:)'],
    ['commitsOnOldHead', 'STALE_DATA'],
  ])('fails on a GitHub that %s, and names the assumption', async (difference, named) => {
    const { isRight, different } = await tried({ [difference]: true })
    expect(isRight).toBe(false)
    expect(different.join('\n')).toContain(named)
  })
})
