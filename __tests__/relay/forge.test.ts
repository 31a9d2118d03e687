import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { startRelay } from '../../src/relay/node/start.ts'
import { send } from '../support/raw-http.ts'
import { withToken } from '../support/scene.ts'

/** A stand-in for the API of Forgejo and Gitea: https://codeberg.org/api/swagger */
let version = ''
const calls: { url: string; body: string }[] = []
const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const url = request.url ?? ''
  calls.push({ url, body })
  const json = (status: number, value: object) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
  if (url === '/api/v1/repos/o/r') return json(200, { default_branch: 'main' })
  if (url === '/api/v1/version') return json(200, { version })
  const { port } = server.address() as AddressInfo
  if (body.includes('"return_run_info":true')) return json(201, { id: 9, run_number: 4, jobs: [] })
  if (url.endsWith('?return_run_details=true')) {
    const html_url = `http://127.0.0.1:${port}/o/r/actions/runs/4`
    return json(200, { workflow_run_id: 9, html_url })
  }
  response.writeHead(204).end()
})
let api = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
beforeEach(() => void calls.splice(0))
afterAll(() => void server.close())

const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{}' })

async function withRelay<Result>(
  env: Record<string, string>,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const relay = await startRelay({
    host: '127.0.0.1',
    port: 0,
    env: { HOOKLINE_API_URL: `${api}/api/v1`, ...env },
    write: () => {},
  })
  try {
    return await use(relay.url)
  } finally {
    await relay.close()
  }
}

describe.each([
  ['forgejo', '9.0.3+gitea-1.22.0'],
  ['gitea', '1.24.2'],
])('%s', (forge, itsVersion) => {
  test('starts the workflow on the default branch if HOOKLINE_FORGE names it', async () => {
    const env = { HOOKLINE_FORGE: forge }
    const { status, headers } = await withRelay(env, (url) => send(url, REQUEST))
    expect([status, headers['x-hookline-run']]).toEqual([200, `${api}/o/r/actions/runs/4`])
    const [asked, { url = '', body = '' } = {}] = calls
    expect([calls.length, asked?.url]).toEqual([2, '/api/v1/repos/o/r'])
    const { inputs, ...others } = JSON.parse(body)
    expect(inputs.hookline).toContain('hook/webhook')
    const isGitea = forge === 'gitea'
    expect(others).toEqual({ ref: 'main', ...(!isGitea && { return_run_info: true }) })
    expect(url.endsWith('/dispatches?return_run_details=true')).toBe(isGitea)
  })

  test('is detected, has no repository_dispatch, and the refusal says so', async () => {
    version = itsVersion
    const { status, body } = await withRelay({}, (url) => send(url, REQUEST))
    expect([status, JSON.parse(body).error.code]).toEqual([422, 'dispatch_not_supported'])
    expect(JSON.parse(body).error.hint).toContain(`HOOKLINE_FORGE=${forge}`)
  })
})
