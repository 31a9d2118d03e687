import { readFileSync } from 'node:fs'
import { data, Evaluator, Parser } from '@actions/expressions'
import { describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { lex } from '../../src/workflow/expressions.ts'
import { axe, expectNone, overflow } from '../support/axe.ts'
import { CHROMIUM, copied, ISSUE, live, rows, stage } from '../support/browser.ts'
import { post, startDev } from '../support/dev.ts'
import { ask } from '../support/inspector.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'

function evaluate(text: string, contexts: object): unknown {
  const [, expression = ''] = /^\$\{\{ (.*) \}\}$/s.exec(text) ?? []
  const tree = new Parser(lex(expression), Object.keys(contexts), []).parse()
  const given = JSON.parse(JSON.stringify(contexts), data.reviver)
  return JSON.parse(JSON.stringify(new Evaluator(tree, given).evaluate(), data.replacer))
}
/** The value of a field after it matches a pattern. */
async function until(read: () => Promise<string>, pattern: RegExp): Promise<string> {
  for (;;) {
    const text = await read()
    if (pattern.test(text)) return text
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const copies = (page: Page, pattern: RegExp) => until(() => copied(page), pattern)

/** A value with values in it, in the tree of the outputs. */
const branch = (page: Page, text: string) => page.locator('summary', { hasText: text })

const NATIVE = `
on: { repository_dispatch: { types: [webhook] } }
jobs:
  on:
    outputs:
      payload: \${{ steps.hookline.outputs.body }}
      items: \${{ steps.hookline.outputs.items }}
    steps:
      - { id: hookline, uses: hookline/hookline@v1, with: { on: webhook } }
  triage: { needs: on }
  each:
    needs: on
    strategy: { matrix: { on: "\${{ fromJSON(needs.on.outputs.items) }}" } }
`

/** `expression.test.ts` tests the expression of each position. */
const CLICKED = [
  ["it's: true", true],
  ['name: bug', 'bug'],
  ['title: it breaks', 'it breaks'],
  ['two words: 1', 1],
  ['method: post', 'post'],
] as const

const inBrowser = CHROMIUM ? describe : describe.skip

inBrowser('the page', () => {
  const set = stage()

  test('shows the line to paste before the first request, and the mistakes of a file', async () => {
    const page = await set.begin()
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
    await page.getByText('unknown HTTP method "psot"').waitFor()
    await page.evaluate(axe)
    await expectNone(page)
    await page.setViewportSize({ width: 390, height: 640 })
    expect(await overflow(page)).toBe(0)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText('Copied the command').waitFor()
    expect(await copied(page)).toContain(`'${set.dev.url}/webhook/hook/webhook`)
    // Then an original request.
    await post(set.dev.hook('hook/webhook/first'), ISSUE)
    await rows(page).getByText('hook/webhook/first').waitFor()
    await page.getByRole('button', { name: 'title: it breaks' }).waitFor()
  })

  test('a click on a value copies what reads it, in every form', async () => {
    const page = await set.open([ISSUE])
    const { items } = await set.detail(1)
    const fields = Object.entries(items[0]?.webhook?.outputs ?? {}).map(([field, one]) => [
      field,
      typeof one === 'string' ? one : JSON.stringify(one),
    ])
    const outputs = { ...Object.fromEntries(fields), on: JSON.stringify(items[0] ?? {}) }
    const contexts = {
      on: items[0] ?? {},
      steps: { hookline: { outputs } },
    }
    const expressions = page.getByRole('region', { name: 'Expressions' })
    await branch(page, '0: {1}').click()
    for (const [name, value] of CLICKED.slice(0, 2)) {
      await page.getByRole('button', { name, exact: true }).click()
      expect(evaluate(await copies(page, /^\$\{\{/), contexts)).toBe(value)
      await expressions.getByRole('button', { name: 'Copy ${{ on.' }).click()
      expect(evaluate(await copies(page, /^\$\{\{ on/), contexts)).toBe(value)
      await expressions.getByRole('button', { name: /steps\.hookline/ }).click()
      expect(evaluate(await copies(page, /steps\.hookline/), contexts)).toBe(value)
      await expressions.getByRole('button', { name: 'Copy value' }).click()
      expect(await copies(page, /^[^$]/)).toBe(String(value))
    }
  })

  test('a click on a value leaves what is read in its place, and the page does not scroll', async () => {
    const page = await set.open([ISSUE], { viewport: { width: 1000, height: 420 } })
    const value = page.getByRole('button', { name: 'title: it breaks' })
    await value.scrollIntoViewIfNeeded()
    const top = () => page.evaluate<number>("document.querySelector('#detail').scrollTop")
    const before = await top()
    expect(before).toBeGreaterThan(100)
    await value.click()
    await page.getByText('Copied the expression').waitFor()
    expect(await top()).toBeGreaterThan(100)
    const root = 'document.scrollingElement'
    expect(await page.evaluate(`${root}.scrollHeight - ${root}.clientHeight`)).toBe(0)
  })

  test('offers what a native workflow can write, and what it lacks', async () => {
    const page = await set.open()
    await set.dev.write({ '.github/workflows/tickets.yml': NATIVE })
    await post(set.dev.hook('tickets/webhook'), ISSUE)
    await page.getByRole('heading', { name: 'POST tickets/webhook' }).waitFor()
    await page.getByRole('button', { name: 'title: it breaks' }).click()
    const expressions = page.getByRole('region', { name: 'Expressions' })
    for (const expression of [
      "${{ fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.issue.title }}",
      "${{ fromJSON(needs.on.outputs.items || '[]')[0].webhook.outputs.body.issue.title }}",
      '${{ matrix.on.webhook.outputs.body.issue.title }}',
    ]) {
      await expressions.getByText(expression, { exact: true }).waitFor()
    }
    await set.dev.write({ '.github/workflows/tickets.yml': NATIVE.replace(/ +items: .*\n/, '') })
    await page.keyboard.press('r')
    await page.locator('.facts').getByText('replay').waitFor()
    await page.getByRole('button', { name: 'method: post' }).click()
    await expressions.getByText('job on does not output it').first().waitFor()
    await expressions.getByRole('button', { name: 'method: $' }).first().click()
    await page.getByText('Copied the line').waitFor()
    expect(await copied(page)).toBe('method: ${{ steps.hookline.outputs.method }}')
    // The selection remains while events arrive, and applies to the next event.
    await page.keyboard.press('r')
    await rows(page).filter({ hasText: 'tickets' }).nth(2).waitFor()
    await expressions.getByText('${{ steps.hookline.outputs.method }}', { exact: true }).waitFor()
  })

  test('shows empty ones as what they are, and opens a list at a click', async () => {
    const page = await set.open([{ object: {}, list: [], labels: [1, 2, 3] }])
    await page.getByRole('button', { name: 'object: {}', exact: true }).waitFor()
    await page.getByRole('button', { name: 'list: []', exact: true }).waitFor()
    const labels = branch(page, 'labels: [3]')
    const second = page.getByRole('button', { name: '1: 2', exact: true })
    await second.waitFor()
    await labels.click()
    await second.waitFor({ state: 'hidden' })
    expect(await page.getByText('Copied').count()).toBe(0)
    await page.locator('.pick:has(+ details > summary:has-text("labels: [3]"))').click()
    await page.getByText('Copied the expression').waitFor()
    expect(await copied(page)).toBe('${{ toJSON(on.webhook.outputs.body.labels) }}')
  })

  test('names the event in its line, and finds it by a word of its body or headers', async () => {
    const page = await set.begin([{ type: 'invoice.paid', secret: 'needle' }, { n: 1 }])
    await rows(page).getByText('invoice.paid').waitFor()
    const filter = page.getByRole('searchbox')
    for (const [text, count] of [
      ['needle', 1],
      ['content-type: application/json', 2],
      ['-needle', 1],
      ['haystack', 0],
    ] as const) {
      await filter.fill(text)
      await page.getByText(`${count} of 2 requests`).waitFor()
      expect(await rows(page).count()).toBe(count)
    }
    await page.getByText('No request matches the filter.').waitFor()
  })

  test('shows how many items were found and passed on, and what config did', async () => {
    const page = await set.open()
    const config = '{ filter: { body.kind: wanted }, format: "return { n: 1 }" }'
    await set.dev.write({ 'workflows/hook.yml': `on: { webhook: { config: ${config} } }` })
    await post(set.dev.hook('hook/webhook/a'), { kind: 'other' })
    const decision = page.locator('.decisions')
    await decision.getByText('1 item found, 0 passed on').waitFor()
    await decision.getByRole('list', { name: 'config' }).getByText('filter dropped 1').waitFor()
    await set.dev.write({ 'workflows/hook.yml': 'on: webhook' })
    await post(set.dev.hook('hook/webhook/plain'), {})
    await page.getByRole('heading', { name: 'POST hook/webhook/plain' }).waitFor()
    expect(await decision.getByText('found,').count()).toBe(0)
  })

  test("shows the unmet condition, and the messages in the action's log", async () => {
    const page = await set.open()
    await post(set.dev.hook('hook/webhook/a/b'), {})
    await page.getByText('Path does not match /{:name}.').waitFor()
    await page.getByText('did not hold: path').waitFor()
    await post(set.dev.hook('bad/webhook'), {})
    await page.locator('.detail').getByText('workflows/bad.yml:3:13').waitFor()
    await set.dev.write({ 'workflows/noted.yml': 'on: { webhook: { config: { debug: true } } }' })
    await post(set.dev.hook('noted/webhook'), {})
    await page.locator('.detail').getByText('Notice: config.debug has no effect here').waitFor()
  })

  test('sends a request again, and an edited one', async () => {
    const page = await set.open([ISSUE])
    await page.getByRole('button', { name: 'Replay r', exact: true }).click()
    await page.getByText('Sent again, response 200').waitFor()
    await page.locator('.facts').getByText('replay').waitFor()
    expect(await set.detail(2)).toMatchObject({
      origin: 'replay',
      request: (await set.detail(1)).request,
    })
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    await page.getByLabel('Path').fill('hook/webhook/changed')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"edited":true}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'edited: true' }).waitFor()
    expect(await set.detail(3)).toMatchObject({
      path: 'hook/webhook/changed',
      outcome: 'fired',
    })
    await page.getByRole('link', { name: 'Show the original' }).click()
    await page.getByRole('button', { name: 'title: it breaks' }).waitFor()
  })

  test('composes a request, from the example of a trigger', async () => {
    const page = await set.open()
    await page.keyboard.press('n')
    const body = page.getByRole('textbox', { name: 'Body' })
    const path = page.getByLabel('Path')
    expect(await until(() => path.inputValue(), /./)).toBe('hook/webhook/')
    await page.getByRole('heading', { name: 'New request' }).waitFor()
    await page.getByLabel('Headers').fill('x-github-event: issues')
    await body.fill('{"action":"opened","issue":{"title":"Found a bug"}}')
    await body.press('Control+Enter')
    await page.getByText('Response 200').waitFor()
    await page.getByRole('button', { name: 'title: Found a bug' }).waitFor()
    await page.locator('.facts').getByText('issues.opened').waitFor()
    await page.locator('.facts').getByText('sent from here').waitFor()
    const sent = await set.detail(1)
    expect(sent).toMatchObject({ origin: 'composed', outcome: 'fired', event: 'issues.opened' })
    // The expressions remain open while a request is composed and sent again.
    await page.getByRole('button', { name: 'title: Found a bug' }).click()
    await body.fill('{"issue":{"title":"Another one"}}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'title: Another one' }).waitFor()
    await page.getByRole('region', { name: 'Expressions' }).waitFor()
    await page.getByLabel('Headers').fill('content-type: application/json')
    await body.fill('{\n  "list": [')
    await page.getByText('The body is not JSON, but the content type is.').waitFor()
    await page.getByLabel('Path').fill('hook/webhook?__response_code=700')
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.locator('.answer')
    await answer.getByText('Response 400').waitFor()
    await answer.getByText('__response_code').waitFor()
    await body.press('Escape')
    await rows(page).first().waitFor()
  })

  test('signs a composed request as the sender would, and hides the signature', async () => {
    const page = await set.open()
    const verify = (scheme: string) =>
      `on: { webhook: { verify: { scheme: ${scheme}, secret: "\${{ secrets.KEY }}" } } }`
    await set.dev.write({
      'workflows/hook.yml': verify('stripe'),
      'workflows/gitlab.yml': verify('gitlab'),
      'workflows/token.yml': verify('token, header: X-Own-Token'),
      'workflows/query.yml': verify('token, query: key'),
    })
    await page.keyboard.press('n')
    // The path begins with the first workflow, which changes when the files are read again.
    await page.getByLabel('Path').fill('hook/webhook')
    const sign = page.getByRole('checkbox', { name: 'Sign it now as stripe' })
    await sign.waitFor()
    await page.getByRole('textbox', { name: 'Body' }).fill('{"type":"checkout.session.completed"}')
    await page.getByRole('button', { name: 'Send' }).click()
    // An event of an earlier test, which fired too, may be shown until this one comes.
    const sent = page.locator('#detail').getByText('checkout.session.completed').first()
    await sent.waitFor({ state: 'attached' })
    await page.locator('.facts').getByText('Fired').waitFor()
    expect((await set.detail(1)).request?.headers['stripe-signature']).toMatch(/^t=\d+,v1=/)
    await sign.uncheck()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('.facts').getByText('Not verified').waitFor()
    for (const [at, scheme, header] of [
      [3, 'gitlab', 'x-gitlab-token'],
      [4, 'token', 'x-own-token'],
    ] as const) {
      await page.getByLabel('Path').fill(`${scheme}/webhook`)
      await page.getByRole('checkbox', { name: `Sign it now as ${scheme}` }).check()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('heading', { name: `POST ${scheme}/webhook` }).waitFor()
      const kept = await set.detail(at)
      expect(kept).toMatchObject({ outcome: 'fired', request: { headers: { [header]: '***' } } })
      expect(JSON.stringify(kept) + set.dev.command.stdout).not.toContain('a-secret-that-nobody')
    }
    expect(await page.content()).not.toContain('a-secret-that-nobody')
    // A key in the URL would be visible.
    await page.getByLabel('Path').fill('query/webhook')
    await page.getByRole('checkbox', { name: 'Sign it now' }).waitFor({ state: 'detached' })
  })

  test('reports a mistake as soon as it is saved, with its fix, and reports that it is fixed', async () => {
    const page = await set.open([{ n: 1 }])
    await page.getByText('A mistake in workflows/bad.yml:3:13').waitFor()
    const bad = { 'workflows/worse.yml': 'on: { webhook: { path: [] } }' }
    await set.dev.write(bad)
    await page.getByText('2 mistakes').click()
    await page.getByText('workflows/worse.yml:1:').last().waitFor()
    // The fix wraps its lines, so that no part is cut off.
    const beyond = `[...document.querySelectorAll('.mistakes .note')].filter(
      (note) => note.scrollWidth > note.clientWidth).length`
    expect(await page.locator('.mistakes .note').count()).toBeGreaterThan(1)
    expect(await page.evaluate(beyond)).toBe(0)
    await set.dev.write({
      'workflows/worse.yml': 'on: webhook',
      'workflows/bad.yml': 'on: webhook',
    })
    await page.locator('.mistakes').waitFor({ state: 'detached' })
  })

  test('the open request stays, with the number of later requests', async () => {
    const page = await set.open([{ n: 1 }, { n: 2 }])
    await page.getByRole('button', { name: 'n: 2', exact: true }).click()
    await post(set.dev.hook('hook/webhook'), { n: 3 })
    await page.getByRole('button', { name: '1 newer' }).waitFor()
    await page.getByRole('button', { name: 'n: 2', exact: true }).waitFor()
    await page.getByRole('button', { name: '1 newer' }).click()
    await page.getByRole('button', { name: 'n: 3', exact: true }).waitFor()
  })

  test('saves a fixture, and copies a curl line', async () => {
    const page = await set.open([ISSUE])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as fixture' }).click()
    const path = await (await download).path()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      method: 'POST',
      path: 'hook/webhook',
      body: JSON.stringify(ISSUE),
    })
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await copies(page, /^curl -X POST .*'http:\/\/localhost:\d+\/webhook\/hook\/webhook'$/)
  })

  test('copies the body byte for byte', async () => {
    const body = '{"price":  1.10,\n"big":12345678901234567890}'
    const page = await set.open([body])
    await page.getByRole('region', { name: 'Body' }).getByText('"price": 1.10').waitFor()
    await page.getByRole('button', { name: 'Copy body' }).click()
    await page.getByText('Copied the body').waitFor()
    expect(await copied(page)).toBe(body)
  })

  test('a message that was polled is shown as the newest, and holds the view no longer', async () => {
    const telegram = await new TelegramStandIn().start()
    const token = 'token: "${{ secrets.BOT }}"'
    const page = await set.begin(
      [],
      {},
      {
        files: {
          '.env': `BOT=${BOT_TOKEN}`,
          'workflows/hook.yml': 'on: webhook',
          'workflows/bot.yml': `on: { messaging_bot: { ${token} } }`,
        },
        args: ['--poll'],
        env: { HOOKLINE_TELEGRAM_API_URL: telegram.url },
      },
    )
    const chat = { id: 7, type: 'private' } as const
    telegram.push('message', { message_id: 1, date: 1, chat, text: 'hello bot' })
    await page.getByRole('button', { name: 'text: hello bot' }).waitFor()
    expect(await page.evaluate('location.hash')).toBe('')
    await post(set.dev.hook('hook/webhook'), { n: 1 })
    await page.getByRole('button', { name: 'n: 1', exact: true }).waitFor()
    await telegram.stop()
  })

  describe('for everybody', () => {
    test('is usable by the keyboard alone', async () => {
      const page = await set.begin([{ n: 1 }, { n: 2 }, { n: 3 }])
      const shown = (n: number) => page.getByRole('button', { name: `n: ${n}`, exact: true })
      await shown(3).waitFor()
      await page.keyboard.press('j')
      await shown(2).waitFor()
      await page.keyboard.press('j')
      await shown(1).waitFor()
      await page.keyboard.press('k')
      await shown(2).waitFor()
      await page.keyboard.press('Enter')
      while (!(await page.locator('.tree :focus', { hasText: 'n: 2' }).count())) {
        await page.keyboard.press('Tab')
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
      // Space activates the button, and leaves the shortcuts unchanged.
      await page.keyboard.press('Space')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      // The next key may come before the event that reports the end.
      await page.evaluate(`
        document.querySelector('dialog').close()
        document.dispatchEvent(new KeyboardEvent('keydown', { key: '?' }))
      `)
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      await page.getByLabel('Single-character shortcuts').press('Space')
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
      await page.locator('body').click({ position: { x: 5, y: 5 } })
      await page.keyboard.press('?')
      expect(await page.locator('dialog[open]').count()).toBe(0)
    })

    test('is usable on a screen of 390 px', async () => {
      const page = await set.open([], { viewport: { width: 390, height: 640 } })
      expect(await overflow(page)).toBe(0)
      await post(set.dev.hook('hook/webhook/narrow'), { text: 'x'.repeat(300), nested: ISSUE })
      await rows(page).getByText('hook/webhook/narrow').click()
      await page.getByRole('button', { name: 'title: it breaks' }).click()
      await page.getByText('Copied the expression').waitFor()
      expect(await overflow(page)).toBe(0)
      await page.getByRole('link', { name: 'All requests' }).click()
      await rows(page).first().waitFor()
      expect(await overflow(page)).toBe(0)
    })

    test('takes nothing that is typed for a shortcut, however fast it follows one', async () => {
      const page = await set.open([{ n: 1 }, { n: 2 }, { n: 3 }])
      await rows(page).nth(2).waitFor()
      await page.getByText('A mistake in').waitFor()
      // All within one task of the page, before it can paint, like keys that waited for a busy
      // page.
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
      await page.keyboard.type('replayer')
      await page.getByText(/^0 of \d+ requests/).waitFor()
      expect(await page.locator('.composer').count()).toBe(0)
      // A key for a selected request that has not loaded yet waits for it.
      await page.getByRole('searchbox').fill('')
      await page.keyboard.press('Escape')
      await page.route('**/inspector/requests/*', async (route) => {
        // Longer than the keys below take.
        await new Promise((resolve) => setTimeout(resolve, 300))
        await route.continue()
      })
      await page.keyboard.press('j')
      await page.keyboard.press('b')
      await page.getByText('Copied the body').waitFor()
      expect(await copied(page)).toBe('{"n":2}')
      await page.unroute('**/inspector/requests/*')
      // The composer receives the keys as soon as it is open, and releases them afterwards.
      await page.keyboard.press('n')
      await page.keyboard.type('/rec')
      expect(await page.getByLabel('Path').inputValue()).toBe('hook/webhook//rec')
      await page.keyboard.press('Escape')
      await page.keyboard.press('/')
      await page.keyboard.type('nothing has this')
      await page.getByText(/^0 of \d+ requests/).waitFor()
    })

    test('axe finds nothing, in light and in dark', async () => {
      const page = await set.open()
      await page.evaluate(axe)
      await post(set.dev.hook('bad/webhook'), {})
      await post(set.dev.hook('hook/webhook/a/b'), {})
      await post(`${set.dev.url}/elsewhere`, {})
      await post(set.dev.hook('hook/webhook'), { ...ISSUE, none: null, number: 1, flag: true })
      await page.getByRole('button', { name: 'title: it breaks' }).click()
      await expectNone(page)
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.getByText('Path does not match /{:name}.').waitFor()
      await expectNone(page)
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'Edit and replay' }).waitFor()
      await page.getByLabel('Path').fill('hook/webhook/a')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('link', { name: 'Show the original' }).waitFor()
      await expectNone(page)
      await page.setViewportSize({ width: 390, height: 844 })
      await expectNone(page)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.locator('.mistakes summary').click()
      await expectNone(page)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Shortcuts' }).waitFor()
      await expectNone(page)
    })
  })

  describe('keeps to itself', () => {
    test('a payload of HTML and script stays text', async () => {
      const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>'
      const page = await set.open()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      const headers = { 'content-type': 'application/json', 'x-hostile': hostile }
      const body = JSON.stringify({ [hostile]: hostile, list: [hostile] })
      const target = `${set.dev.hook('hook/webhook')}?${encodeURIComponent(hostile)}=${hostile}`
      await post(target, body, headers)
      await page.getByRole('button', { name: hostile }).first().waitFor()
      await branch(page, 'headers:').click()
      await page.getByRole('button', { name: hostile }).first().click()
      await page.getByRole('button', { name: 'Edit and replay' }).click()
      expect(
        await page.locator('#detail img, #app script, .composer img, #toast img').count(),
      ).toBe(0)
      expect(await page.evaluate('window.hit')).toBeUndefined()
      expect(await page.locator('#detail').innerText()).toContain(hostile)
      expect(errors).toEqual([])
      // Even the page's own script cannot create HTML from a string.
      const attempt = page.evaluate(`document.body.innerHTML = '<b>x</b>'`)
      await expect(attempt).rejects.toThrow('TrustedHTML')
    })

    test('says so when the server is gone, and follows a new run after a restart', async () => {
      const page = await set.open([{ n: 1 }])
      await page.getByRole('button', { name: 'n: 1' }).waitFor()
      const { port } = new URL(set.dev.url)
      await set.dev.stop()
      await page.getByText('Connection lost').waitFor()
      await page.keyboard.press('r')
      await page
        .getByText(
          'Not sent: The command that serves this page does not answer. Is it still running?',
        )
        .waitFor()
      set.dev = await startDev({
        files: { 'workflows/hook.yml': 'on: webhook' },
        args: ['--port', port],
      })
      await page.getByText('Restarted: open the address that the command printed').waitFor()
      // The page follows the new run as soon as any page of this browser has the new key.
      const other = await page.context().newPage()
      await other.goto(set.dev.inspector)
      await live(other)
      await other.close()
      await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
      await post(set.dev.hook('hook/webhook'), { n: 2 })
      await page.getByRole('button', { name: 'n: 2' }).waitFor()
      await page.keyboard.press('r')
      await page.getByText('Sent again, response 200').waitFor()
      await set.dev.stop()
    })

    test('forgets what the engine has forgotten', async () => {
      const page = await set.begin(Array.from({ length: 195 }, (_, count) => ({ count })))
      await page.getByText('195 requests').waitFor()
      for (let count = 0; count < 10; count++) await post(set.dev.hook('hook/webhook'), { count })
      await page.getByText('The last 200 of 205 requests').waitFor()
      await page.locator('#rows li[aria-setsize="200"]').first().waitFor()
    })

    test('nothing of it is fetched from elsewhere, and another page cannot look in', async () => {
      const page = await set.open([{ private: 'text' }])
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).origin))
      await page.reload()
      await live(page)
      expect(new Set(asked)).toEqual(new Set([set.dev.url]))
      const { id } = await set.detail(1)
      const foreign = new URL(set.dev.url)
      foreign.hostname = '127.0.0.1'
      // Another origin on this machine, with its own document.
      const other = await page.context().newPage()
      await other.goto(`${foreign.origin}/webhook/hook/webhook?__response_content_type=text/html`)
      const attempt = other.evaluate(
        `fetch('${set.dev.url}/inspector/requests/${id}').then((answer) => answer.text(), () => 'refused')`,
      )
      expect(await attempt).toBe('refused')
      await other.close()
      const { body } = await ask(set.dev.url, `/inspector/requests/${id}`)
      expect(body).toContain('private')
    })
  })
})
