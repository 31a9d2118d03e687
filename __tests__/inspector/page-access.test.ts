import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, jest, test } from '@jest/globals'
import { BROWSER_TIMEOUT, CHROMIUM, copied, ISSUE, rows, stage } from '../support/browser.ts'
import { post } from '../support/dev.ts'

jest.setTimeout(BROWSER_TIMEOUT)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const inBrowser = CHROMIUM ? describe : describe.skip

inBrowser('the page for everybody', () => {
  const set = stage()

  test('is usable by the keyboard alone', async () => {
    const page = await set.open([{ n: 1 }, { n: 2 }, { n: 3 }])
    const shown = (n: number) => page.getByRole('treeitem', { name: `n: ${n}`, exact: true })
    await shown(3).waitFor()
    await page.keyboard.press('j')
    await shown(2).waitFor()
    await page.keyboard.press('j')
    await shown(1).waitFor()
    await page.keyboard.press('k')
    await shown(2).waitFor()
    await page.keyboard.press('Enter')
    while (!(await page.locator('[role=tree] :focus').count())) await page.keyboard.press('Tab')
    const focused = page.locator('[role=treeitem]:focus')
    for (let at = 0; at < 20 && (await focused.innerText()) !== 'n:\n2'; at++) {
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await page.getByText('Copied the expression').waitFor()
    expect(await copied(page)).toContain(' on.webhook.outputs.body.n ')
    await page.keyboard.press('r')
    await page.getByText('Sent again').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('replay')
    await page.getByText('1 of 4 requests').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
    await page.getByLabel('Single-key shortcuts').press('Space')
    await page.keyboard.press('Escape')
    await page.locator('body').click({ position: { x: 5, y: 5 } })
    await page.keyboard.press('?')
    expect(await page.locator('dialog[open]').count()).toBe(0)
  })

  test('is usable on a screen of 390 px', async () => {
    const page = await set.open([], { viewport: { width: 390, height: 640 } })
    const overflow = () =>
      page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
    expect(await overflow()).toBe(0)
    await post(set.dev.hook('hook/webhook/a'), { text: 'x'.repeat(300), nested: ISSUE })
    await rows(page).first().click()
    await page.getByRole('treeitem', { name: 'title: it breaks' }).click()
    await page.getByText('Copied the expression').waitFor()
    expect(await overflow()).toBe(0)
    await page.getByRole('link', { name: 'All requests' }).click()
    await rows(page).first().waitFor()
    expect(await overflow()).toBe(0)
  })

  test.each(['light', 'dark'] as const)('axe finds nothing, %s', async (colorScheme) => {
    const page = await set.open([], { colorScheme })
    const findings = async () => {
      await page.evaluate(axe)
      const found = await page.evaluate('axe.run()')
      // What axe gives, as far as it is looked at.
      const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] }
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    }
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
    expect(await findings()).toEqual([])
    await post(set.dev.hook('bad/webhook'), {})
    await post(set.dev.hook('hook/webhook/a/b'), {})
    await post(`${set.dev.url}/elsewhere`, {})
    await post(set.dev.hook('hook/webhook'), { ...ISSUE, none: null, number: 1, flag: true })
    await page.getByRole('treeitem', { name: 'title: it breaks' }).click()
    expect(await findings()).toEqual([])
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.getByText('Path does not match /{:name}.').waitFor()
    expect(await findings()).toEqual([])
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'Edit and replay' }).waitFor()
    expect(await findings()).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await findings()).toEqual([])
    await page.keyboard.press('Escape')
    expect(await findings()).toEqual([])
    await page.locator('.mistakes summary').click()
    expect(await findings()).toEqual([])
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.keyboard.press('?')
    expect(await findings()).toEqual([])
  })
})
