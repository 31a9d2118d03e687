import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium is installed; `undefined` when none is. `CHROMIUM` names another place. */
export function installedChromium() {
  return [process.env.CHROMIUM ?? '', ...PLACES].find((path) => path !== '' && existsSync(path))
}

/** Nothing is fetched from anywhere but what a page itself asks for. */
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
