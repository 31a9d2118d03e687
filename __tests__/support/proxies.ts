import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { send } from './raw-http.ts'
import { until } from './until.ts'

/** A real proxy in front of a relay, with the configuration that a page or a file recommends. */
export interface RunningProxy {
  readonly url: string
  close(): Promise<void>
}

export type StartProxy = (relay: string) => Promise<RunningProxy>

export const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0
export const HAS_CADDY = spawnSync('caddy', ['version']).status === 0

const PAGE = new URL('../../docs/host/relay.md', import.meta.url)
const CADDYFILE = new URL('../../deploy/Caddyfile', import.meta.url)

/** The block of a language on the page about proxies. */
async function blockOf(language: string): Promise<string> {
  const block = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(
    await readFile(PAGE, 'utf8'),
  )
  if (!block?.[1]) throw new Error(`the page has no block of ${language}`)
  return block[1]
}

/** nginx with the page's block, with these addresses and without TLS. */
export const startNginx: StartProxy = (relay) =>
  startProxy(async (folder, port) => {
    const block = await blockOf('nginx')
    const http = block
      .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
      .replaceAll(/ssl_certificate.*/g, '')
      .replace('server 127.0.0.1:3000;', `server ${new URL(relay).host};`)
      // nginx reuses connections for a second instead of a minute, so that tests are short.
      .replace(/keepalive 32;/, 'keepalive 64; keepalive_timeout 1s;')
      .replaceAll('/var/log/nginx', folder)
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    const file = join(folder, 'nginx.conf')
    await writeFile(
      file,
      `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
${paths.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${http}
}
`,
    )
    return ['nginx', '-c', file, '-e', join(folder, 'error.log')]
  })

/** Caddy with the page's block. */
export const startCaddy: StartProxy = (relay) =>
  startProxy(async (folder, port) => {
    const block = await blockOf('caddyfile')
    const site = block.replace('hooks.example.com', `http://:${port}`)
    return caddyWith(site.replace('127.0.0.1:3000', new URL(relay).host), folder)
  })

/** Caddy with the file of the composed containers. */
export const startComposedCaddy: StartProxy = (relay) =>
  startProxy(async (folder, port) => {
    const file = await readFile(CADDYFILE, 'utf8')
    const site = file.replace('{$HOOKLINE_PUBLIC_URL}', `http://:${port}`)
    return caddyWith(site.replace('relay:3000', new URL(relay).host), folder)
  })

async function caddyWith(site: string, folder: string): Promise<string[]> {
  const file = join(folder, 'Caddyfile')
  await writeFile(file, `{\n  admin off\n  storage file_system ${folder}\n}\n${site}`)
  return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
}

/** @param prepare writes the configuration, and returns the command */
async function startProxy(
  prepare: (folder: string, port: number) => Promise<string[]>,
): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'))
  const port = await freePort()
  const [program = '', ...args] = await prepare(folder, port)
  const env = { PATH: process.env.PATH, HOME: folder, XDG_CONFIG_HOME: folder }
  const proxy = spawn(program, args, { stdio: 'ignore', env })
  const ended = once(proxy, 'exit')
  const url = `http://127.0.0.1:${port}`
  await until(async () => {
    const answer = await send(url, { target: '/healthz' }).catch(() => undefined)
    return answer !== undefined
  })
  return {
    url,
    async close() {
      proxy.kill('SIGQUIT')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
