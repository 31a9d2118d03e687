import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { http } from '../../../src/action/http-client.ts'
import { botPorts, botWorkflow, POLL, runMain, runPost, updateIds } from '../../support/bot-run.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

const chat = { id: 1111111, type: 'private' }
const text = (words: string) => ({ message_id: 1, chat, date: 1441645532, text: words })

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

describe('one run', () => {
  test('takes what there is, and leaves it with the server until the job has succeeded', async () => {
    const ids = [telegram.push('message', text('one')), telegram.push('message', text('two'))]
    const ports = botPorts(telegram.url)
    const run = await runMain(botWorkflow(POLL), ports)

    expect(updateIds(run.items)).toEqual(ids)
    expect(telegram.kept).toEqual(ids)
    expect(telegram.calls).toHaveLength(1)

    await runPost(run.effects, botWorkflow(POLL), ports)
    expect(telegram.kept).toEqual([])
    expect(telegram.calls).toHaveLength(2)
  })

  test('asks for its kinds by name, in both calls', async () => {
    telegram.push('message', text('one'))
    const on = `${POLL}  updates: [callback_query, message]\n`
    const ports = botPorts(telegram.url)
    const run = await runMain(botWorkflow(on), ports)
    await runPost(run.effects, botWorkflow(on), ports)

    const allowed_updates = ['message', 'channel_post', 'callback_query']
    const last = Number(run.items[0]?.update_id)
    expect(telegram.calls.map(({ parameters }) => parameters)).toEqual([
      { limit: 100, timeout: 0, allowed_updates },
      { offset: last + 1, limit: 1, timeout: 0, allowed_updates },
    ])
  })

  test('hides the token before the first call, in both processes', async () => {
    telegram.push('message', text('one'))
    const ports = botPorts(telegram.url)
    const atCall: (readonly string[])[] = []
    telegram.onCall = () => void atCall.push([...ports.masked])
    const run = await runMain(botWorkflow(POLL), ports)
    await runPost(run.effects, botWorkflow(POLL), ports)

    expect(atCall).toEqual([[BOT_TOKEN], [BOT_TOKEN, BOT_TOKEN]])
  })

  test('has nothing to acknowledge without updates', async () => {
    const run = await runMain(botWorkflow(POLL), botPorts(telegram.url))
    expect(run).toMatchObject({ items: [], effects: [] })
    expect(run.reason).toBe('messaging_bot: updates nothing new')
  })

  test('stops below the first message that the limit cut off', async () => {
    const ids = ['one', 'two', 'three'].map((words) => telegram.push('message', text(words)))
    const workflow = botWorkflow(`${POLL}  config:\n    limit: 2\n`)
    const ports = botPorts(telegram.url)
    const run = await runMain(workflow, ports)
    await runPost(run.effects, workflow, ports)

    expect(updateIds(run.items)).toEqual(ids.slice(0, 2))
    expect(telegram.kept).toEqual(ids.slice(2))
  })
})

describe('updates that are no items', () => {
  const ignored = { message_id: 1, chat, date: 1, text: 'x', edit_date: 2 }

  test('are acknowledged when nothing fired', async () => {
    for (let at = 0; at < 5; at++) telegram.enqueue('edited_message', ignored)
    const ports = botPorts(telegram.url)
    const run = await runMain(botWorkflow(POLL), ports)
    await runPost(run.effects, botWorkflow(POLL), ports)

    expect(run.items).toEqual([])
    expect(run.reason).toBe('messaging_bot: updates nothing new, 5 ignored (updates 5)')
    expect(telegram.kept).toEqual([])
  })

  test('do not keep a message waiting behind a whole page of them', async () => {
    for (let at = 0; at < 250; at++) telegram.enqueue('edited_message', ignored)
    const id = telegram.push('message', text('hello'))
    const run = await runMain(botWorkflow(POLL), botPorts(telegram.url))

    expect(updateIds(run.items)).toEqual([id])
    expect(telegram.calls).toHaveLength(3)
    expect(telegram.kept).toContain(id)
  })

  test('never make the run pass a page that holds an item', async () => {
    const first = telegram.push('message', text('first'))
    for (let at = 0; at < 250; at++) telegram.enqueue('edited_message', ignored)
    telegram.push('message', text('last'))
    const run = await runMain(botWorkflow(POLL), botPorts(telegram.url))

    expect(updateIds(run.items)).toEqual([first])
    expect(telegram.calls).toHaveLength(1)
  })

  test('of a kind unknown here are acknowledged too', async () => {
    telegram.enqueue('telepathy', { thought: 'hm' })
    await runMain(botWorkflow(POLL), botPorts(telegram.url))
    expect(telegram.kept).toEqual([])
  })
})

describe('wait', () => {
  test('is how long the server holds the call, and the answer comes with the first message', async () => {
    const run = runMain(botWorkflow(`${POLL}  wait: 30\n`), botPorts(telegram.url))
    setTimeout(() => telegram.push('message', text('late')), 100)
    expect((await run).items).toHaveLength(1)
    expect(telegram.calls[0]?.parameters.timeout).toBe(30)
  })

  test('goes on for what is left of it after an update that is no item', async () => {
    let now = 0
    const limits: (number | undefined)[] = []
    const ports = botPorts(telegram.url, {
      now: () => now,
      http: (request) => {
        limits.push(request.timeout)
        return http(request)
      },
    })
    telegram.onCall = ({ parameters }) => {
      now += 12_500
      if (parameters.offset === undefined) telegram.push('message', text('at last'))
    }
    telegram.enqueue('edited_message', text('no item'))
    const run = await runMain(botWorkflow(`${POLL}  wait: 30\n`), ports)

    expect(run.items).toHaveLength(1)
    expect(telegram.calls.map(({ parameters }) => parameters.timeout)).toEqual([30, 17])
    expect(limits).toEqual([50_000, 37_000])
  })
})

describe('two bots of one workflow', () => {
  test('are polled one after the other, and acknowledged each by its own token', async () => {
    const other = '220202543:BBHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw4'
    const second = await new TelegramStandIn([other]).start()
    try {
      const one = telegram.push('message', text('one'))
      const two = second.push('message', text('two'))
      const on = `${POLL}telegram_bot:\n  token: \${{ secrets.OTHER }}`
      const workflow = botWorkflow(on, { BOT: BOT_TOKEN, OTHER: other })
      const at: Record<string, string> = { [BOT_TOKEN]: telegram.url, [other]: second.url }
      const real = botPorts(telegram.url).triggers.http
      const ports = botPorts('http://bots', {
        http: (request) => {
          const token = /bot(\d+:[\w-]+)/.exec(request.url)?.[1] ?? ''
          return real({ ...request, url: request.url.replace('http://bots', at[token] ?? '') })
        },
      })
      const run = await runMain(workflow, ports)
      expect(updateIds(run.items)).toEqual([one, two])
      expect(run.contexts.map(({ telegram_bot }) => telegram_bot?.outcome)).toEqual([
        'skipped',
        'success',
      ])
      await runPost(run.effects, workflow, ports)
      expect([telegram.kept, second.kept]).toEqual([[], []])
    } finally {
      await second.stop()
    }
  })
})
