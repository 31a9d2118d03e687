import { beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { type CompiledTexts, compileText, WORKFLOWS } from './support/compiled.ts'
import { evaluate, fillIn } from './support/evaluate.ts'
import { parserErrors } from './support/github.ts'

const NATIVE = new Set(['push', 'pull_request', 'pull_request_target', 'schedule', 'merge_group'])

test('there are enough workflows of every style', () => {
  expect(WORKFLOWS.length).toBeGreaterThanOrEqual(34)
})

describe.each(WORKFLOWS)('%s', (name, source) => {
  const meant = parse(source)
  const receiving = received(meant.on)
  let compiled: CompiledTexts
  let made: ReturnType<typeof parse>
  beforeAll(async () => {
    compiled = await compileText(source, { name })
    made = parse(compiled.main)
  })
  const polls = receiving.length < Object.keys(Object(triggersOf(meant.on))).length
  const batches = Object.values(Object(meant.on)).some(
    (options) => Object(Object(options).config).batch === true,
  )

  test('passes the parser of GitHub, the call from one file to the other included', async () => {
    const { main, jobs, isOne } = compiled
    expect(isOne).toBe(!polls && !batches)
    const called = isOne ? undefined : { name: `${name}.jobs.yml`, content: jobs }
    expect(await parserErrors(`${name}.yml`, main, called)).toEqual([])
    expect(await parserErrors(`${name}.jobs.yml`, jobs)).toEqual([])
  })

  test('started by workflow_dispatch passes it, too, and listens to nothing else for it', async () => {
    const { main } = await compileText(source, { name, dispatch: 'workflow' })
    expect(await parserErrors(`${name}.yml`, main)).toEqual([])
    const { on } = parse(main)
    if (receiving.length === 0) return
    expect(on.workflow_dispatch.inputs.hookline).toEqual({ type: 'string' })
    const declared = meant.on?.repository_dispatch
    expect(on.repository_dispatch).toEqual(declared)
  })

  test('keeps every line of its jobs that it does not have to change, and every comment', async () => {
    const { main, jobs } = compiled
    const inJobs = jobsLines(source)
    const ofJobs = new Set(linesOf(jobs))
    const told = new Set([...linesOf(main), ...ofJobs])
    const lost = linesOf(source).filter((line) => {
      const isChanged =
        /\bon\b|^(needs|if|- name|name|run-name|hookline|runs-on|types|env):?|^- \w+$|&&|\|\||^contains/i.test(
          line,
        )
      if (line.startsWith('#')) return !told.has(line)
      return !isChanged && inJobs.has(line) && !ofJobs.has(line)
    })
    expect(lost).toEqual([])
  })

  test('keeps its jobs as they are, but for when they run and what they are called', async () => {
    const { jobs, isOne } = compiled
    const whole = isOne ? made : parse(jobs)
    const { on: _, ...jobsMade } = whole.jobs
    expect(Object.keys(jobsMade)).toEqual(Object.keys(meant.jobs))
    for (const [id, job] of Object.entries<object>(meant.jobs)) {
      const names = Object.keys(job).concat(isOne ? ['needs', 'if', 'env', 'defaults'] : [])
      expect(names).toEqual(expect.arrayContaining(Object.keys(jobsMade[id])))
      expect(Object.keys(jobsMade[id])).toEqual(expect.arrayContaining(Object.keys(job)))
      expect(jobsMade[id].permissions).toEqual(Reflect.get(job, 'permissions'))
      expect(jobsMade[id].steps?.length).toEqual(Reflect.get(job, 'steps')?.length)
    }
    if (isOne) expect(whole.permissions).toEqual(meant.permissions)
  })

  test('gives the action the triggers as they were declared', async () => {
    const step = made.jobs.on.steps[0]
    expect(triggersOf(parse(fillIn(step.with.on, {})))).toEqual(triggersOf(meant.on))
  })

  test('listens to the events that the source declares, and to webhooks', async () => {
    const { on } = made
    const declared = meant.on
    for (const event of Object.keys(declared).filter((key) => NATIVE.has(key))) {
      expect(on[event]).toEqual(declared[event])
    }
    if (receiving.length > 0) expect(on.repository_dispatch.types).toContain('webhook')
    else expect(on.repository_dispatch).toBeUndefined()
  })

  test('is compiled alike every time', async () => {
    expect(await compileText(source, { name })).toEqual(compiled)
  })

  test('starts for its own webhooks only', async () => {
    const { if: guard } = made.jobs.on
    const [trigger] = receiving
    expect(String(guard).includes('client_payload')).toBe(trigger !== undefined)
    if (trigger === undefined) return
    const starts = (path: string, event = 'repository_dispatch') =>
      evaluate(guard, {
        github: {
          event_name: event,
          event: { action: 'webhook', client_payload: { path } },
          workflow_ref: `o/r/.github/workflows/${name}.yml@refs/heads/main`,
        },
      })
    for (const rest of ['', '/', '?a=1', '/a/b?c', '?']) {
      expect(starts(`${name}/${trigger}${rest}`)).toBe(true)
      expect(starts(`/${name}/${trigger}${rest}`)).toBe(true)
    }
    const others = [
      `${name}/x${trigger}`,
      `${name}x/${trigger}`,
      `other/${trigger}`,
      `x/${name}/${trigger}`,
    ]
    for (const path of ['', ...others]) expect(starts(path)).toBe(false)
    // A bot that polls runs at every event; with webhooks alone, no other event starts a runner.
    expect(starts('', 'schedule')).toBe(polls)
    expect(starts('', 'workflow_dispatch')).toBe(polls)
  })
})

describe('empty lines at the end of the triggers remain in the last text:', () => {
  const ON = 'on:\n  webhook:\n    config:\n      filter:\n'
  const JOBS = 'jobs:\n  a:\n    runs-on: x\n    steps: [{run: x}]\n'
  test.each([
    ['kept', `${ON}        body.a: |+\n          b\n\n${JOBS}`],
    ['kept in a folded text', `${ON}        body.a: >+\n          b\n\n\n${JOBS}`],
    ['kept in a list', `${ON}        body.a:\n        - |+\n          b\n\n${JOBS}`],
    ['kept in a text without others', `${ON}        body.a: |+\n\n${JOBS}`],
    ['kept before another event', `${ON}        body.a: |+\n          b\n\n  push:\n${JOBS}`],
    ['kept before an input', `${ON}        body.\${{ vars.A }}: |+\n          b\n\n${JOBS}`],
    ['kept at the end of the file', `${JOBS}${ON}        body.a: |+\n          b\n\n`],
    ['kept, but none', `${ON}        body.a: |+\n          b\n${JOBS}`],
    ['clipped', `${ON}        body.a: |\n          b\n\n${JOBS}`],
    ['in quotes', `${ON}        body.a: "b\\n\\n"\n\n${JOBS}`],
  ])('%s', async (_, source) => {
    const { main } = await compileText(source)
    const input = parse(main).jobs.on.steps[0].with.on
    expect(triggersOf(parse(fillIn(input, {})))).toEqual(triggersOf(parse(source).on))
    expect(input.includes('#')).toBe(/[|>]\+\n(?: +b\n)?\n/.test(source))
  })
})

/** The triggers that receive webhooks; a bot only with its option. */
function received(on: unknown): string[] {
  return Object.entries(Object(triggersOf(on))).flatMap(([name, options]) =>
    !/_bot$/.test(name) || Object(options).webhook === true ? [name] : [],
  )
}

/** The lines of a source below `jobs:`. */
function jobsLines(source: string): Set<string> {
  const lines = linesOf(source)
  return new Set(lines.slice(lines.findIndex((line) => line.startsWith('jobs:')) + 1))
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim())
}

function triggersOf(on: unknown): unknown {
  if (typeof on === 'string') return { [on]: null }
  if (Array.isArray(on)) return triggersOf(Object.fromEntries(on.map((name) => [name, null])))
  return Object.fromEntries(Object.entries(on ?? {}).filter(([name]) => TRIGGERS.has(name)))
}
