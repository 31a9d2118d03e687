import { afterAll, afterEach, beforeAll } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { installedChromium, launch } from '../../scripts/chromium.js'
import { type Dev, type DevSetup, post, startDev } from './dev.ts'

export const CHROMIUM = installedChromium()
if (!CHROMIUM) process.stderr.write('no Chromium is installed: the page is not tested\n')

/** Of one test: several browsers may share a machine that is slow already. */
export const BROWSER_TIMEOUT = 300_000
/** For whatever a page is waited for; it ends only what will never come. */
const PATIENCE = 60_000
/** How many times slower the page is: 20 shows what only a slow machine would. */
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

/** What a page is looked at with. */
interface Look {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
}

/**
 * A browser with one page for all tests of a describe block, since another one would cost as much as
 * a test does, and a run of `hookline dev` for each of them: its port is an origin of its own, so that
 * nothing is left of the test before.
 */
export interface Stage {
  dev: Dev
  /** The page of a fresh run, after bodies were posted. */
  open(bodies?: readonly unknown[], look?: Look, setup?: Partial<DevSetup>): Promise<Page>
}

export function stage(): Stage {
  let browser: Browser
  let page: Page
  const stopping: Promise<unknown>[] = []
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '')
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await browser.newContext({ permissions, reducedMotion: 'reduce' })
    page = await context.newPage()
    page.setDefaultTimeout(PATIENCE)
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  }, BROWSER_TIMEOUT)
  afterAll(async () => {
    await browser.close()
    await Promise.all(stopping)
  }, BROWSER_TIMEOUT)
  const set: Stage = {
    dev: undefined as unknown as Dev, // `open` begins every test
    async open(bodies = [], { viewport, colorScheme = 'light' } = {}, setup = {}) {
      set.dev = await startDev({ files: FILES, ...setup })
      for (const body of bodies) await post(set.dev.hook('hook/webhook'), body)
      await page.setViewportSize(viewport ?? { width: 1280, height: 720 })
      await page.emulateMedia({ colorScheme })
      await page.goto(set.dev.url)
      await live(page)
      return page
    },
  }
  // It lets what is under way end, for which no test has to wait.
  afterEach(() => void stopping.push(set.dev.stop()))
  return set
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
