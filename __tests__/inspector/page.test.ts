import { readFileSync } from 'node:fs'
import { data, Evaluator, Lexer, Parser } from '@actions/expressions'
import { describe, expect, jest, test } from '@jest/globals'
import { BROWSER_TIMEOUT, CHROMIUM, copied, ISSUE, rows, stage } from '../support/browser.ts'
import { post } from '../support/dev.ts'
import { detail } from '../support/inspector.ts'

jest.setTimeout(BROWSER_TIMEOUT)

function evaluate(text: string, contexts: object): unknown {
  const [, expression = ''] = /^\$\{\{ (.*) \}\}$/s.exec(text) ?? []
  const tree = new Parser(new Lexer(expression).lex().tokens, Object.keys(contexts), []).parse()
  const given = JSON.parse(JSON.stringify(contexts), data.reviver)
  return JSON.parse(JSON.stringify(new Evaluator(tree, given).evaluate(), data.replacer))
}
const inBrowser = CHROMIUM ? describe : describe.skip

inBrowser('the page', () => {
  const set = stage()

  test('shows the line to paste before the first request, and the mistakes of a file', async () => {
    const page = await set.open()
    await page.getByRole('heading', { name: 'Waiting for the first request' }).waitFor()
    await page.getByText('unknown HTTP method "psot"').waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await copied(page)).toContain(`'${set.dev.url}/webhook/hook/webhook`)
  })

  test('shows a request at once', async () => {
    const page = await set.open()
    const began = performance.now()
    await post(set.dev.hook('hook/webhook/first'), ISSUE)
    await rows(page).getByText('hook/webhook/first').waitFor()
    // 200 ms are promised; five times that on a busy machine.
    expect(performance.now() - began).toBeLessThan(1000)
    await page.getByRole('treeitem', { name: 'title: it breaks' }).waitFor()
  })

  test.each([
    ['title: it breaks', 'it breaks'],
    ['name: bug', 'bug'],
    ['two words: 1', 1],
    ["it's: true", true],
    ['method: post', 'post'],
  ])('a click on %s copies what reads it, in both forms', async (name, value) => {
    const page = await set.open([ISSUE])
    const item = page.getByRole('treeitem', { name, exact: true })
    const { items } = await detail(set.dev.url, 1)
    await page.getByRole('treeitem', { name: '0: {1}' }).press('ArrowRight')
    await item.click()
    await page.getByText('Copied the expression').waitFor()
    expect(evaluate(await copied(page), { on: items[0] ?? {} })).toBe(value)
    await page.getByText('steps.…').click()
    await page.getByRole('textbox', { name: 'id of the step' }).fill('my-step')
    await item.click()
    await expect(copied(page)).resolves.toContain('steps.my-step.outputs')
    const outputs = Object.fromEntries(
      Object.entries(items[0]?.webhook?.outputs ?? {}).map(([field, one]) => [
        field,
        typeof one === 'string' ? one : JSON.stringify(one),
      ]),
    )
    expect(evaluate(await copied(page), { steps: { 'my-step': { outputs } } })).toBe(value)
  })

  test('says how many items were found, how many handed on, and what config did', async () => {
    const page = await set.open()
    const config = '{ filter: { body.kind: wanted }, format: "return { n: 1 }" }'
    await set.dev.write({ 'workflows/hook.yml': `on: { webhook: { config: ${config} } }` })
    await post(set.dev.hook('hook/webhook/a'), { kind: 'other' })
    const decision = page.locator('.decisions')
    await decision.getByText('1 item found, 0 handed on').waitFor()
    await decision.getByRole('list', { name: 'config' }).getByText('filter dropped 1').waitFor()
    await set.dev.write({ 'workflows/hook.yml': 'on: webhook' })
    await post(set.dev.hook('hook/webhook/plain'), {})
    await page.getByRole('heading', { name: 'POST hook/webhook/plain' }).waitFor()
    expect(await decision.getByText('found,').count()).toBe(0)
  })

  test('says which condition did not hold', async () => {
    const page = await set.open()
    await post(set.dev.hook('hook/webhook/a/b'), {})
    await page.getByText('Path does not match /{:name}.').waitFor()
    await page.getByText('did not hold: path').waitFor()
    await post(set.dev.hook('bad/webhook'), {})
    await page.getByText('workflows/bad.yml:3:13').waitFor()
  })

  test('sends a request again, and an edited one', async () => {
    const page = await set.open([ISSUE])
    await page.getByRole('button', { name: 'Replay r', exact: true }).click()
    await page.getByText('Sent again, answered 200').waitFor()
    await page.locator('.facts').getByText('replay').waitFor()
    expect(await detail(set.dev.url, 2)).toMatchObject({
      origin: 'replay',
      request: (await detail(set.dev.url, 1)).request,
    })
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    await page.getByRole('textbox', { name: 'Path' }).fill('hook/webhook/changed')
    await page.getByRole('textbox', { name: 'Body' }).fill('{"edited":true}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('treeitem', { name: 'edited: true' }).waitFor()
    expect(await detail(set.dev.url, 3)).toMatchObject({
      path: 'hook/webhook/changed',
      outcome: 'fired',
    })
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
    expect(await copied(page)).toMatch(
      /^curl -X POST .*'http:\/\/localhost:\d+\/webhook\/hook\/webhook'$/,
    )
  })
})
