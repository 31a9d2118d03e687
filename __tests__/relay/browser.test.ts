import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import { IS_FULL, scaled } from '../support/effort.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { type RelayUnderTest, startOnNode } from '../support/relays.ts'
import { TOKEN } from '../support/scene.ts'
import { type Vector, vectors } from '../support/xss-vectors.ts'

const executablePath = installedChromium()
const describeWithBrowser = executablePath ? describe : describe.skip

/** How many of the vectors at least act where they may. */
const MOST_ACT = scaled(30, 10)

/** The more at once, the sooner done, and the later each is shown. */
const PAGES_AT_ONCE = 6

describeWithBrowser('in a real browser', () => {
  let github: GitHub
  let relay: RelayUnderTest
  let browser: Browser
  let context: BrowserContext
  let outside: Outside
  beforeAll(async () => {
    github = await startGitHub()
    relay = await startOnNode({ env: { HOOKLINE_API_URL: github.url } })
    outside = await startOutside()
    browser = await launch(executablePath ?? '')
    context = await browser.newContext()
  })
  afterAll(async () => {
    await browser.close()
    outside.server.close()
    await relay.close()
    await github.close()
  })

  /** What a vector did besides being shown. */
  async function visit(page: Page, url: string, { body }: Vector): Promise<string[]> {
    const told: string[] = []
    const opened = (popup: Page) => {
      told.push('opened a window')
      void popup.close()
    }
    page.on('popup', opened)
    // A download, as of a type that the browser does not show, ends a navigation with an error.
    await page.goto(url, { waitUntil: 'load', timeout: 3000 }).catch(() => {})
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

  /** Visits each vector as a custom response, some at a time, and tells of each what it did. */
  async function visitAll(): Promise<string[][]> {
    const waiting = [...outside.pages.entries()]
    const told: string[][] = []
    // One page after the other is shown in the same tab: a new one is a process of its own.
    const visitor = async () => {
      const page = await context.newPage()
      page.on('dialog', (dialog) => void dialog.dismiss())
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [index, vector] = next
        told[index] = await visit(page, custom(vector), vector)
      }
      await page.close()
    }
    await Promise.all(Array.from({ length: PAGES_AT_ONCE }, visitor))
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

  test('no custom response runs, sends, loads or leaves anything', async () => {
    const told = await visitAll()
    const acted = told.flatMap((did, index) => did.map((act) => [act, outside.pages[index]?.body]))
    expect(acted).toEqual([])
    expect(outside.requests).toEqual([])
    expect(told.length).toBeGreaterThanOrEqual(scaled(40, 20))
    expect(github.calls.length).toBeGreaterThanOrEqual(told.length)
  })

  test('most of the same pages do act where nothing holds them', async () => {
    outside.requests.length = 0
    // A context of its own, so that the windows that they open go with it.
    const unguarded = await browser.newContext()
    const page = await unguarded.newPage()
    // Some of the frames go on loading for as long as they act: the page is there, `load` may not be.
    await page.goto(`${outside.url}/frames`, { waitUntil: 'commit' })
    while (new Set(outside.requests).size < MOST_ACT) await page.waitForTimeout(50)
    await unguarded.close()
  })

  test('a page of another origin may call, with a preflight, and read the answer', async () => {
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

  test('a no-cors call of a page succeeds, as it was dispatched', async () => {
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

/** A server of another origin: it shows the vectors as they are, and notes every other request. */
interface Outside {
  readonly url: string
  readonly server: Server
  readonly pages: readonly Vector[]
  readonly requests: string[]
}

const PLAIN: Vector = { contentType: 'text/html', body: '<title>page</title>' }

/** All of them as frames of one page, since a visit to each would cost as much again as all else. */
function framesOf(pages: readonly Vector[]): Vector {
  // But for one that would end the page.
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
  const chosen = vectors('').flatMap((_, at) => (IS_FULL || at % 3 === 0 ? [at] : []))
  // Each vector has a beacon of its own, so that what it did can be told from what others did.
  for (const at of chosen) {
    const vector = vectors(`${url}/beacon/${pages.length}`)[at]
    if (vector) pages.push(vector)
  }
  return { url, server, pages, requests }
}
