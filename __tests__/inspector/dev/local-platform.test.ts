import { describe, expect, test } from '@jest/globals'
import {
  foundTriggers,
  polledTriggers,
  readAllWorkflows,
} from '../../../src/engine/all-workflows.ts'
import type { WorkflowSource } from '../../../src/engine/engine-ports.ts'
import { FULL_BUDGET } from '../../../src/engine/output-budget.ts'
import type { OutputReader } from '../../../src/inspector/api.ts'
import { eventJson, formatEvent, listLine } from '../../../src/inspector/event-text.ts'
import {
  type DevEvent,
  type LocalEnginePorts,
  poller,
  pollLocally,
  repeat,
  runLocally,
} from '../../../src/inspector/local-engine.ts'
import { exampleLine } from '../../../src/triggers/example-line.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { type Problem, UserError } from '../../../src/wire/errors.ts'
import { readOnSection, type Workflow } from '../../../src/workflow/workflow.ts'
import { testPorts } from '../../support/ports.ts'
import { fc } from '../../support/properties.ts'
import { memoryStore, Queue, queueOf, queueWorkflow, updates } from '../../support/queue-trigger.ts'

const inWords = (event: DevEvent, readers: readonly OutputReader[] = []) =>
  formatEvent(event, readers, [])

const inJson = (event: DevEvent) => JSON.parse(eventJson(event, []))

/** Workflows by name, each as its `on:` section or as an object. */
function source(files: Readonly<Record<string, string | Workflow>>): WorkflowSource {
  return {
    calling: '',
    names: () => Object.keys(files),
    find: (name) => {
      const file = files[name]
      if (typeof file !== 'string') return file
      const text = { name: `workflows/${name}.yml`, file: `workflows/${name}.yml`, text: file }
      return readOnSection(name, text, { contexts: {}, triggers: TRIGGERS })
    },
  }
}

/** Uses a clock that advances 7 ms with each reading; the next run ignores the claims of a run. */
function platform(files: Readonly<Record<string, string | Workflow>>): LocalEnginePorts {
  let runs = 0
  let now = 0
  const store = memoryStore()
  const run = () => ({ id: String(++runs), at: runs * 31 * 60_000 })
  return {
    workflows: () => source(files),
    engine: () => testPorts({ store, run: run() }),
    now: () => (now += 7),
  }
}

const payload = (path: string, headers = {}) => ({ path, method: 'POST', headers, body: 'hello' })

const tooLarge = () => ({ text: 'x'.repeat(FULL_BUDGET.units) })

const FILES = {
  hook: 'webhook: {path: /users/:id}',
  bad: 'webhook:\n  method: psot',
  oops: "webhook: {config: {filterScript: 'return item.no.such'}}",
}

const MISTAKES = 'the workflow has mistakes'

const PLACE = { source: { name: 'a', file: 'a', text: 'b' }, line: 1, column: 1, length: 1 }

const STEPS: OutputReader = { kind: 'steps', file: 'w.yml', job: 'on', step: { id: 'hook' } }
const MATRIX: OutputReader = { kind: 'matrix', file: 'w.yml', reader: 'each', name: 'on' }

describe('a request', () => {
  test('that fires gives its items, and what they came from', async () => {
    const headers = { 'x-hookline-delivery': 'd-1', 'content-type': 'text/plain' }
    const sent = payload('hook/webhook/users/7?a=1', headers)
    const event = await runLocally(sent, platform(FILES))
    const outputs = {
      ...{ method: 'post', headers: { 'content-type': 'text/plain' }, query: { a: '1' } },
      ...{ querystring: 'a=1', search: '?a=1', body: 'hello', params: { id: '7' } },
    }
    expect(event).toEqual({
      ...{ delivery: 'd-1', method: 'POST', path: 'hook/webhook/users/7?a=1' },
      ...{ workflow: 'hook', trigger: 'webhook', count: 1, reason: undefined, problems: [] },
      items: [{ webhook: { outcome: 'success', conclusion: 'success', outputs } }],
      ...{ found: [outputs], fields: Object.keys(outputs), explanations: [], messages: [] },
      decisions: [
        {
          ...{ trigger: 'webhook', fired: true, reason: expect.any(String) },
          checks: expect.arrayContaining([expect.objectContaining({ option: 'path', held: true })]),
          tally: { found: 1, passedOn: 1, steps: [] },
        },
      ],
      origin: {
        event: {
          name: 'repository_dispatch',
          payload: { action: 'webhook', client_payload: sent },
        },
        outputs: expect.objectContaining({ triggered: 'true', body: 'hello' }),
      },
      milliseconds: 7,
    })
  })

  test('of a batch says how many events it has', async () => {
    const headers = { 'x-hookline-batch': '3' }
    const { messages } = await runLocally(payload('hook/webhook/users/7', headers), platform(FILES))
    expect(messages).toEqual([
      { level: 'notice', code: 'batch', text: 'a batch of 3 events' },
      { level: 'warning', code: 'unreadable-event', text: 'the batch holds no list of events' },
    ])
  })

  test('says that a file of outputs is not written', async () => {
    const config = 'config: { exportOutputs: true, outputsDir: /nowhere/outputs }'
    const { messages } = await runLocally(
      payload('hook/webhook'),
      platform({ hook: `webhook: {${config}}` }),
    )
    const text = 'config.exportOutputs: the action writes the file at "path"; here none is written'
    expect(messages).toEqual([{ level: 'warning', code: 'unwritten-file', text }])
  })

  test('adds the sentences about a filter to the steps of its trigger alone', async () => {
    const filter = 'config: { filter: { body.kind: wanted } }'
    const on = `{webhook: {${filter}}, slack: {}}`
    const body = '{"kind":"other"}'
    const sent = { ...payload('hook/webhook', { 'content-type': 'application/json' }), body }
    const { decisions, explanations, found } = await runLocally(sent, platform({ hook: on }))
    const sentence = 'filter: body.kind is "other", wanted "wanted"'
    expect(decisions.map(({ tally }) => tally)).toEqual([
      { found: 1, passedOn: 0, steps: ['filter dropped 1', sentence] },
    ])
    expect(found).toHaveLength(1)
    expect(explanations).toEqual([
      {
        ...{ trigger: 'webhook', condition: 'filter', path: 'body.kind', sentence },
        ...{ found: 'other', wanted: 'wanted' },
      },
    ])
  })

  test.each<[string, string]>([
    ['hook/webhook/teams/7', 'path does not match /users/:id'],
    ['none/webhook', 'the webhook addresses the workflow "none"; here: "hook", "bad", "oops"'],
  ])('to %s fires nothing, and says why', async (path, reason) => {
    const event = await runLocally(payload(path), platform(FILES))
    expect(event).toMatchObject({ delivery: '', count: 0, reason, problems: [], messages: [] })
    expect([event.items, event.found, event.fields]).toEqual([[], [], []])
  })

  test('to a workflow with a mistake is an event too, with the mistake at its place', async () => {
    const event = await runLocally(payload('bad/webhook'), platform(FILES))
    expect(event).toEqual({
      ...{ delivery: '', method: 'POST', path: 'bad/webhook', workflow: 'bad', trigger: 'webhook' },
      ...{ count: 0, items: [], found: [], fields: [], decisions: [], explanations: [] },
      ...{ messages: [], milliseconds: 7, reason: 'the workflow has mistakes' },
      problems: [
        expect.objectContaining({
          message: 'unknown HTTP method "psot"',
          position: expect.objectContaining({ line: 2 }),
        }),
      ],
    })
  })

  test('without any workflow file has no mistake of a workflow to tell', async () => {
    const message = 'no workflow file matches workflows/*.yml'
    const gone = () => {
      throw new UserError({ message })
    }
    const event = await runLocally(payload('hook/webhook'), { ...platform({}), workflows: gone })
    expect(event).toMatchObject({ reason: message, problems: [{ message }], items: [] })
    const mixed = () => {
      throw new UserError([{ message }, { message: 'b', position: PLACE }])
    }
    const both = await runLocally(payload('hook/webhook'), { ...platform({}), workflows: mixed })
    expect(both).toMatchObject({ reason: 'the workflow has mistakes', problems: [{}, {}] })
    expect(inWords(event).match(/no workflow file/g)).toHaveLength(1)
  })

  test('that meets a fault of ours is no event', async () => {
    const ports = { ...platform(FILES), engine: () => JSON.parse('{') }
    await expect(runLocally(payload('hook/webhook/users/1'), ports)).rejects.toThrow(SyntaxError)
  })

  test('ends its job immediately: the same delivery is a duplicate the second time', async () => {
    const ports = platform({ hook: 'webhook: {config: {shouldDeduplicate: true}}' })
    const first = await runLocally(payload('hook/webhook'), ports)
    const second = await runLocally(payload('hook/webhook'), ports)
    expect([first.count, second.count]).toEqual([1, 0])
  })
})

describe('a poll', () => {
  test('gives what waits, and the next one acknowledges it', async () => {
    const queue = queueOf(2)
    const local = platform({ hook: queueWorkflow(queue) })
    const event = await pollLocally('hook', local)
    expect(event).toMatchObject({ method: 'POLL', workflow: 'hook', trigger: 'queue', count: 2 })
    expect(event).toMatchObject({ delivery: '', path: '', problems: [], milliseconds: 7 })
    expect([event.items.length, event.found.length, event.reason]).toEqual([2, 2, undefined])
    expect(event.origin?.event).toEqual({ name: 'schedule', payload: {} })
    expect((await pollLocally('hook', local)).count).toBe(0)
    expect(queue.items).toEqual([])
  })

  test('of a workflow that polls nothing names no trigger', async () => {
    const event = await pollLocally('plain', platform({ plain: 'push' }))
    expect(event).toMatchObject({ path: '', trigger: '', count: 0 })
  })

  test('polls its own workflow alone', async () => {
    const [one, other] = [queueOf(1), queueOf(1)]
    const files = { one: { ...queueWorkflow(one), name: 'one' }, other: queueWorkflow(other) }
    expect((await pollLocally('one', platform(files))).count).toBe(1)
    expect([one.polls, other.polls]).toEqual([1, 0])
  })

  const named = (workflow: Workflow, name: string) =>
    workflow.triggers.map((trigger) => ({ ...trigger, name }))

  test('of two triggers explains the filter of each, and nothing else', async () => {
    const [one, two] = ['a', 'b'].map((text) => queueWorkflow(queueOf(1), { filter: { text } }))
    if (!one || !two) throw new Error('no workflows')
    const hook = { ...one, triggers: [...named(one, 'one'), ...named(two, 'two')] }
    const { decisions } = await pollLocally('hook', platform({ hook }))
    expect(decisions.map(({ tally }) => tally?.steps)).toEqual([
      ['filter dropped 1', 'filter: text is "t1", wanted "a"'],
      ['filter dropped 1', 'filter: text is "t1", wanted "b"'],
    ])
    const ports = platform({ hook: 'webhook: {config: {shouldDeduplicate: true}}' })
    await runLocally(payload('hook/webhook'), ports)
    const again = await runLocally(payload('hook/webhook'), ports)
    expect(again.decisions.map(({ tally }) => tally?.steps)).toEqual([['deduplicate dropped 1']])
    expect(again.explanations.map(({ condition }) => condition)).toEqual(['deduplicate'])
  })

  test('of two triggers names the one that has items', async () => {
    const [idle, busy] = [queueWorkflow(new Queue()), queueWorkflow(queueOf(1))]
    const hook = { ...idle, triggers: [...named(idle, 'idle'), ...named(busy, 'busy')] }
    expect((await pollLocally('hook', platform({ hook }))).trigger).toBe('busy')
  })

  test.each<[string, readonly Problem[], string]>([
    ['a failed service', [{ message: 'no response' }], 'the poll failed'],
    ['two failures', [{ message: 'a' }, { message: 'b' }], 'the poll failed'],
    ['a failure and a mistake', [{ message: 'a' }, { message: 'b', position: PLACE }], MISTAKES],
    ['a mistake', [{ message: 'b', position: PLACE }], MISTAKES],
  ])('tells of %s', async (_, problems, reason) => {
    const failing = () => {
      throw new UserError(problems)
    }
    const event = await pollLocally('hook', { ...platform({}), workflows: failing })
    expect(event).toMatchObject({ reason, problems, method: 'POLL', trigger: '', count: 0 })
  })
})

describe('the poller tells', () => {
  /** The messages of each round. */
  async function rounds(files: Record<string, string | Workflow>, between: (() => void)[]) {
    const told: DevEvent[] = []
    const once = poller(platform(files), (event) => void told.push(event))
    const counts: number[] = []
    for (const before of between) {
      before()
      const already = told.length
      await once()
      counts.push(told.length - already)
    }
    return counts
  }
  const nothing = () => {}

  test('of the first poll, then of items only', async () => {
    const queue = new Queue()
    const come = () => queue.put(...updates(1, 1))
    expect(await rounds({ hook: queueWorkflow(queue) }, [nothing, nothing, come, nothing])).toEqual(
      [1, 0, 1, 0],
    )
  })

  test('of a failure once, and of its end', async () => {
    const queue = queueOf(1)
    const good = queueWorkflow(queue)
    const bad = queueWorkflow(queue, { filterScript: 'return item.no.such' })
    const files = { hook: bad }
    const mend = () => {
      files.hook = good
    }
    expect(await rounds(files, [nothing, nothing, mend])).toEqual([1, 0, 1])
  })

  test('of what is left out for good, whenever it comes, and not of its end', async () => {
    const queue = new Queue()
    const files = { hook: queueWorkflow(queue) }
    const come = (number: number) => () => queue.put(...updates(number, number, tooLarge))
    const between = [nothing, come(1), come(2), nothing]
    expect(await rounds(files, between)).toEqual([1, 1, 1, 0])
  })

  test('of each other failure, and of each other warning', async () => {
    const queue = queueOf(1)
    const failing = (config: object) => queueWorkflow(queue, config)
    const files = { hook: failing({ filterScript: 'return item.no.such' }) }
    const other = () => {
      files.hook = failing({ filterScript: 'return no.such' })
    }
    expect(await rounds(files, [nothing, other, nothing])).toEqual([1, 1, 0])
  })

  test('of a workflow with one trigger that polls among others', async () => {
    const good = queueWorkflow(queueOf(1))
    const others = good.triggers.map(({ poll: _poll, ...trigger }) => ({
      ...{ ...trigger, name: 'other', poll: undefined },
    }))
    const hook = { ...good, triggers: [...others, ...good.triggers] }
    expect(await rounds({ hook }, [nothing])).toEqual([1])
  })

  test('of no workflow that has nothing to poll', async () => {
    expect(await rounds({ hook: 'webhook', bad: 'webhook: [' }, [nothing])).toEqual([0])
  })
})

describe('work that is repeated', () => {
  test('goes on after a failure, which is reported, until it is stopped', async () => {
    const failures: unknown[] = []
    const failure = new Error('no response')
    let runs = 0
    let endThird = () => {}
    const end = new Promise<void>((resolve) => {
      endThird = resolve
    })
    const work = async () => {
      runs++
      if (runs === 2) throw failure
      if (runs === 3) await end
    }
    const stop = repeat(work, 1, (error) => failures.push(error))
    while (runs < 3) await new Promise((resolve) => setTimeout(resolve, 1))
    let isStopped = false
    const stopped = stop().then(() => {
      isStopped = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    // It waits for the work that runs.
    expect(isStopped).toBe(false)
    endThird()
    await stopped
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([runs, failures]).toEqual([3, [failure]])
  })

  test('is stopped within its pause', async () => {
    let runs = 0
    const stop = repeat(
      async () => {
        runs++
      },
      3_600_000,
      () => {},
    )
    await stop()
    expect(runs).toBe(1)
  })
})

describe('a survey', () => {
  test('finds what can be read, beside the mistakes of the others', () => {
    const { found, problems } = readAllWorkflows(() => source({ ...FILES, gone: 'webhook: [' }))
    expect(found.map(({ name }) => name)).toEqual(['hook', 'oops'])
    expect(problems.length).toBeGreaterThanOrEqual(2)
  })

  test('of files that cannot even be listed is their mistake', () => {
    const open = () => {
      throw new UserError({ message: 'no workflow file matches' })
    }
    const { found, problems } = readAllWorkflows(open)
    expect([found, problems]).toEqual([[], [{ message: 'no workflow file matches' }]])
  })

  test('hides no fault of ours', () => {
    expect(() => readAllWorkflows(() => JSON.parse('{'))).toThrow(SyntaxError)
  })
})

describe('an event in words', () => {
  const fired = () => runLocally(payload('hook/webhook/users/7'), platform(FILES))

  test('as a line of JSON', async () => {
    const skipped = await runLocally(payload('none/webhook'), platform(FILES))
    expect(Object.keys(inJson(skipped))).toEqual([
      'delivery',
      'workflow',
      'trigger',
      'triggered',
      'count',
      'items',
      'reason',
    ])
    expect(inJson(await fired())).toMatchObject({ triggered: true, reason: null })
    expect(inJson(skipped)).toMatchObject({ triggered: false, items: [] })
    const mistaken = await runLocally(payload('bad/webhook'), platform(FILES))
    expect(inJson(mistaken).problems).toEqual([
      {
        message: 'unknown HTTP method "psot"',
        ...{ file: 'workflows/bad.yml', line: 2, column: 11 },
        hint: 'did you mean "post"?',
      },
    ])
  })

  test('with what the action would say in the log of its run', async () => {
    const queue = new Queue()
    queue.put(...updates(1, 1, tooLarge))
    const files = { hook: queueWorkflow(queue), noted: 'webhook: { config: { debug: true } }' }
    const lost = await pollLocally('hook', platform(files))
    expect(lost).toMatchObject({
      count: 0,
      messages: [
        { level: 'error', code: 'failed-item', text: expect.stringContaining('too large') },
      ],
    })
    expect(inJson(lost)).toMatchObject({ messages: lost.messages })
    expect(inWords(lost)).toMatch(/\n {2}error: .*update_id 1\): too large/)
    const noted = await runLocally(payload('noted/webhook'), platform(files))
    expect(noted).toMatchObject({
      count: 1,
      messages: [{ level: 'notice', text: expect.stringContaining('config.debug') }],
    })
    expect(inJson(noted)).toMatchObject({ messages: noted.messages })
    expect(inWords(noted)).toMatch(/\n {2}notice: config\.debug has no effect here: /)
  })

  test('for a person: what fired, its outputs, and none of a skipped trigger', async () => {
    const ports = platform({ hook: '{webhook: {}, slack: {}}' })
    const text = inWords(await runLocally(payload('hook/webhook'), ports))
    expect(text).toMatch(/^POST \/webhook\/hook\/webhook {2}fired, 1 item {2}7 ms\n/)
    expect(text).toContain('\n  on.webhook.outputs.body = "hello"\n')
    expect(text).not.toContain('on.slack')
  })

  test('for a person: a poll, several items, and a mistake with its frame', async () => {
    const polled = await pollLocally('hook', platform({ hook: queueWorkflow(queueOf(2)) }))
    expect(inWords(polled)).toMatch(/^POLL hook\/queue {2}fired, 2 items {2}/)
    const mistaken = inWords(await runLocally(payload('bad/webhook'), platform(FILES)))
    expect(mistaken).toContain('  failed  7 ms\n  the workflow has mistakes\n  error: unknown')
    expect(mistaken).toContain('\n    --> workflows/bad.yml:2:11\n')
  })

  test.each<[string, readonly OutputReader[], string]>([
    [
      'a source',
      [{ kind: 'source', file: 'workflows/hook.yml' }],
      'on.webhook.outputs.body = "hello"',
    ],
    ['the job of the step', [STEPS], 'steps.hook.outputs.body = "hello"'],
    [
      'the job of the step, and one of each item',
      [STEPS, MATRIX],
      'steps.hook.outputs.body = "hello"\n    job each, once per item: matrix.on.webhook.outputs.body',
    ],
  ])('for a person: under the expression that reads it in %s', async (_, readers, line) => {
    const event = await runLocally(payload('hook/webhook/users/7'), platform(FILES))
    expect(inWords(event, readers)).toContain(`\n  ${line}\n`)
    // Only the first item becomes outputs of its own.
    const several = { ...event, items: [...event.items, ...event.items] }
    const second = `fromJSON(steps.hook.outputs.items || '[]')[1].webhook.outputs.body = "hello"`
    expect(inWords(several, [STEPS])).toContain(`\n  ${second}\n`)
  })

  test('for a person: what later jobs write, where the job outputs it', async () => {
    const event = await fired()
    const outputs = { b: '${{ steps.hook.outputs.body }}' }
    const needs = { ...STEPS, kind: 'needs', reader: 'welcome', outputs } as const
    const text = inWords(event, [STEPS, needs, { ...needs, reader: 'tell' }])
    const later = `job welcome, job tell: needs.${STEPS.job}.outputs.b`
    expect(text).toContain(`\n  steps.hook.outputs.body = "hello"\n    ${later}\n`)
    expect(text.match(/needs/g)).toHaveLength(1)
  })

  test('a long value is cut, and says how long it is', async () => {
    const body = 'x'.repeat(5000)
    const text = inWords(
      await runLocally({ ...payload('hook/webhook/users/7'), body }, platform(FILES)),
    )
    expect(text).toContain('x… (5002 characters)\n')
    expect(text.length).toBeLessThan(2000)
  })

  test('a character that does not show has a mark of its own', async () => {
    const outputs = { 'a\r\n\tb': 'c\r\n' }
    const items = [{ webhook: { outcome: 'success', conclusion: 'success', outputs } }] as const
    const text = inWords({ ...(await fired()), path: 'p\r\n', items })
    expect(text).toMatch(/^POST \/webhook\/p\ufffd\ufffd {2}fired/)
    expect(text).toContain('\n  on.webhook.outputs[\'a\ufffd\ufffd\ufffdb\'] = "c\\r\\n"\n')
  })

  test('no character of a request moves the cursor of a terminal', async () => {
    const event = await fired()
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b', '\u009b', '\u2028', '\r', '\n', '\0', 'a'),
    })
    const property = fc.property(hostile, hostile, (path, body) => {
      const items = [
        { webhook: { outcome: 'success', conclusion: 'success', outputs: { body } } },
      ] as const
      const text = inWords({ ...event, path, items })
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(text.split('\n')).toHaveLength(3)
    })
    fc.assert(property, { numRuns: 1000 })
  })
})

function workflow(text: string): Workflow {
  const source = { name: 'hook.yml', file: 'hook.yml', text }
  return readOnSection('hook', source, { contexts: { secrets: {} }, triggers: TRIGGERS })
}

function found(text: string) {
  return foundTriggers('http://h', [workflow(text)])
}

describe('a trigger that was found', () => {
  test.each([
    ['webhook', 'POST    http://h/webhook/hook/webhook'],
    ['webhook: { method: get, path: /a/:id }', 'GET     http://h/webhook/hook/webhook/a/id'],
    ['typeform', 'POST    http://h/webhook/hook/typeform'],
    ['typeform: { verify: { secret: x } }', 'signed  http://h/webhook/hook/typeform'],
  ])('%s is listed as %s', (text, line) => {
    expect(found(text).map(listLine)).toEqual([line])
  })

  test.each([
    ['is polled', 'messaging_bot: { token: "1:a" }', [], ['hook/messaging_bot']],
    [
      'takes webhooks',
      'messaging_bot: { webhook: true }',
      ['http://h/webhook/hook/messaging_bot'],
      [],
    ],
  ])('a bot that %s is listed as that alone', (_, text, urls, polled) => {
    expect(found(text).map(({ url }) => url)).toEqual(urls)
    expect(polledTriggers([workflow(text)])).toEqual(polled)
  })

  test('a line for curl quotes what the shell would read', () => {
    const body = `{"text":"it's"}`
    expect(exampleLine('http://h/a', { method: 'POST', path: '', contentType: 'a/b', body })).toBe(
      `curl -X POST -H 'content-type: a/b' -d '{"text":"it'\\''s"}' 'http://h/a'`,
    )
  })
})
