import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { startOnNode } from '../../support/relays.ts'
import { codes, examineAt } from './examination.ts'

let platform: GitHub

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(() => platform.reset())
afterAll(() => platform.close())

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** The address of a server that is closed after the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('the relay', () => {
  test('is up', async () => {
    const relay = await startOnNode({ env: { HOOKLINE_API_URL: platform.url } })
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay: relay.url })
    await relay.close()
    expect(findings.at(-1)).toMatchObject({ check: 'relay', status: 'ok' })
  })

  test('is unreachable', async () => {
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay: 'http://127.0.0.1:9' })
    expect(codes(findings)).toEqual(['relay_unreachable'])
  })

  test.each([
    ['another page', 200, '<html>Welcome</html>'],
    ['an error of a proxy', 502, 'Bad Gateway'],
    ['a server that answers ok to everything', 200, 'ok'],
  ])('is hidden by %s', async (_, status, text) => {
    const relay = await serve((_, response) => response.writeHead(status).end(text))
    const findings = await examineAt(platform, { scopes: 'repo' }, { relay })
    expect(codes(findings)).toEqual(['relay_not_hookline'])
  })
})
