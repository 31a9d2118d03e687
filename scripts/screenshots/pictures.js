import { createHash } from 'node:crypto'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedChromium, launch } from '../chromium.js'
import { CAUSES, RATE, startCauses } from '../docs/causes.js'
import { CLI } from '../docs/cli.js'
import { Program } from '../docs/program.js'
import { makeMovingPicture } from './moving.js'
import { SAMPLES } from './samples.js'

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').Page} Page */
/** @typedef {(file: string, bytes: Buffer) => Promise<void>} Write */
/** @typedef {Record<string, string>} Hashes by the file of the picture */

export const PICTURES_FILE = 'docs/images/pictures.json'

/** The width of a README on GitHub. */
const WIDE = { width: 1012, height: 790 }
const NARROW = { width: 375, height: 760 }

/**
 * Makes the pictures of `hookline dev` and of `hookline deliveries --open`.
 *
 * @param {Write} [write] receives each picture; without it, only the hashes are made
 * @returns {Promise<Hashes>}
 */
export async function makePictures(write) {
  const executable = installedChromium()
  if (!executable) throw new Error('no Chromium is installed; CHROMIUM can name one')
  const browser = await launch(executable)
  /** @type {Hashes} */
  const shown = {}
  const take = taker(browser, shown, write)
  try {
    await withDev('folder', async (address, inspector) => {
      for (const sample of SAMPLES) await send(address, sample)
      await take('inspector-light', inspector, openIssue)
      await take('inspector-dark', inspector, openIssue, { colorScheme: 'dark' })
      await take('inspector-375', inspector, openIssue, { viewport: NARROW })
      await take('inspector-compose', inspector, async (page) => {
        await openIssue(page)
        await page.keyboard.press('e')
        await page.getByRole('button', { name: /^Send/ }).click()
        await page.getByText('Response 200').waitFor()
      })
    })
    await withRelay(async (inspector, delivery) => {
      /** @param {Page} page */
      const open = async (page) => {
        await page.locator(`[data-id="${delivery}"] a`).click()
        await page.locator('.stage.failed').waitFor()
      }
      await take('relay-light', inspector, open)
      await take('relay-dark', inspector, open, { colorScheme: 'dark' })
      await take('relay-375', inspector, open, { viewport: NARROW })
    })
    await withDev('moving', async (address, inspector, dev) => {
      const { bytes, states } = await makeMovingPicture({ browser, address, inspector, dev })
      shown['hookline.webp'] = hashOf(states.join('\n'))
      await write?.('hookline.webp', bytes)
    })
  } finally {
    await browser.close()
  }
  return shown
}

/** The recorded hashes. @returns {Promise<Hashes>} */
export async function recordedPictures() {
  return JSON.parse(await readFile(PICTURES_FILE, 'utf8'))
}

/**
 * @param {Browser} browser
 * @param {Hashes} shown
 * @param {Write} [write]
 */
function taker(browser, shown, write) {
  /**
   * @param {string} name
   * @param {string} inspector address with its key
   * @param {(page: Page) => Promise<void>} prepare
   * @param {import('playwright-core').BrowserContextOptions} [look]
   */
  return async (name, inspector, prepare, look) => {
    const page = await openPage(browser, inspector, look)
    await prepare(page)
    await settle(page)
    shown[`${name}.png`] = hashOf(await stateOf(page))
    await write?.(`${name}.png`, await page.screenshot())
    await page.context().close()
  }
}

/**
 * @param {Browser} browser
 * @param {string} inspector
 * @param {import('playwright-core').BrowserContextOptions} [look]
 */
export async function openPage(browser, inspector, look) {
  const context = await browser.newContext({
    ...{ viewport: WIDE, deviceScaleFactor: 1.5, reducedMotion: 'reduce', locale: 'en-US' },
    ...{ timezoneId: 'UTC', permissions: ['clipboard-read', 'clipboard-write'] },
    ...look,
  })
  const page = await context.newPage()
  await page.goto(inspector)
  await page.locator('#detail > *').first().waitFor({ state: 'attached' })
  return page
}

/** Waits for messages that disappear, and puts the addresses of the docs in place of this machine's. @param {Page} page */
export async function settle(page) {
  await page.locator('.toast.shown').waitFor({ state: 'detached' })
  await page.waitForTimeout(300)
  await page.evaluate(NAME_HOSTS)
}

const NAME_HOSTS = String.raw`{
  // The calendar of the relay is too fast.
  const isRelay = document.title.includes('deliveries')
  const named = (text) =>
    text
      .replace(/127\.0\.0\.1:\d+/g, 'relay.example.com')
      .replace(/localhost:\d+/g, 'localhost:3000')
      .replace(/\d+(?= ms)/g, (time) => (isRelay ? Math.ceil(time / ${RATE}) : time))
  for (const field of document.querySelectorAll('textarea')) field.value = named(field.value)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) texts.currentNode.data = named(texts.currentNode.data)
}`

/** What a page shows and how, without what differs between two runs. @param {Page} page */
export async function stateOf(page) {
  const state = String(await page.evaluate(READ_STATE))
  return state
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\b[0-9a-f]{8}-(?=\d)/g, 'RUN-')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/(?:[A-Z][a-z]{2} \d{1,2}, )?\d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/[\d.]+ ms/g, 'MS')
    .replaceAll(/\d+ attempts?|<dd>\d+<|runs\/\d+/g, 'COUNT')
    .replaceAll(/(?:localhost|127\.0\.0\.1):\d+/g, 'HOST')
}

const READ_STATE = `(async () => {
  const body = document.body.cloneNode(true)
  const fields = [...document.querySelectorAll('input, textarea, select')]
  const sheets = [...document.querySelectorAll('link[rel=stylesheet]')]
  const styles = await Promise.all(sheets.map(async ({ href }) => (await fetch(href)).text()))
  return [body.outerHTML, ...fields.map(({ value }) => value), ...styles].join('\\n')
})()`

/** @param {string} text */
function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** @param {Page} page */
async function openIssue(page) {
  await page
    .getByRole('link', { name: /tickets/ })
    .first()
    .click()
  await page.getByRole('button', { name: /^title:/ }).click()
  await page.locator('.toast.shown').waitFor()
}

/**
 * Runs `hookline dev` in a copy of a folder.
 *
 * @param {string} name
 * @param {(address: string, inspector: string, dev: Program) => Promise<void>} work
 */
async function withDev(name, work) {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-pictures-'))
  await cp(fileURLToPath(new URL(name, import.meta.url)), folder, { recursive: true })
  const env = { PATH: process.env.PATH ?? '', NO_COLOR: '1' }
  const dev = new Program(process.execPath, [CLI, 'dev', '--port', '0'], { cwd: folder, env })
  try {
    const [, address = ''] = await dev.saw(/listening on (http:\S+)\n/)
    const [, inspector = ''] = await dev.saw(/Inspector .*: (http:\S+)\n/)
    await work(address, inspector, dev)
  } finally {
    await dev.stop()
    await rm(folder, { recursive: true })
  }
}

/**
 * Runs a relay whose deliveries have the causes of the guide.
 *
 * @param {(inspector: string, delivery: string) => Promise<void>} work with the delivery that a filter declined
 */
async function withRelay(work) {
  const scene = await startCauses()
  try {
    let shown = ''
    for (const name of [
      "yesterday's event",
      'expired token',
      'wrong secret',
      'disabled workflow',
      'two workflows',
      'filter',
    ]) {
      const cause = CAUSES[name]
      if (!cause) throw new Error(name)
      const delivery = await cause.plant(scene)
      await scene.shows(delivery, cause.seen)
      if (name === 'filter') shown = delivery
    }
    const open = scene.start('exec hookline deliveries --open')
    const [, inspector = ''] = await open.saw(/^Inspector of \S+: (http:\S+)\n/)
    await work(inspector, shown)
    await open.stop()
  } finally {
    await scene.close()
  }
}

/**
 * @param {string} address
 * @param {import('./samples.js').Sample} sample
 */
async function send(address, { method, path, headers, body }) {
  await fetch(`${address}/webhook/${path}`, { method, headers, body: body ?? null })
}
