import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { compileText, WORKFLOWS } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

const NATIVE = new Set(['push', 'pull_request', 'pull_request_target', 'schedule', 'merge_group'])

test('there are enough workflows of every style', () => {
  expect(WORKFLOWS.length).toBeGreaterThanOrEqual(34)
})

describe.each(WORKFLOWS)('R43: %s', (name, source) => {
  test('passes the parser of GitHub, the call from one file to the other included', async () => {
    const { listening, jobs } = await compileText(source, { name })
    const called = { name: `${name}.jobs.yml`, content: jobs }
    expect(await parserErrors(`${name}.yml`, listening, called)).toEqual([])
    expect(await parserErrors(`${name}.jobs.yml`, jobs)).toEqual([])
  })

  test('becomes jobs that differ in nothing but the rewritten tokens and the head', async () => {
    const { jobs } = await compileText(source, { name })
    expect(withoutCall(jobs)).toEqual(withoutListening(source))
  })

  test('gives the action the triggers as they were declared', async () => {
    const { listening } = await compileText(source, { name })
    const step = parse(listening).jobs.on.steps[0]
    expect(triggersOf(parse(fillIn(step.with.on, {})))).toEqual(triggersOf(parse(source).on))
  })

  test('listens to the events that the source declares, and to webhooks', async () => {
    const on = parse((await compileText(source, { name })).listening).on
    const declared = parse(source).on
    for (const event of Object.keys(declared).filter((key) => NATIVE.has(key))) {
      expect(on[event]).toEqual(declared[event])
    }
    if (received(source).length > 0) expect(on.repository_dispatch.types).toContain('webhook')
    else expect(on.repository_dispatch).toBeUndefined()
  })

  test('is compiled alike every time', async () => {
    expect(await compileText(source, { name })).toEqual(await compileText(source, { name }))
  })

  test('starts for its own webhooks only', async () => {
    const { if: guard } = parse((await compileText(source, { name })).listening).jobs.on
    const [trigger] = received(source)
    expect(guard === undefined).toBe(trigger === undefined)
    if (trigger === undefined) return
    const starts = (path: string, event = 'repository_dispatch') =>
      evaluate(guard, {
        github: { event_name: event, event: { action: 'webhook', client_payload: { path } } },
      })
    for (const rest of ['', '/', '?a=1', '/a/b?c', '?']) {
      expect(starts(`${name}/${trigger}${rest}`)).toBe(true)
      expect(starts(`/${name}/${trigger}${rest}`)).toBe(true)
    }
    const others = [
      `${name}/${trigger}2`,
      `${name}x/${trigger}`,
      `other/${trigger}`,
      `x/${name}/${trigger}`,
    ]
    for (const path of ['', ...others]) expect(starts(path)).toBe(false)
    expect(starts('', 'schedule')).toBe(true)
    expect(starts('', 'workflow_dispatch')).toBe(true)
  })
})

/** The triggers that webhooks reach; a bot's only when it says so. */
function received(source: string): string[] {
  const triggers = Object.entries(Object(triggersOf(parse(source).on)))
  return triggers.flatMap(([name, options]) =>
    !/_bot$/.test(name) || Object(options).webhook === true ? [name] : [],
  )
}

/** Lines of the jobs file as the source had them, in small letters since contexts ignore case. */
function withoutCall(jobs: string): string[] {
  const lines = jobs.replaceAll('fromJSON(inputs.on)', 'on').toLowerCase().split('\n').slice(1)
  const start = lines.indexOf('on:')
  const length = lines.slice(start + 1).findIndex((line) => !/^ +[^ #]/.test(line))
  return lines.toSpliced(start, length + 1)
}

/** Lines of the source without the ones that go into the listening file. */
function withoutListening(source: string): string[] {
  const lines = source
    .toLowerCase()
    .split('\n')
    .filter((line) => !/^(run-)?name:/.test(line))
  const start = lines.findIndex((line) => /^["']?on["']?:/.test(line))
  const next = start + 1 + lines.slice(start + 1).findIndex((line) => /^[a-z]/.test(line))
  const last = lines.slice(0, next).findLastIndex((line) => !/^\s*(#|$)/.test(line))
  return lines.toSpliced(start, last - start + 1)
}

function triggersOf(on: unknown): unknown {
  if (typeof on === 'string') return { [on]: null }
  if (Array.isArray(on)) return triggersOf(Object.fromEntries(on.map((name) => [name, null])))
  return Object.fromEntries(Object.entries(on ?? {}).filter(([name]) => TRIGGERS.has(name)))
}
