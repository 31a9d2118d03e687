import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { UPDATE_KINDS, type UpdateKind } from '../../../src/triggers/messaging-bot/places.ts'
import { textsAtLevel } from '../../../src/wire/messages.ts'
import { botPorts, botWorkflow, POLL, runMain, runPost, updateIds } from '../../support/bot-run.ts'
import { UPDATES } from '../../support/messages.ts'
import { TelegramStandIn } from '../../support/telegram.ts'

const chat = { id: 1111111, type: 'private' }
const text = (words: string) => ({ message_id: 1, chat, date: 1441645532, text: words })

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

describe('a backlog', () => {
  test('of 1,000 updates drains over runs, in order, with ignored kinds between', async () => {
    const wanted: unknown[] = []
    for (let at = 0; at < 1000; at++) {
      if (at % 3 === 1) telegram.enqueue('edited_message', text('ignored'))
      else if (at % 7 === 0) wanted.push(telegram.enqueue('channel_post', text(`post ${at}`)))
      else wanted.push(telegram.enqueue('message', text(`message ${at}`)))
    }
    const seen: unknown[] = []
    let runs = 0
    for (; telegram.kept.length > 0 && runs < 20; runs++) {
      const ports = botPorts(telegram.url)
      const run = await runMain(botWorkflow(POLL), ports)
      seen.push(...updateIds(run.items))
      await runPost(run.effects, botWorkflow(POLL), ports)
    }
    expect(runs).toBe(10)
    expect(seen).toEqual(wanted)
  })

  test.each([0, 1, 2, 99, 100, 101, 199, 250, 1000])(
    'of %d updates of all kinds: each at least once, none lost, one page a run',
    async (count) => {
      const kinds = [...UPDATE_KINDS, 'telepathy'] // an unknown kind
      const on = `${POLL}  updates: [${UPDATE_KINDS.join(', ')}]\n`
      const sent = Array.from({ length: count }, (_, at) => {
        const kind = kinds[at % kinds.length] ?? 'message'
        // a kind of the list
        const content = kind === 'telepathy' ? {} : UPDATES[kind as UpdateKind]
        return { kind, id: telegram.enqueue(kind, content) }
      })
      const seen: unknown[] = []
      let runs = 0
      for (; (telegram.kept.length > 0 || runs === 0) && runs < 20; runs++) {
        const ports = botPorts(telegram.url)
        const run = await runMain(botWorkflow(on), ports)
        seen.push(...updateIds(run.items))
        await runPost(run.effects, botWorkflow(on), ports)
      }
      const wanted = sent.filter(({ kind }) => kind !== 'telepathy').map(({ id }) => id)
      expect([telegram.kept, seen]).toEqual([[], wanted])
      expect(runs).toBe(Math.max(1, Math.ceil(count / 100)))
    },
  )

  test('goes on when the ids begin anew, lower than before', async () => {
    const before = telegram.push('message', text('before'))
    const ports = botPorts(telegram.url)
    const first = await runMain(botWorkflow(POLL), ports)
    await runPost(first.effects, botWorkflow(POLL), ports)
    telegram.queue.continueAt(1000)
    const after = telegram.push('message', text('after a quiet week'))
    const second = await runMain(botWorkflow(POLL), ports)

    expect([updateIds(first.items), updateIds(second.items)]).toEqual([[before], [after]])
  })
})

describe('outputs that are too large', () => {
  const long = 'x'.repeat(10_000)

  test('make the run take fewer updates, and acknowledge only those', async () => {
    const ids = Array.from({ length: 60 }, () => telegram.push('message', text(long)))
    const ports = botPorts(telegram.url)
    const run = await runMain(botWorkflow(POLL), ports)
    await runPost(run.effects, botWorkflow(POLL), ports)

    const taken = run.items.length
    expect(taken).toBeGreaterThan(40)
    expect(updateIds(run.items)).toEqual(ids.slice(0, taken))
    expect(run.outputs.get('items')?.length).toBeLessThanOrEqual(450_000)
    expect(telegram.kept).toEqual(ids.slice(taken))
    expect(run.decisions[0]?.reason).toContain(`${60 - taken} would not fit into the outputs`)
  })

  test('are filled to the last message that fits', async () => {
    for (let at = 0; at < 60; at++) telegram.push('message', text(long))
    const run = await runMain(botWorkflow(POLL), botPorts(telegram.url))
    const one = JSON.stringify(run.contexts[0]).length
    expect((run.outputs.get('items')?.length ?? 0) + one).toBeGreaterThan(450_000)
  })

  test('are spared a single message that is one: it is left out, told by its number, and goes', async () => {
    const first = telegram.push('message', text('x'.repeat(460_000)))
    const second = telegram.push('message', text('hello'))
    const workflow = botWorkflow(POLL)
    const run = await runMain(workflow, botPorts(telegram.url))
    expect(updateIds(run.items)).toEqual([second])
    expect(textsAtLevel(run.messages, 'error')).toEqual([
      expect.stringContaining(`update_id ${first}): too large for the outputs of the job: 460180`),
    ])
    await runPost(run.effects, workflow, botPorts(telegram.url))
    expect(telegram.kept).toEqual([])
  })
})
