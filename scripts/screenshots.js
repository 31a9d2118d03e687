// Takes the pictures of the inspector for the docs: `npm run build && node scripts/screenshots.js`
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installedChromium, launch } from './chromium.js'
import { SAMPLES } from './screenshots/samples.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const images = join(root, 'docs/images')

const executable = installedChromium()
if (!executable) throw new Error('no Chromium is installed; CHROMIUM can name one')
const folder = await mkdtemp(join(tmpdir(), 'hookline-pictures-'))
await cp(join(root, 'scripts/screenshots/workflows'), join(folder, 'workflows'), {
  recursive: true,
})
await mkdir(images, { recursive: true })
const dev = spawn(process.execPath, [join(root, 'dist/cli/index.js'), 'dev', '--port', '3000'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const browser = await launch(executable)
try {
  await takeAll(await listening())
} finally {
  await browser.close()
  dev.kill('SIGTERM')
  await once(dev, 'close')
  await rm(folder, { recursive: true })
}

/** @param {string} address */
async function takeAll(address) {
  await take(address, 'inspector-empty', { colorScheme: 'light' }, async () => {})
  for (const sample of SAMPLES) await send(address, sample)
  const open = async (/** @type {import('playwright-core').Page} */ page) => {
    await page
      .getByRole('link', { name: /hook\/webhook\/issues/ })
      .first()
      .click()
    await page.getByRole('treeitem', { name: /^title:/ }).hover()
  }
  await take(address, 'inspector-light', { colorScheme: 'light' }, open)
  await take(address, 'inspector-dark', { colorScheme: 'dark' }, open)
  const narrow = { width: 360, height: 740 }
  await take(address, 'inspector-360', { colorScheme: 'light', viewport: narrow }, async (page) => {
    await page
      .getByRole('link', { name: /hook\/webhook\/issues/ })
      .first()
      .click()
  })
}

/**
 * @param {string} address
 * @param {string} name
 * @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: import('playwright-core').Page) => Promise<void>} prepare
 */
async function take(address, name, options, prepare) {
  const viewport = { width: 1240, height: 800 }
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce', ...options })
  await page.goto(address)
  await page.locator('#detail > *').first().waitFor({ state: 'attached' })
  await prepare(page)
  await page.waitForTimeout(300)
  await page.screenshot({ path: join(images, `${name}.png`) })
  await page.close()
}

/**
 * @param {string} address
 * @param {import('./screenshots/samples.js').Sample} sample
 */
async function send(address, { method, path, headers, body }) {
  await fetch(`${address}/webhook/${path}`, { method, headers, body: body ?? null })
}

/** The address that the local engine prints once it accepts requests. */
function listening() {
  return new Promise((resolve, reject) => {
    let text = ''
    dev.stdout.setEncoding('utf8').on('data', (more) => {
      text += more
      const address = /listening on (http:\S+)\n/.exec(text)?.[1]
      if (address) resolve(address)
    })
    dev.on('close', () => reject(new Error('the local engine ended before it listened')))
  })
}
