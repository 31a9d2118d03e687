import { afterAll, beforeAll } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import type { Detail } from '../../src/inspector/api.ts'
import { type Dev, type DevSetup, post, startDev } from './dev.ts'
import { ask, detail } from './inspector.ts'

export const CHROMIUM = installedChromium()
if (!CHROMIUM) process.stderr.write('no Chromium is installed: the page is not tested\n')

/** Milliseconds for each wait; it only ends waits that would never succeed. */
const PATIENCE = 60_000
/** Slows the page down by this factor: 20 shows faults that only occur on slow machines. */
const SLOWDOWN = Number(process.env.HOOKLINE_TEST_SLOWDOWN ?? 1)

export const ISSUE = {
  action: 'opened',
  issue: { title: 'it breaks', labels: [{ name: 'bug' }], 'two words': 1, "it's": true },
}

const FILES = {
  '.env': 'KEY=a-secret-that-nobody-sees',
  'workflows/hook.yml': 'on: { webhook: { path: "/{:name}" } }',
  'workflows/bad.yml': 'on:\n  webhook:\n    method: psot\n',
}

/** How the page is opened. */
interface Look {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

/**
 * A browser with one page for all tests of a describe block, and a run of `hookline dev` that most
 * of them share, because another start takes as long as such a test.
 */
export interface Stage {
  dev: Dev
  /**
   * The page after these requests, with the files of `begin`; earlier events remain in the list.
   */
  open(bodies?: readonly unknown[], look?: Look): Promise<Page>
  /** The page of a new run. Its port is a new origin, so it has no storage of other runs. */
  begin(bodies?: readonly unknown[], look?: Look, setup?: Partial<DevSetup>): Promise<Page>
  /** @param number counts from 1 since `open` or `begin` */
  detail(number: number): Promise<Detail>
}

export function stage(): Stage {
  let browser: Browser
  let page: Page
  /** The number of events when the test began. */
  let earlier = 0
  let isShared = false
  const stopping: Promise<unknown>[] = []
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '')
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await browser.newContext({ permissions, reducedMotion: 'reduce' })
    page = await context.newPage()
    page.setDefaultTimeout(PATIENCE)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([...stopping, set.dev.stop()])
  })
  async function show(bodies: readonly unknown[], { viewport, colorScheme = 'light' }: Look) {
    for (const body of bodies) await post(set.dev.hook('hook/webhook'), body)
    const ids: string[] = JSON.parse((await ask(set.dev.url, '/inspector/search?q=')).body)
    const newest = ids.at(-1) ?? ''
    earlier = Number(newest.split('-').at(-1)) - bodies.length
    await page.setViewportSize(viewport ?? { width: 1280, height: 720 })
    await page.emulateMedia({ colorScheme })
    await page.goto(set.dev.inspector)
    await live(page)
    if (bodies.length > 0) {
      await page.locator(`a[href="#${newest}"][aria-current]`).waitFor()
      // This line moves everything below it, and a click would miss its target.
      if (isShared) await page.getByText('A mistake in').waitFor()
    }
    return page
  }
  const set: Stage = {
    dev: undefined as unknown as Dev, // every test calls `open` or `begin` first
    async open(bodies = [], look = {}) {
      if (!isShared || set.dev.command.process.exitCode !== null) return set.begin(bodies, look)
      await page.evaluate('localStorage.clear()')
      await set.dev.restore()
      return show(bodies, look)
    },
    async begin(bodies = [], look = {}, setup) {
      // Stopping waits for open requests, which no test has to wait for.
      if (set.dev) stopping.push(set.dev.stop())
      set.dev = await startDev({ files: FILES, ...setup })
      isShared = setup === undefined
      return show(bodies, look)
    },
    detail: (number) => detail(set.dev.url, earlier + number),
  }
  return set
}

/** Waits until the page receives new events. */
export async function live(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
}

export function copied(page: Page): Promise<string> {
  // clipboard content is a string
  return page.evaluate('navigator.clipboard.readText()') as Promise<string>
}

/** The visible lines of the list. */
export function rows(page: Page) {
  return page.locator('#rows li:visible')
}
