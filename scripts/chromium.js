import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/**
 * The path of an installed Chromium; `undefined` if there is none. `CHROMIUM` names another path.
 */
export function installedChromium() {
  return [process.env.CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path))
}

/** Turns off Chromium's own network requests. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @param {string} executablePath */
export function launch(executablePath) {
  return chromium.launch({ executablePath, args: ARGS })
}
