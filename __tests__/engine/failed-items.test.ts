import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { batchDispatch, json, type Sent, uuid } from '../support/batches.ts'
import { testPorts } from '../support/ports.ts'
import { problemsOf } from '../support/problems.ts'
import { memoryStore, poll, Queue, updates } from '../support/queue-trigger.ts'

/** A message on which the pattern `^(?=(a+)+$)` takes years. */
const EXPLOSIVE = `/${'a'.repeat(60)}!`

const PATTERN = { filter: { text: { $regex: '^/?(?=(a+)+$)' } } }

function queueWith(...texts: (string | null)[]): Queue {
  const queue = new Queue()
  const items = texts.map((text, at) => ({ update_id: at + 1, ...(text !== null && { text }) }))
  queue.put(...items)
  return queue
}

async function batch(config: string, events: readonly Sent[]) {
  const on = `webhook:\n  config:\n    batch: true\n${config}`
  const workflow = readOnSection(
    'hook',
    { name: 'on', text: on, file: 'hook.yml' },
    { contexts: {}, triggers: TRIGGERS },
  )
  const workflows = { calling: 'hook', names: () => ['hook'], find: () => workflow }
  return evaluate(await batchDispatch(events), workflows, testPorts())
}

describe('a polled item that fails does not stop the others', () => {
  test.each<[string, object, (string | null)[], string[], number, string, RegExp]>([
    [
      'a pattern that explodes',
      PATTERN,
      ['/aaa', EXPLOSIVE, '/aa'],
      ['/aaa', '/aa'],
      2,
      'filter',
      /^timed out/,
    ],
    [
      'a script that throws on a photo',
      { filterScript: "return item.text.startsWith('t')" },
      ['t1', null, 't3'],
      ['t1', 't3'],
      2,
      'filterScript',
      /^TypeError/,
    ],
    [
      'a script that never ends on one item',
      { format: "while (item.text === 'x');\nreturn item" },
      ['x', 't2'],
      ['t2'],
      1,
      'format',
      /^timed out/,
    ],
    [
      'a comparison that throws on one item',
      { sortScript: 'return a.text.length - b.text.length' },
      ['three', null, 'one'],
      ['one', 'three'],
      2,
      'sortScript',
      /^TypeError/,
    ],
  ])('%s', async (_, config, texts, expected, id, step, reason) => {
    const queue = queueWith(...texts)
    const run = await poll(queue, config)
    expect(run.texts).toEqual(expected)
    expect(run.failed).toEqual([{ update_id: id, step, reason: expect.stringMatching(reason) }])
    expect(run.messages).toMatchObject([
      { level: 'error', text: expect.stringContaining(`1 item failed (update_id ${id})`) },
    ])
    await run.succeed()
    expect(queue.items).toEqual([])
  })

  test.each([
    ['all items fail', {}, [null, null]],
    ['one item fails and config.failOnItemError is true', { failOnItemError: true }, ['t1', null]],
  ])('but the run fails and acknowledges nothing if %s', async (_, more, texts) => {
    const queue = queueWith(...texts)
    const config = { filterScript: "return item.text.startsWith('t')", ...more }
    const [problem] = await problemsOf(poll(queue, config))
    expect(problem?.message).toMatch(/^config\.filterScript: TypeError/)
    expect(queue.items).toHaveLength(2)
  })

  test('an item that others are filtered out before is not enough to give it up', async () => {
    const config = { filter: { text: { $ne: 'no' } }, format: 'return item.text.x.y' }
    await expect(problemsOf(poll(queueWith('no', 't2'), config))).resolves.toHaveLength(1)
  })
})

test('with a store a failed item is given up in its third run', async () => {
  const [store, queue] = [memoryStore(), new Queue()]
  const config = { filterScript: 'return item.text.length > 0' }
  queue.put({ update_id: 1 })
  const failed: unknown[] = []
  for (let run = 1; run <= 4; run++) {
    queue.put(...updates(run + 1, run + 1))
    const at = { id: String(run), at: run * 1_000 }
    const evaluation = await poll(queue, config, undefined, { store, run: at })
    expect(evaluation.texts).toEqual([`t${run + 1}`])
    failed.push(evaluation.failed.map(({ update_id }) => update_id))
    await evaluation.succeed()
  }
  expect(failed).toEqual([[1], [1], [1], []])
})

describe('an event of a batch that fails does not stop the others', () => {
  const good = [1, 2, 3, 4].map((n) => json({ n, user: { name: 'Ada' } }))

  test.each<[string, string, Sent, string]>([
    [
      'a body without a field',
      '    format: return {name:item.body.user.name}\n',
      json({}),
      'format',
    ],
    [
      'a text on which a pattern explodes',
      '    filter: { $or: [{ body.n: { $gt: 0 } }, { body.text: { $regex: "^(?=(a+)+$)" } }] }\n',
      json({ text: `${'a'.repeat(60)}!` }),
      'filter',
    ],
  ])('%s', async (_, config, bad, step) => {
    const run = await batch(config, [...good, bad])
    expect(run.items).toHaveLength(4)
    expect(run.failed).toMatchObject([{ delivery: uuid(5), step }])
    expect(run.messages).toMatchObject([{ level: 'warning', code: 'failed-item' }])
  })

  test('queries that grow in the outputs: the largest events fail until the others fit', async () => {
    const grown = { path: `hook/webhook?${'&a'.repeat(14_000)}` }
    const run = await batch('', [...good, ...Array.from({ length: 13 }, () => json({}, grown))])
    expect(run.items.slice(0, 4).map(({ body }) => body)).toMatchObject(
      [1, 2, 3, 4].map((n) => ({ n })),
    )
    expect(run.failed.length).toBeGreaterThan(0)
    expect(run.failed.every(({ step }) => step === 'size')).toBe(true)
  })

  test('the only event of a batch fails the run', async () => {
    const config = '    format: return item.body.user.name.x.y\n'
    expect(await problemsOf(batch(config, good.slice(0, 1)))).toHaveLength(1)
  })
})
