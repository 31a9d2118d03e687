// Takes the screenshots of the inspector for the docs: `npm run build && node
// scripts/screenshots.js`
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
await cp(join(root, 'scripts/screenshots/folder'), folder, { recursive: true })
await mkdir(images, { recursive: true })
const dev = spawn(process.execPath, [join(root, 'dist/cli/index.js'), 'dev', '--port', '3000'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
})
let output = ''
dev.stdout.setEncoding('utf8').on('data', (more) => {
  output += more
})
const browser = await launch(executable)
try {
  const address = await printed(/listening on (http:\S+)\n/)
  await takeAll(address, await printed(/Inspector .*: (http:\S+)\n/))
} finally {
  await browser.close()
  dev.kill('SIGTERM')
  await once(dev, 'close')
  await rm(folder, { recursive: true })
}

/**
 * @param {string} address
 * @param {string} inspector address with the key of this run
 */
async function takeAll(address, inspector) {
  await take(inspector, 'inspector-empty', {}, async () => {})
  for (const sample of SAMPLES) await send(address, sample)
  await take(inspector, 'inspector-light', {}, openIssue)
  await take(inspector, 'inspector-dark', { colorScheme: 'dark' }, openIssue)
  const viewport = { width: 390, height: 844 }
  await take(inspector, 'inspector-390', { viewport }, openIssue)
  await take(inspector, 'inspector-390-dark', { viewport, colorScheme: 'dark' }, openIssue)
  await take(inspector, 'inspector-compose', {}, async (page) => {
    await openIssue(page)
    await page.keyboard.press('e')
    await page.getByRole('button', { name: /^Send/ }).click()
    await page.getByText('Response 200').waitFor()
  })
}

/** @param {import('playwright-core').Page} page */
async function openIssue(page) {
  await page
    .getByRole('link', { name: /tickets/ })
    .first()
    .click()
  await page.getByRole('treeitem', { name: /^title:/ }).click()
  await page.locator('.toast.shown').waitFor({ state: 'detached' })
}

/**
 * @param {string} inspector
 * @param {string} name
 * @param {import('playwright-core').BrowserContextOptions} options
 * @param {(page: import('playwright-core').Page) => Promise<void>} prepare
 */
async function take(inspector, name, options, prepare) {
  const viewport = { width: 1280, height: 860 }
  const permissions = ['clipboard-read', 'clipboard-write']
  const page = await browser.newPage({ viewport, permissions, reducedMotion: 'reduce', ...options })
  await page.goto(inspector)
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

/**
 * Waits until the local engine has printed a line.
 *
 * @param {RegExp} pattern
 * @returns {Promise<string>} its first group
 */
async function printed(pattern) {
  for (;;) {
    const found = pattern.exec(output)?.[1]
    if (found) return found
    if (dev.exitCode !== null) throw new Error('the local engine ended before it listened')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
