import { describe, expect, jest, test } from '@jest/globals'
import { BROWSER_TIMEOUT, CHROMIUM, live, rows, stage } from '../support/browser.ts'
import { post, startDev } from '../support/dev.ts'
import { ask, detail } from '../support/inspector.ts'

jest.setTimeout(BROWSER_TIMEOUT)

const inBrowser = CHROMIUM ? describe : describe.skip

inBrowser('R47: the page keeps', () => {
  const set = stage()

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
    expect(await page.locator('#detail img, #app script, .composer img, #toast img').count()).toBe(
      0,
    )
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
