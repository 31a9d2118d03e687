import { afterAll, afterEach, beforeAll } from '@jest/globals'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import { type Dev, type DevSetup, post, startDev } from './dev.ts'

export const CHROMIUM = installedChromium()
if (!CHROMIUM) process.stderr.write('no Chromium is installed: the page is not tested\n')

/** Generous: several browsers may share the machine. */
export const BROWSER_TIMEOUT = 60_000

export const ISSUE = {
  action: 'opened',
  issue: { title: 'it breaks', labels: [{ name: 'bug' }], 'two words': 1, "it's": true },
}

const FILES = {
  '.env': 'KEY=a-secret-that-nobody-sees',
  'workflows/hook.yml': 'on: { webhook: { path: "/{:name}" } }',
  'workflows/bad.yml': 'on:\n  webhook:\n    method: psot\n',
}

/** A browser for all tests of a describe block, and a run of `hookline dev` for each of them. */
export interface Stage {
  dev: Dev
  /** The page of a fresh run, after bodies were posted. */
  open(
    bodies?: readonly unknown[],
    options?: BrowserContextOptions,
    setup?: Partial<DevSetup>,
  ): Promise<Page>
}

export function stage(): Stage {
  let browser: Browser
  const pages: Page[] = []
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '')
  }, BROWSER_TIMEOUT)
  afterAll(() => browser.close())
  const set: Stage = {
    dev: undefined as unknown as Dev, // `open` begins every test
    async open(bodies = [], options = {}, setup = {}) {
      set.dev = await startDev({ files: FILES, ...setup })
      for (const body of bodies) await post(set.dev.hook('hook/webhook'), body)
      const page = await visit(browser, set.dev.url, options)
      pages.push(page)
      return page
    },
  }
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close()
    await set.dev.stop()
  })
  return set
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions): Promise<Page> {
  const permissions = ['clipboard-read', 'clipboard-write']
  const context = await browser.newContext({ permissions, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  await page.goto(url)
  await live(page)
  return page
}

/** Waits until the page follows the events. */
export async function live(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
}

export function copied(page: Page): Promise<string> {
  return page.evaluate('navigator.clipboard.readText()') as Promise<string> // it is a text
}

/** The lines of the list that are seen. */
export function rows(page: Page) {
  return page.locator('#rows li:visible')
}
