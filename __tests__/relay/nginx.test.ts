import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { startRelay } from '../../src/relay/node/start.ts'
import { freePort } from '../support/free-port.ts'
import { startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { withToken } from '../support/scene.ts'

const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0
const PAGE = new URL('../../docs/host/reverse-proxy.md', import.meta.url)
const REQUEST = withToken({ method: 'POST', target: '/o/r/hook/webhook', body: '{}' })

/** The page's block as a whole configuration, with these addresses and without TLS. */
async function configuration(folder: string, port: number, relay: string): Promise<string> {
  const [, block = ''] = /```nginx\n(.*?)```/s.exec(await readFile(PAGE, 'utf8')) ?? []
  const { host } = new URL(relay)
  const http = block
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replace('server 127.0.0.1:3000;', `server ${host};`)
    // nginx reuses connections for a second instead of a minute, so that the test is short.
    .replace(/keepalive 32;/, 'keepalive 64; keepalive_timeout 1s;')
    .replaceAll('/var/log/nginx', folder)
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  return `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${http}
}
`
}

const testWithNginx = HAS_NGINX ? test : test.skip

testWithNginx(
  'loses none of 1,000 requests through nginx while connections end at its keep-alive boundary',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'nginx-'))
    const github = await startGitHub()
    const relay = await startRelay({
      host: '127.0.0.1',
      port: 0,
      env: { HOOKLINE_API_URL: github.url, HOOKLINE_TEST_KEEP_ALIVE_MS: '1250' },
      write: () => {},
    })
    const port = await freePort()
    const file = join(folder, 'nginx.conf')
    await writeFile(file, await configuration(folder, port, relay.url))
    const nginx = spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' })
    try {
      const url = `http://127.0.0.1:${port}`
      for (let tries = 0; tries < 100; tries++) {
        if (await send(url, { target: '/healthz' }).catch(() => undefined)) break
        await sleep(50)
      }
      const bodyOf = async (target: string) => (await send(url, { target })).body
      for (const target of ['/-admin', '/-admin/status', '//-admin/status?a']) {
        expect(await bodyOf(target)).toContain('nginx')
      }
      // Routes are case-sensitive, so this is not the admin API.
      expect(await bodyOf('/-Admin/status')).not.toContain('nginx')
      expect(await bodyOf('/-administration/r/hook/webhook')).not.toContain('nginx')
      const statuses: number[] = []
      for (let round = 0; round < 20; round++) {
        const sent = Array.from({ length: 50 }, () => send(url, REQUEST))
        for (const { status } of await Promise.all(sent)) statuses.push(status)
        // From 0.9 s to 1.3 s: around the end of a connection in nginx, and in the relay.
        await sleep(900 + round * 20)
      }
      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(statuses).toHaveLength(1000)
    } finally {
      nginx.kill('SIGQUIT')
      await once(nginx, 'exit')
      await relay.close()
      await github.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
