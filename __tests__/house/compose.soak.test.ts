import { execFileSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { IMAGE_USER, writeBaseImage } from '../support/base-image.ts'
import { canStartDocker, type DockerDaemon, startDocker } from '../support/docker-daemon.ts'
import { type GitHub, listeningWorkflow, startGitHub } from '../support/github.ts'
import { areInstalled } from '../support/installed.ts'
import { NODE24 } from '../support/node24.ts'
import { until } from '../support/until.ts'

/**
 * `deploy/compose.yaml` on a real Docker, set up with the commands of docs/host/relay.md. Only these
 * differ: the clone is one of this repository, the domain is `localhost`, for which Caddy issues the
 * certificate itself, and the images node:24-slim and caddy:2 are stand-ins from programs of this machine.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const page = (name: string) => readFileSync(join(ROOT, 'docs/host', name), 'utf8')
const SET_UP = section('relay.md', 'Docker')

const SECRET = 'the-secret-of-the-sender'
const EVENT = '{"action":"opened"}'
const TOKEN = `ghp_${'a'.repeat(36)}`

const canRun = canStartDocker && NODE24 !== null && areInstalled('caddy', 'install')
const run = canRun ? describe : describe.skip

run('the containers of compose.yaml', () => {
  let folder: string
  let deploy: string
  let github: GitHub
  let docker: DockerDaemon
  let url: string

  const inDeploy = (script: string, env: Readonly<Record<string, string>> = {}) =>
    docker.run(script, { cwd: deploy, env })
  const inRelay = (script: string) => inDeploy(`docker compose exec -T relay node -p '${script}'`)
  /** @returns the status */
  const post = (target: string, body: string, signedBody = body) => {
    const signature = createHmac('sha256', SECRET).update(signedBody).digest('hex')
    return docker.run(
      `curl --silent --insecure --output answer --write-out '%{http_code}' --data-binary @- \\
        --header 'content-type: application/json' \\
        --header 'x-hub-signature-256: sha256=${signature}' ${target}`,
      { input: body },
    )
  }
  const isReady = () =>
    docker
      .run('curl --silent --insecure https://localhost/readyz')
      .then((text) => text === 'ready')
      .catch(() => false)

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-compose-'))
    deploy = join(folder, 'clone/deploy')
    github = await startGitHub()
    execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, join(folder, 'clone')])
    docker = await startDocker(folder, Number(new URL(github.url).port))
    const shell = { '/bin/sh': '/bin/sh', '/bin/cat': '/bin/cat', '/bin/rm': '/bin/rm' }
    writeBaseImage(join(folder, 'node'), {
      ...shell,
      '/bin/install': '/usr/bin/install',
      '/usr/local/bin/node': NODE24 ?? '',
    })
    writeBaseImage(
      join(folder, 'caddy'),
      { '/usr/local/bin/caddy': '/usr/bin/caddy' },
      'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
      'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
    )
    await docker.run('docker build --tag node:24-slim node && docker build --tag caddy:2 caddy')
  }, 300_000)
  afterAll(async () => {
    await docker?.stop()
    await github?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => github.reset())

  test('start with the commands of the page', async () => {
    const [settings] = commandsIn(SET_UP, 'install')
    const [start, create] = commandsIn(SET_UP, 'docker compose (?:up|exec)')
    await inDeploy(settings ?? '')
    const file = join(deploy, '.env')
    const text = readFileSync(file, 'utf8')
      .replace(/^HOOKLINE_PUBLIC_URL=$/m, 'HOOKLINE_PUBLIC_URL=https://localhost')
      .replace(/^HOOKLINE_GITHUB_TOKEN=$/m, `HOOKLINE_GITHUB_TOKEN=${TOKEN}`)
      .concat(`HOOKLINE_API_URL=${github.url.replace('127.0.0.1', '172.17.0.1')}\n`)
    writeFileSync(file, text)
    await inDeploy(start ?? '')
    await until(isReady)
    // Without a terminal, exec needs -T.
    const words = create?.replace(' exec ', ' exec -T -e SECRET ') ?? ''
    github.always(listeningWorkflow)
    url = await inDeploy(`${words} --sender github --secret-env SECRET`, { SECRET })
    expect(url).toMatch(/^https:\/\/localhost\/-\/octo\/[\w-]+$/)
  }, 300_000)

  test('give the relay neither root, nor capabilities, nor files outside of its volume', async () => {
    const status = await inRelay('fs.readFileSync("/proc/1/status", "utf8")')
    const line = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]
    expect(['Uid', 'NoNewPrivs', 'Seccomp', 'CapEff', 'CapBnd'].map(line)).toEqual([
      ...[String(IMAGE_USER), '1', '2', '0000000000000000', '0000000000000000'],
    ])
    const attempt = (path: string) =>
      inRelay(`try { fs.writeFileSync("${path}", "") ?? "written" } catch ({ code }) { code }`)
    expect(await attempt('/opt/hookline/new')).toBe('EROFS')
    expect(await attempt('/var/lib/hookline/new')).toBe('written')
    expect(await attempt('/tmp/new')).toBe('written')
  })

  test('forward a request behind Caddy, and refuse a wrong signature and the admin API', async () => {
    expect(await post(url, EVENT, 'other')).toBe('401')
    expect(await post('https://localhost/-admin/status', EVENT)).toBe('404')
    expect(github.calls).toEqual([])
    expect(await post(url, EVENT)).toBe('200')
    expect(github.calls).toMatchObject([
      { url: '/repos/octo/repo/dispatches', headers: { authorization: `Bearer ${TOKEN}` } },
    ])
  })

  test('store a body of 1 MB, and return it', async () => {
    const body = JSON.stringify(randomBytes(500_000).toString('hex'))
    expect(await post(url, body)).toBe('200')
    const { headers } = JSON.parse(github.calls[0]?.body ?? '').client_payload
    const address = headers['x-hookline-body-url']
    expect(address).toMatch(/^https:\/\/localhost\/-\//)
    expect(await docker.run(`curl --silent --insecure ${address}`)).toBe(body)
  })

  test('restart a killed relay, which then delivers its queued event', async () => {
    github.always({ status: 502 })
    expect(await post(url, EVENT)).toBe('202')
    const id = await inDeploy('docker compose ps -q relay')
    process.kill(Number(await docker.run(`docker inspect --format '{{.State.Pid}}' ${id}`)), 9)
    github.reset()
    await until(() => github.calls.length > 0)
    expect(JSON.parse(github.calls[0]?.body ?? '').client_payload.body).toBe(EVENT)
  }, 180_000)

  test('make a backup of the database, and restore it after the volume was deleted', async () => {
    const backUp = commandsIn(section('operate.md', 'Make a backup'), 'docker')
    expect(backUp).toHaveLength(2)
    const restore = commandsIn(section('operate.md', 'Restore a backup'), 'docker')
    expect(restore).toHaveLength(4)
    for (const command of backUp) await inDeploy(command)
    await inDeploy('docker compose down --volumes && docker compose up --detach')
    await until(isReady)
    expect(await post(url, EVENT)).toBe('401')
    for (const command of restore) await inDeploy(command)
    await until(isReady)
    expect(await post(url, EVENT)).toBe('200')
  }, 180_000)

  test('have an image that also runs alone', async () => {
    await inDeploy('docker compose down')
    const commands = commandsIn(section('relay.md', 'Run the container alone'), 'docker')
    expect(commands).toHaveLength(2)
    for (const command of commands) await docker.run(command, { cwd: join(folder, 'clone') })
    await until(async () => {
      const text = await docker.run('curl --silent http://127.0.0.1:3000/readyz || true')
      return text === 'ready'
    })
  }, 180_000)
})

function section(name: string, heading: string): string {
  const [, text = ''] =
    new RegExp(`\n##+ ${heading}\n(.*?)\n(?:##|---)`, 's').exec(page(name)) ?? []
  return text
}

function commandsIn(text: string, start: string): string[] {
  return [...text.matchAll(new RegExp(`\`(${start}[^\`]*)\``, 'g'))].map(([, found = '']) => found)
}
