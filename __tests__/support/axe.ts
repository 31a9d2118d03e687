import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'

/** The script of axe, for a page. */
export const axe = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

async function findings(page: Page, options = {}) {
  const given = JSON.stringify({ resultTypes: ['violations'], ...options })
  return page.evaluate(`axe.run(${given}).then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`)
}

/** Expects that axe finds nothing. In dark mode only the colors differ. */
export async function expectNone(page: Page): Promise<void> {
  expect(await findings(page)).toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect(await findings(page, { runOnly: ['color-contrast'] })).toEqual([])
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Pixels by which the page is wider than the screen. */
export function overflow(page: Page): Promise<unknown> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
}
