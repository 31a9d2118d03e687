import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import { type GitHub, startGitHub } from '../support/github.ts'
import { type RelayUnderTest, startOnNode } from '../support/relays.ts'
import { TOKEN } from '../support/scene.ts'
import { type Vector, vectors } from '../support/xss-vectors.ts'

const executablePath = installedChromium()
const describeWithBrowser = executablePath ? describe : describe.skip

/** More tabs finish sooner, but each loads its pages more slowly. */
const TABS = 6

describeWithBrowser('in a real browser', () => {
  let github: GitHub
  let relay: RelayUnderTest
  let browser: Browser
  let context: BrowserContext
  let outside: Outside
  beforeAll(async () => {
    github = await startGitHub()
    relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
    browser = await launch(executablePath ?? '')
    context = await browser.newContext()
  })
  // Each test has its own, because a page may send its last requests after it was closed.
  beforeEach(async () => {
    outside = await startOutside()
  })
  afterEach(() => {
    outside.server.close()
  })
  afterAll(async () => {
    await browser.close()
    await relay.close()
    await github.close()
  })

  /** Returns what the page of a vector did besides being shown. */
  async function visit(page: Page, url: string, { body }: Vector): Promise<string[]> {
    const told: string[] = []
    const opened = (popup: Page) => {
      told.push('opened a window')
      void popup.close()
    }
    page.on('popup', opened)
    // A type that the browser does not show is downloaded, which ends a navigation with an error.
    await page.goto(url, { waitUntil: 'load', timeout: 20_000 }).catch(() => {})
    if (body.includes('id=go')) {
      await page
        .locator('#go')
        .click({ timeout: 1000, noWaitAfter: true })
        .catch(() => {})
    }
    await page.waitForTimeout(200)
    if ((await page.title().catch(() => '')) === 'ran') told.push('ran')
    page.off('popup', opened)
    return told
  }

  /** Visits each vector as a custom response, and returns its effects. */
  async function visitAll(): Promise<string[][]> {
    const waiting = [...outside.pages.entries()]
    const told: string[][] = []
    // Each tab shows many pages, because a new tab starts a process.
    const visitor = async () => {
      const page = await context.newPage()
      page.on('dialog', (dialog) => void dialog.dismiss())
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [index, vector] = next
        told[index] = await visit(page, custom(vector), vector)
      }
      await page.close()
    }
    await Promise.all(Array.from({ length: TABS }, visitor))
    return told.map((own, index) => {
      const requests = outside.requests.filter((line) => line.endsWith(`/beacon/${index}`))
      return [...own, ...requests]
    })
  }

  const custom = ({ contentType, body }: Vector) => {
    const query = new URLSearchParams({
      __token: TOKEN,
      __response_content_type: contentType,
      __response_body: body,
    })
    return `${relay.url}/o/r/hook/webhook?${query}`
  }

  test('none of 62 hostile custom responses runs, sends, loads or stores anything', async () => {
    const told = await visitAll()
    const acted = told.flatMap((did, index) => did.map((act) => [act, outside.pages[index]?.body]))
    expect(acted).toEqual([])
    expect(outside.requests).toEqual([])
    expect(told).toHaveLength(62)
    expect(github.calls.length).toBeGreaterThanOrEqual(told.length)
  })

  test('at least 30 of them act on a server without these headers', async () => {
    // A context of its own, so that the windows that they open go with it.
    const unguarded = await browser.newContext()
    const page = await unguarded.newPage()
    // Some frames load for as long as they act, so `load` may never fire.
    await page.goto(`${outside.url}/frames`, { waitUntil: 'commit' })
    while (new Set(outside.requests).size < 30) await page.waitForTimeout(50)
    await unguarded.close()
  })

  test('a page of another origin may call, with a preflight, and read the response', async () => {
    const page = await context.newPage()
    await page.goto(`${outside.url}/plain`)
    const call = async ({ url, token }: { url: string; token: string }) => {
      const headers = { 'content-type': 'application/json', 'x-platform-authorization': token }
      const answer = await fetch(url, { method: 'PUT', headers, body: '{"a":1}' })
      return [answer.status, await answer.text(), answer.headers.get('x-hookline-delivery')]
    }
    github.reset()
    const argument = { url: `${relay.url}/o/r/hook/webhook`, token: TOKEN }
    const [status, text, delivery] = await page.evaluate(call, argument)
    expect([status, text]).toEqual([200, '{"success":true}'])
    expect(delivery).toMatch(/^[0-9a-f-]{36}$/)
    expect(github.calls).toHaveLength(1)
    await page.close()
  })

  test('a no-cors call of a page is dispatched, and succeeds', async () => {
    const page = await context.newPage()
    await page.goto(`${outside.url}/plain`)
    github.reset()
    const url = `${relay.url}/o/r/hook/webhook?__token=${TOKEN}`
    const type = await page.evaluate(async (address) => {
      return (await fetch(address, { method: 'POST', mode: 'no-cors', body: 'x' })).type
    }, url)
    expect(type).toBe('opaque')
    expect(github.calls).toHaveLength(1)
    await page.close()
  })
})

/** A server of another origin: it serves the vectors without protection, and records all other requests. */
interface Outside {
  readonly url: string
  readonly server: Server
  readonly pages: readonly Vector[]
  readonly requests: string[]
}

const PLAIN: Vector = { contentType: 'text/html', body: '<title>page</title>' }

/** All vectors as frames of one page, because a visit to each would double the time of this suite. */
function framesOf(pages: readonly Vector[]): Vector {
  // A frame that sets `top.location` would end the page.
  const frames = pages.map(({ body }, index) =>
    body.includes('top.location') ? '' : `<iframe src="/page/${index}"></iframe>`,
  )
  return { contentType: 'text/html', body: frames.join('') }
}

async function startOutside(): Promise<Outside> {
  const requests: string[] = []
  const pages: Vector[] = []
  const server = createServer(({ method, url = '' }, response) => {
    const shown = new Map([
      ['/plain', PLAIN],
      ['/frames', framesOf(pages)],
    ])
    const page = shown.get(url) ?? pages[Number(/^\/page\/(\d+)$/.exec(url)?.[1])]
    if (!page && url.startsWith('/beacon/')) requests.push(`${method} ${url.split('?')[0]}`)
    const { contentType, body } = page ?? { contentType: 'text/javascript', body: '' }
    response.writeHead(200, { 'content-type': contentType }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  // Each vector has its own beacon, so that a request identifies the vector that sent it.
  for (const at of vectors('').keys())
    pages.push(...vectors(`${url}/beacon/${at}`).slice(at, at + 1))
  return { url, server, pages, requests }
}
