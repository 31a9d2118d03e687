import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import { readRelayConfig } from '../../src/relay/config.ts'
import { RunningCommand, runShared } from '../support/cli.ts'
import { PKCS1 } from '../support/github-app.ts'

const CHROMIUM = installedChromium()
const RELAY = 'https://hooks.example.com'

/** The pages of GitHub that create an App, with a user who confirms everything. */
interface Maker {
  readonly url: string
  readonly manifests: { readonly path: string; readonly manifest: Record<string, unknown> }[]
  readonly exchanged: string[]
  conversion: { status: number; body: object }
}

const MADE = { id: 1234, slug: 'hooks', pem: PKCS1, html_url: 'https://github.test/apps/hooks' }

let server: Server
let maker: Maker
const running: RunningCommand[] = []
let browser: Browser | undefined

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const body = new URLSearchParams(await text(request))
    const [, code] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(url.pathname) ?? []
    if (code !== undefined && request.method === 'POST') {
      maker.exchanged.push(code)
      const { status, body: app } = maker.conversion
      response.writeHead(status).end(JSON.stringify(app))
      return
    }
    const manifest = JSON.parse(body.get('manifest') ?? '{}')
    maker.manifests.push({ path: url.pathname, manifest })
    const back = new URL(String(manifest.redirect_url))
    back.searchParams.set('code', 'code-1')
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    response.writeHead(302, { location: back.href }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const conversion = { status: 201, body: MADE }
  maker = { url: `http://127.0.0.1:${port}`, manifests: [], exchanged: [], conversion }
})

afterEach(async () => {
  await browser?.close()
  browser = undefined
  await Promise.all(running.splice(0).map((command) => command.stop()))
  maker.manifests.length = 0
  maker.exchanged.length = 0
  maker.conversion = { status: 201, body: MADE }
})

afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

/** Starts the command, and waits for the address of its page. */
async function begin(...flags: string[]) {
  const env = { HOOKLINE_SERVER_URL: maker.url, HOOKLINE_API_URL: maker.url, CI: 'true' }
  const command = new RunningCommand(['app', 'create', '--relay', RELAY, ...flags], { env })
  running.push(command)
  const ended = command.ended()
  const output = ended.then(() => command.stdout)
  const [page] = await command.told(/http:\/\/127\.0\.0\.1:\d+\//)
  return { page, output, ended }
}

/** Fills in and sends the form of the page, as a browser does. */
async function submit(page: string, follow = true) {
  const html = await (await fetch(page)).text()
  const attribute = (pattern: RegExp) => unescaped(pattern.exec(html)?.[1] ?? '')
  const action = attribute(/ action="([^"]*)"/)
  const manifest = attribute(/ name="manifest" value="([^"]*)"/)
  const init = { method: 'POST', body: new URLSearchParams({ manifest }) } as const
  const sent = await fetch(action, { ...init, redirect: 'manual' })
  const back = sent.headers.get('location') ?? ''
  return { action, back, answer: follow ? await fetch(back) : undefined }
}

const unescaped = (html: string) =>
  html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

const folder = () => mkdtemp(`${tmpdir()}/app-`)

describe('hookline app create', () => {
  test('asks for one permission, and writes the settings of a relay to --out', async () => {
    const out = `${await folder()}/relay.env`
    const { page, output, ended } = await begin('--out', out)
    const { answer } = await submit(page)
    expect(answer?.status).toBe(200)
    expect(await answer?.text()).toContain('https://github.test/apps/hooks/installations/new')
    expect(await ended).toBe(0)
    expect(maker.manifests).toMatchObject([
      {
        path: '/settings/apps/new',
        manifest: {
          name: 'Hookline hooks.example.com',
          public: false,
          default_permissions: { contents: 'write' },
          hook_attributes: { active: false },
        },
      },
    ])
    expect(maker.exchanged).toEqual(['code-1'])
    expect(await output).toContain('https://github.test/apps/hooks/installations/new')
    expect(await output).not.toContain('PRIVATE KEY')
    const written = await readFile(out, 'utf8')
    expect(written).toContain('hooks')
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    // A relay can start with this configuration.
    const config = await readRelayConfig(parseEnv(written))
    expect(config.githubCredential).toMatchObject({ app: { id: '1234' } })
  })

  test('appends to an existing file', async () => {
    const out = `${await folder()}/relay.env`
    await writeFile(out, 'PORT=8080', { mode: 0o644 })
    const { page, ended } = await begin('--out', out)
    await submit(page)
    await ended
    const values = parseEnv(await readFile(out, 'utf8'))
    expect(values).toMatchObject({ PORT: '8080', HOOKLINE_APP_ID: '1234' })
    expect((await stat(out)).mode & 0o777).toBe(0o600)
  })

  test('creates a deleted file again, readable by its owner only', async () => {
    const out = `${await folder()}/relay.env`
    const { page, ended } = await begin('--out', out)
    await rm(out)
    await submit(page)
    await ended
    expect((await stat(out)).mode & 0o777).toBe(0o600)
  })

  test.each(['HOOKLINE_APP_ID=1', 'HOOKLINE_APP_KEY=x'])(
    'refuses a file with %s before it opens a page',
    async (line) => {
      const out = `${await folder()}/relay.env`
      await writeFile(out, line)
      const flags = ['create', '--relay', RELAY, '--out', out]
      const { exitCode, stderr } = await runShared(['app', ...flags])
      expect(exitCode).toBe(1)
      expect(stderr).toContain(line.split('=')[0])
      expect(stderr).not.toContain('http://127.0.0.1')
      expect(await readFile(out, 'utf8')).toBe(line)
    },
  )

  test('without --out the key is printed on one line, for wrangler', async () => {
    const { page, output } = await begin()
    await submit(page)
    const lines = (await output).split('\n')
    const key = lines[lines.indexOf('# npx wrangler secret put HOOKLINE_APP_KEY') + 1] ?? ''
    expect(key.replaceAll('\\n', '\n')).toBe(PKCS1.trim())
  })

  test('--org and --dispatch workflow work together', async () => {
    const { page, output } = await begin('--org', 'octo', '--dispatch', 'workflow')
    await submit(page)
    expect(await output).toContain('# Install hooks')
    expect(maker.manifests).toMatchObject([
      {
        path: '/organizations/octo/settings/apps/new',
        manifest: { default_permissions: { actions: 'write' } },
      },
    ])
  })

  test('another host name, another state and a second exchange are refused', async () => {
    const { page, ended } = await begin()
    const elsewhere = fetch(`http://localhost:${new URL(page).port}/`)
    expect((await elsewhere.catch(() => ({ status: 403 }))).status).toBe(403)
    const { back } = await submit(page, false)
    const forged = new URL(back)
    forged.searchParams.set('state', 'x'.repeat(43))
    expect((await fetch(forged)).status).toBe(400)
    expect((await fetch(`${page}created?code=code-2`)).status).toBe(400)
    expect(maker.exchanged).toEqual([])
    const both = await Promise.allSettled([fetch(back), fetch(back)])
    const statuses = both.map((one) => (one.status === 'fulfilled' ? one.value.status : 0))
    expect(statuses).toContain(200)
    expect(maker.exchanged).toEqual(['code-1'])
    expect(await ended).toBe(0)
  })

  test('a failed exchange at GitHub is status 502 and exit 1', async () => {
    maker.conversion = { status: 404, body: {} }
    const { page, ended } = await begin()
    const { answer } = await submit(page)
    expect(answer?.status).toBe(502)
    expect(await ended).toBe(1)
  })

  test.each([
    ['an invalid relay', ['--relay', 'nonsense'], 'nonsense'],
    ['an invalid organization', ['--relay', RELAY, '--org', 'a/b'], 'a/b'],
    ['an invalid mode', ['--relay', RELAY, '--dispatch', 'push'], 'workflow'],
    ['a missing folder', ['--relay', RELAY, '--out', '/nowhere/x.env'], '/nowhere/x.env'],
  ])('%s is an error', async (_, flags, message) => {
    const { exitCode, stderr } = await runShared(['app', 'create', ...flags])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain(message)
  })
})

const inChromium = CHROMIUM ? test : test.skip

inChromium('in Chromium: one button, one way to GitHub and back', async () => {
  const out = `${await folder()}/relay.env`
  const { page: address, ended } = await begin('--out', out)
  browser = await launch(CHROMIUM ?? '')
  const page = await browser.newPage()
  const wrong: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && wrong.push(message.text())))
  await page.goto(address)
  expect(await page.locator('dd').allTextContents()).toEqual([
    'Hookline hooks.example.com',
    'https://hooks.example.com/',
    'contents: write',
  ])
  await page.getByRole('button').click()
  await page.getByRole('link', { name: /install/i }).waitFor()
  expect(await page.title()).toContain('hooks')
  expect(wrong).toEqual([])
  await browser.close()
  expect(await ended).toBe(0)
  expect(await readFile(out, 'utf8')).toContain('HOOKLINE_APP_ID=1234')
})
