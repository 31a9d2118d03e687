import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { type Dev, post, startDev } from '../../support/dev.ts'

const SOURCE = `on:
  webhook:
    config:
      filter: {body.action: opened, 'headers.x-from': {$in: [a, b]}}
jobs:
  say:
    if: on.webhook.outputs.body.title != ''
    runs-on: ubuntu-latest
    env: {TITLE: "\${{ on.webhook.outputs.body.title }}", KEY: "\${{ secrets.KEY }}"}
    steps: [{run: 'echo "$TITLE"'}]
  close:
    if: on.webhook.outputs.body.closed
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
`

const PLAIN = 'on: webhook\njobs: {a: {runs-on: x, steps: []}}\n'

const FILES = { 'workflows/hook.yml': SOURCE, 'workflows/plain.yml': PLAIN }

let dev: Dev
// Each test has its own run, because `printed` finds the first match in all that a run printed.
beforeEach(async () => {
  dev = await startDev({ files: FILES })
})
afterEach(() => dev.stop())

const send = (to: Dev, path: string, body: unknown, from = 'a') =>
  fetch(to.hook(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-from': from },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('a person sees each job, why, and each line that reads the event with its value', async () => {
  await send(dev, 'hook/webhook', { action: 'opened', title: 'broken' })
  const [table = ''] = await dev.command.printed(/ {2}jobs of [\s\S]*?close .*\n.*\n/)
  expect(table.trimEnd().split('\n')).toEqual([
    '  jobs of workflows/hook.yml:',
    '    say    runs       its if is true',
    '      workflows/hook.yml:7  if = true',
    '      workflows/hook.yml:9  env.TITLE = "broken"',
    '    close  skipped    its if is false: on.webhook.outputs.body.closed',
    '      workflows/hook.yml:12  if = null',
  ])
})

test('a filter says the path, what was found, and what was wanted', async () => {
  await send(dev, 'hook/webhook', { action: 'closed' }, 'c')
  const [, told] = await dev.command.printed(/skipped {2}\d+ ms\n([\s\S]*?)\n {2}jobs of/)
  expect(told?.split('\n')).toEqual([
    '  filter dropped 1; method: any method; path: any path',
    '  filter: body.action is "closed", wanted "opened"',
    '  filter: headers.x-from is "c", wanted one of "a", "b"',
  ])
})

test('a filter says why the body is not what it expects', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-from': 'a' }
  const posted = (body: string) =>
    fetch(dev.hook('hook/webhook'), { method: 'POST', headers: form, body })
  await posted('{"action":"closed"}')
  await dev.command.printed(/filter dropped 1; the body is JSON sent as a form; set "content-type/)
  await posted('payload=%7B%22action%22%3A%22opened%22%7D')
  await dev.command.printed(
    /filter dropped 1; the body is a form whose field `payload` contains JSON/,
  )
})

test('a number is shown with the digits that jobs get', async () => {
  await send(dev, 'hook/webhook', '{"action":"opened","title":0.00001}')
  await dev.command.printed(/env\.TITLE = "0\.00001"/)
})

test('invalid JSON and binary bodies are reported', async () => {
  await send(dev, 'plain/webhook', '{"a":')
  await dev.command.printed(/warning: the body is not JSON, although its content type says so/)
  await post(dev.hook('plain/webhook'), { fine: true })
  await fetch(dev.hook('plain/webhook'), { method: 'POST', body: new Uint8Array([255, 254, 0, 1]) })
  await dev.command.printed(/notice: the body is not text; it is passed on as base64/)
  expect(dev.command.stdout.match(/warning: the body is not JSON/g)).toHaveLength(1)
})

test('a program gets the jobs with their verdicts', async () => {
  await dev.stop()
  dev = await startDev({ files: FILES, args: ['--json'] })
  await send(dev, 'hook/webhook', { action: 'opened', title: 'x' })
  const [line = ''] = await dev.command.printed(/^\{.*\}\n/m)
  expect(JSON.parse(line).jobs).toEqual([
    {
      file: 'workflows/hook.yml',
      jobs: [
        { id: 'say', verdict: 'runs', why: 'its if is true' },
        {
          id: 'close',
          verdict: 'skipped',
          why: 'its if is false: on.webhook.outputs.body.closed',
        },
      ],
    },
  ])
})
