// A moving picture: two requests are sent to `hookline dev`, and the page shows the decision and the outputs.
import { CLI } from '../docs/cli.js'
import { Program } from '../docs/program.js'
import { openPage, settle, stateOf } from './pictures.js'

const PAGE = { width: 1012, height: 500 }
const TERMINAL = { width: 1012, height: 132 }

/** @typedef {{ image: Buffer, y: number, height: number, milliseconds: number }} Frame */

/**
 * @param {{ browser: import('playwright-core').Browser, address: string, inspector: string, dev: Program }} setting
 * @returns {Promise<{ bytes: Buffer, states: string[] }>} the picture as animated WebP, and what the page showed
 */
export async function makeMovingPicture({ browser, address, inspector, dev }) {
  const page = await openPage(browser, inspector, { viewport: PAGE, deviceScaleFactor: 1.25 })
  const stage = await browser.newPage({
    viewport: { width: PAGE.width, height: PAGE.height + TERMINAL.height },
    deviceScaleFactor: 1.25,
  })
  await stage.setContent(STAGE)
  /** @type {Frame[]} */
  const frames = []
  /** @type {string[]} */
  const states = []
  const lines = ['$ hookline dev', dev.printed.split('\n')[0] ?? '', '']
  const terminal = (/** @type {string} */ last) => {
    const shown = [...lines, `$ ${last}▌`]
      .slice(-6)
      .join('\n')
      .replaceAll(/localhost:\d+/g, 'localhost:3000')
    return stage.locator('pre').evaluate((element, text) => element.replaceChildren(text), shown)
  }
  /** Shows the terminal alone anew, or the page too. @param {number} milliseconds @param {'terminal' | 'whole'} part */
  const add = async (milliseconds, part) => {
    const whole = part === 'whole'
    if (whole) {
      const image = (await page.screenshot()).toString('base64')
      await stage.evaluate(
        `new Promise((done) => { const image = document.querySelector('img'); image.onload = done; image.src = 'data:image/png;base64,${image}' })`,
      )
      states.push(await stateOf(page))
    }
    const height = whole ? PAGE.height + TERMINAL.height : TERMINAL.height
    const image = await stage.screenshot({ clip: { x: 0, y: 0, width: PAGE.width, height } })
    frames.push({ image, y: 0, height, milliseconds })
  }
  /** @param {string} body */
  const send = async (body) => {
    const command = `hookline send ${address.replace('http://', '')}/webhook/tickets/webhook --data '${body}'`
    for (const part of [0.3, 0.65, 1]) {
      await terminal(command.slice(0, command.length * part))
      await add(part === 1 ? 700 : 250, 'terminal')
    }
    const words = [CLI, 'send', `${address}/webhook/tickets/webhook`, '--data', body]
    const sent = new Program(process.execPath, words, {
      cwd: '.',
      env: { PATH: process.env.PATH ?? '' },
    })
    await sent.end()
    lines.push(`$ ${command}`, ...sent.printed.trimEnd().split('\n').slice(1, 2))
    await terminal('')
  }

  await settle(page)
  await terminal('')
  await add(1800, 'whole')
  await send('{"action":"opened","title":"It breaks"}')
  await page.getByRole('heading', { name: 'Decision' }).waitFor()
  await settle(page)
  await add(3000, 'whole')
  await page.locator('#outputs-title').evaluate((heading) => heading.scrollIntoView())
  await page.getByRole('button', { name: /^title:/ }).click()
  await page.locator('.toast.shown').waitFor()
  await page.waitForTimeout(300)
  await add(3500, 'whole')
  await settle(page)
  await page.keyboard.press('Escape')
  await send('{"action":"closed","title":"It breaks"}')
  await page.getByText('Skipped').first().waitFor()
  await page.locator('#detail').getByText('body.action is').first().waitFor()
  await settle(page)
  await add(3500, 'whole')
  const bytes = await animatedWebp(stage, frames)
  await page.context().close()
  await stage.close()
  return { bytes, states }
}

const STAGE = `<!doctype html>
<style>
  body { margin: 0 }
  pre { box-sizing: border-box; height: ${TERMINAL.height}px; margin: 0; padding: 12px 18px; overflow: hidden; background: #14171a; color: #e6e8ea; font: 13px / 18px "DejaVu Sans Mono", monospace }
  img { display: block; width: ${PAGE.width}px; height: ${PAGE.height}px }
</style>
<pre></pre><img>`

/**
 * Puts frames into one file, each encoded by the browser without loss.
 *
 * @param {import('playwright-core').Page} page
 * @param {readonly Frame[]} frames
 * @see https://developers.google.com/speed/webp/docs/riff_container
 */
async function animatedWebp(page, frames) {
  const parts = []
  let size = { width: 0, height: 0 }
  for (const { image, milliseconds } of frames) {
    /** @type {any} */
    const encoded = await page.evaluate(
      `(async () => {
      const image = await createImageBitmap(await (await fetch('data:image/png;base64,${image.toString('base64')}')).blob())
      const { width, height } = image
      const canvas = new OffscreenCanvas(width, height)
      canvas.getContext('2d').drawImage(image, 0, 0)
      const blob = await canvas.convertToBlob({ type: 'image/webp', quality: QUALITY })
      const bytes = new Uint8Array(await blob.arrayBuffer())
      let text = ''
      for (const byte of bytes) text += String.fromCharCode(byte)
      return { width, height, data: btoa(text) }
    })()`.replace('QUALITY', '1'),
    )
    const { width, height, data } = encoded
    size = { width: Math.max(size.width, width), height: Math.max(size.height, height) }
    const head = Buffer.alloc(16)
    head.writeUIntLE(width - 1, 6, 3)
    head.writeUIntLE(height - 1, 9, 3)
    head.writeUIntLE(milliseconds, 12, 3)
    head[15] = 0b10 // The frame replaces what is below.
    parts.push(chunk('ANMF', Buffer.concat([head, imageChunks(Buffer.from(data, 'base64'))])))
  }
  const extended = Buffer.alloc(10)
  extended[0] = 0b10 // There is an animation.
  extended.writeUIntLE(size.width - 1, 4, 3)
  extended.writeUIntLE(size.height - 1, 7, 3)
  const body = [chunk('VP8X', extended), chunk('ANIM', Buffer.alloc(6)), ...parts]
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body]))
}

/** The chunks of a file that contain its image. @param {Buffer} file */
function imageChunks(file) {
  const kept = []
  for (let at = 12; at < file.length; ) {
    const end = at + 8 + file.readUInt32LE(at + 4) + (file.readUInt32LE(at + 4) % 2)
    if (/^(?:VP8 |VP8L|ALPH)$/.test(file.toString('latin1', at, at + 4)))
      kept.push(file.subarray(at, end))
    at = end
  }
  return Buffer.concat(kept)
}

/** @param {string} name @param {Buffer} content */
function chunk(name, content) {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}
