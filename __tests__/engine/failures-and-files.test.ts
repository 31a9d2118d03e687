import { describe, expect, test } from '@jest/globals'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { UserError } from '../../src/wire/errors.ts'
import { textsAtLevel } from '../../src/wire/messages.ts'
import { testPorts } from '../support/ports.ts'
import {
  dispatch,
  poll,
  Queue,
  queueOf,
  queueWorkflow,
  sourceOf,
} from '../support/queue-trigger.ts'

const BROKEN = { filterScript: 'return item.no.such' }

/** A queue that cannot be reached. */
function unreachable(error: unknown): Queue {
  const queue = new Queue()
  Object.defineProperty(queue, 'items', {
    get() {
      throw error
    },
  })
  return queue
}

describe('a trigger that fails', () => {
  test('is an error at its option, when nothing excuses it', async () => {
    const error = await poll(queueOf(1), BROKEN).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({
      problems: [
        { message: expect.stringMatching(/^config\.filterScript: /), position: { line: 1 } },
      ],
    })
  })

  test('with skipOnError is a warning, and leaves nothing to acknowledge', async () => {
    const queue = queueOf(1)
    const run = await poll(queue, { ...BROKEN, skipOnError: true })
    expect(run).toMatchObject({ items: [], contexts: [], effects: [] })
    expect(textsAtLevel(run.messages, 'warning')).toEqual([
      expect.stringMatching(/^hook\/queue failed: config\.filterScript: /),
    ])
    expect(run.decisions).toMatchObject([{ fired: false }])
    await run.succeed()
    expect(queue.items).toHaveLength(1)
  })

  test('with buildOutputsOnError gives one item that reports it', async () => {
    const run = await poll(queueOf(2), { ...BROKEN, buildOutputsOnError: true })
    expect(run).toMatchObject({ items: [{}], effects: [], decisions: [{ fired: true }] })
    expect(run.contexts).toEqual([
      { queue: { outcome: 'failure', conclusion: 'success', outputs: {} } },
    ])
    expect(run.fields).toEqual(['text'])
  })

  test.each([
    [new TypeError('payload: hunter2'), 'internal error (TypeError)'],
    ['hunter2', 'internal error (string)'],
    [new UserError({ message: 'no\n  answer' }), 'no answer'],
  ])('with %s tells no text that is not meant for a person', async (error, told) => {
    const { messages } = await poll(unreachable(error), { skipOnError: true })
    expect(textsAtLevel(messages, 'warning')).toEqual([`hook/queue failed: ${told}`])
  })
})

describe('exportOutputs', () => {
  const exported = async (config: object, folder = '/checkout') => {
    const workflow = {
      ...queueWorkflow(queueOf(2), { exportOutputs: true, ...config }),
      name: 'a b',
    }
    return evaluate(dispatch, sourceOf(workflow), testPorts({ folder }))
  }

  test.each([
    ['below the working copy', {}, '/checkout/outputs/a%20b/queue/'],
    ['in a folder of it', { outputsDir: 'out/x' }, '/checkout/out/x/a%20b/queue/'],
    ['in a folder elsewhere', { outputsDir: '/elsewhere' }, '/elsewhere/a%20b/queue/'],
    ['on another drive', { outputsDir: 'D:\\out' }, 'D:\\out/a%20b/queue/'],
  ])('writes a file for each item %s', async (_, config, place) => {
    const { files, contexts, fields } = await exported(config)
    expect(files.map(({ path }) => path)).toEqual([`${place}1.json`, `${place}2.json`])
    expect(files.map(({ text }) => JSON.parse(text).text)).toEqual(['t1', 't2'])
    expect(contexts.map(({ queue }) => queue?.outputs)).toEqual(files.map(({ path }) => ({ path })))
    expect(fields).toEqual([])
  })

  test('with outputsMode combine writes one file with the list', async () => {
    const { files, contexts } = await exported({ outputsMode: 'combine' })
    expect(files.map(({ text }) => JSON.parse(text).length)).toEqual([2])
    expect(contexts).toHaveLength(1)
  })

  test('outputsMode combine alone gives the list in one context, and no fields', async () => {
    const { files, contexts, fields } = await poll(queueOf(2), { outputsMode: 'combine' })
    expect(contexts).toMatchObject([{ queue: { outputs: [{ text: 't1' }, { text: 't2' }] } }])
    expect([files, fields]).toEqual([[], []])
  })
})
