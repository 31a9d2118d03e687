import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startRelay } from '../../src/relay/node/start.ts'
import { startGitHub } from '../support/github.ts'
import { HAS_NGINX, startNginx } from '../support/proxies.ts'
import { send } from '../support/raw-http.ts'
import { withToken } from '../support/scene.ts'

const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{}' })

const testWithNginx = HAS_NGINX ? test : test.skip

testWithNginx(
  'loses none of 1,000 requests through nginx while connections end at its keep-alive boundary',
  async () => {
    const github = await startGitHub()
    const relay = await startRelay({
      host: '127.0.0.1',
      port: 0,
      env: { HOOKLINE_API_URL: github.url },
      // nginx must be the first to close a connection, also on a slow machine: as 75 s and 60 s are in use.
      limits: { keepAliveTimeout: 5000 },
      write: () => {},
    })
    const nginx = await startNginx(relay.url)
    try {
      const statuses: number[] = []
      for (let round = 0; round < 20; round++) {
        const sent = Array.from({ length: 50 }, () => send(nginx.url, REQUEST))
        for (const { status } of await Promise.all(sent)) statuses.push(status)
        // From 0.9 s to 1.3 s: around the end of a connection in nginx.
        await sleep(900 + round * 20)
      }
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(statuses).toHaveLength(1000)
    } finally {
      await nginx.close()
      await relay.close()
      await github.close()
    }
  },
)
