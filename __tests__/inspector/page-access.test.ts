import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, jest, test } from '@jest/globals'
import { BROWSER_TIMEOUT, CHROMIUM, copied, ISSUE, live, rows, stage } from '../support/browser.ts'
import { post, startDev } from '../support/dev.ts'
import { ask, detail } from '../support/inspector.ts'

jest.setTimeout(BROWSER_TIMEOUT)

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const inBrowser = CHROMIUM ? describe : describe.skip

inBrowser('the page', () => {
  const set = stage()

  describe('for everybody', () => {
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
      await rows(page).nth(1).waitFor({ state: 'hidden' })
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      await page.getByLabel('Single-key shortcuts').press('Space')
      await page.keyboard.press('Escape')
      await page.locator('body').click({ position: { x: 5, y: 5 } })
      await page.keyboard.press('?')
      expect(await page.locator('dialog[open]').count()).toBe(0)
    })

    test('takes nothing that is typed for a shortcut, however fast it follows one', async () => {
      const page = await set.open([{ n: 1 }, { n: 2 }, { n: 3 }])
      await rows(page).nth(2).waitFor()
      await page.getByText('A mistake in').waitFor()
      // All within one task of the page, before it can paint: as keys come that waited for a busy one.
      const typed = await page.evaluate(`(async () => {
      const filter = () => document.getElementById('filter')
      for (const key of ['j', 'k', 'j', 'Escape', '/']) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
        await undefined
      }
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return document.activeElement === filter()
    })()`)
      expect(typed).toBe(true)
      await page.keyboard.type('replay')
      await page.getByText('0 of 3 requests').waitFor()
      expect(await page.locator('.composer').count()).toBe(0)
      // A key for a request that is chosen, and not here yet, waits for it.
      await page.getByRole('searchbox').fill('')
      await page.keyboard.press('Escape')
      await page.route('**/inspector/requests/*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 300))
        await route.continue()
      })
      await page.keyboard.press('j')
      await page.keyboard.press('b')
      await page.getByText('Copied the body').waitFor()
      expect(await copied(page)).toBe('{"n":2}')
      await page.unroute('**/inspector/requests/*')
      // The composer takes the keys as soon as it is there, and gives them back.
      await page.keyboard.press('n')
      await page.keyboard.type('/rec')
      expect(await page.getByLabel('Path').inputValue()).toBe('hook/webhook//rec')
      await page.keyboard.press('Escape')
      await page.keyboard.press('/')
      await page.keyboard.type('nothing has this')
      await page.getByText('0 of 3 requests').waitFor()
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

    test('axe finds nothing, in light and in dark', async () => {
      const page = await set.open()
      await page.evaluate(axe)
      const findings = async (options = {}) => {
        const found = await page.evaluate(`axe.run(${JSON.stringify(options)})`)
        // What axe gives, as far as it is looked at.
        const { violations } = found as { violations: { id: string; nodes: { html: string }[] }[] }
        return violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
        )
      }
      /** In dark only the colours are other ones. */
      const expectNone = async () => {
        expect(await findings()).toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await findings({ runOnly: ['color-contrast'] })).toEqual([])
        await page.emulateMedia({ colorScheme: 'light' })
      }
      await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
      await expectNone()
      await post(set.dev.hook('bad/webhook'), {})
      await post(set.dev.hook('hook/webhook/a/b'), {})
      await post(`${set.dev.url}/elsewhere`, {})
      await post(set.dev.hook('hook/webhook'), { ...ISSUE, none: null, number: 1, flag: true })
      await page.getByRole('treeitem', { name: 'title: it breaks' }).click()
      await expectNone()
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.getByText('Path does not match /{:name}.').waitFor()
      await expectNone()
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'Edit and replay' }).waitFor()
      await page.getByLabel('Path').fill('hook/webhook/a')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: 'Against the original' }).waitFor()
      await expectNone()
      await page.setViewportSize({ width: 390, height: 844 })
      await expectNone()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.locator('.mistakes summary').click()
      await expectNone()
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      await expectNone()
    })
  })

  describe('R47: keeps to itself', () => {
    test('a payload of HTML and script stays text', async () => {
      const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
      const page = await set.open()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      const headers = { 'content-type': 'application/json', 'x-hostile': hostile }
      const body = JSON.stringify({ [hostile]: hostile, list: [hostile] })
      const target = `${set.dev.hook('hook/webhook')}?${encodeURIComponent(hostile)}=${hostile}`
      await post(target, body, headers)
      await page.getByRole('treeitem', { name: 'headers:' }).press('ArrowRight')
      await page.getByRole('treeitem', { name: hostile }).first().click()
      await page.getByRole('button', { name: 'Edit and replay' }).click()
      expect(
        await page.locator('#detail img, #app script, .composer img, #toast img').count(),
      ).toBe(0)
      expect(await page.evaluate('window.hit')).toBeUndefined()
      expect(await page.locator('#detail').innerText()).toContain(hostile)
      expect(errors).toEqual([])
    })

    test('even its own script could not make HTML of a text', async () => {
      const page = await set.open()
      const attempt = page.evaluate(`document.body.innerHTML = '<b>x</b>'`)
      await expect(attempt).rejects.toThrow('TrustedHTML')
    })

    test('follows a new run after a restart', async () => {
      const page = await set.open([{ n: 1 }])
      await page.getByRole('treeitem', { name: 'n: 1' }).waitFor()
      const { port } = new URL(set.dev.url)
      await set.dev.stop()
      await page.getByText('Connection lost').waitFor()
      set.dev = await startDev({
        files: { 'workflows/hook.yml': 'on: webhook' },
        args: ['--port', port],
      })
      await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
      await post(set.dev.hook('hook/webhook'), { n: 2 })
      await page.getByRole('treeitem', { name: 'n: 2' }).waitFor()
      await page.keyboard.press('r')
      await page.getByText('Sent again, answered 200').waitFor()
    })

    test('forgets what the engine has forgotten', async () => {
      const page = await set.open()
      for (let count = 0; count < 205; count += 41) {
        const at = (index: number) => post(set.dev.hook('hook/webhook'), { count: count + index })
        await Promise.all(Array.from({ length: 41 }, (_, index) => at(index)))
      }
      await page.getByText('The last 200 of 205 requests').waitFor()
      await rows(page).nth(200).waitFor({ state: 'hidden' })
      expect(await rows(page).count()).toBe(200)
    })

    test('nothing of it is fetched from elsewhere', async () => {
      const page = await set.open()
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).origin))
      await page.reload()
      await live(page)
      expect(new Set(asked)).toEqual(new Set([set.dev.url]))
    })

    test('another page of the same browser cannot look in', async () => {
      const page = await set.open([{ private: 'text' }])
      const { id } = await detail(set.dev.url, 1)
      const foreign = new URL(set.dev.url)
      foreign.hostname = '127.0.0.1'
      // Another origin on this machine, with a document of its own.
      await page.goto(`${foreign.origin}/webhook/hook/webhook?__response_content_type=text/html`)
      const attempt = page.evaluate(
        `fetch('${set.dev.url}/inspector/requests/${id}').then((answer) => answer.text(), () => 'refused')`,
      )
      expect(await attempt).toBe('refused')
      const { body } = await ask(set.dev.url, `/inspector/requests/${id}`)
      expect(body).toContain('private')
    })
  })
})
