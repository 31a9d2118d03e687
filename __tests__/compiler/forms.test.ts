// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { dispatchEvent } from '../../src/wire/payload.ts'
import { caseFiles } from '../support/case-files.ts'
import { compileText } from './support/compiled.ts'
import { parserErrors } from './support/github.ts'
import { type JobResult, schedule } from './support/scheduler.ts'

/** Rare but valid ways of writing YAML. */
const FORMS = caseFiles(join(import.meta.dirname, 'forms'))

describe.each(FORMS)('$path', ({ text: source }) => {
  test.each([
    ['repository', { event_name: 'push', event: {} }],
    ['workflow', { event_name: 'push', event: {} }],
  ] as const)('means the same to GitHub, dispatch: %s', async (dispatch, github) => {
    const { main } = await compileText(source, { dispatch })
    expect(await parserErrors('hook.yml', main)).toEqual([])
    const made = parse(main)
    const meant = parse(source)
    expect(Object.keys(made.jobs)).toEqual(['on', ...Object.keys(meant.jobs)])
    const outputs = { body: 'x', method: 'post' }
    const skipped = { webhook: { outcome: 'skipped', conclusion: 'skipped', outputs: {} } }
    const fired = { webhook: { outcome: 'success', conclusion: 'success', outputs } }
    const contexts = { github, inputs: {} }
    for (const ends of endsOf(Object.keys(meant.jobs))) {
      const { on: _on, ...jobs } = schedule(main, { contexts, ends })
      if (Object.keys(made.on).length > 1) {
        expect(jobs).toEqual(schedule(source, { contexts: { ...contexts, on: skipped }, ends }))
      }
      const webhook = {
        github: {
          event_name: dispatchEvent(dispatch),
          event: { action: 'webhook', client_payload: { path: 'hook/webhook' } },
        },
        inputs: { hookline: '{}' },
      }
      const { on: _ran, ...run } = schedule(main, {
        contexts: webhook,
        ends,
        outputs: { on: { triggered: 'true', on: JSON.stringify(fired) } },
      })
      expect(run).toEqual(schedule(source, { contexts: { ...webhook, on: fired }, ends }))
    }
  })
})

function endsOf(ids: readonly string[]): Record<string, JobResult>[] {
  return [{}, ...ids.map((id) => ({ [id]: 'failure' as const }))]
}

test('an input that is named hookline collides with a direct webhook only', async () => {
  const text =
    'on: {webhook: , workflow_dispatch: {inputs: {Hookline: {type: string}}}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  await expect(compileText(text)).resolves.toBeDefined()
  await expect(compileText(text, { dispatch: 'workflow' })).rejects.toThrow(
    'an input cannot be named "hookline"',
  )
})

describe('a notice about waiting runs', () => {
  const NOTICE = 'a newer run cancels the run that waits for this concurrency group'

  test.each([
    ['concurrency: a', true],
    ['concurrency: {group: a, cancel-in-progress: false}', true],
    ['concurrency: {group: a, cancel-in-progress: true}', false],
    ['concurrency: {group: a, cancel-in-progress: "${{ github.event_name == 1 }}"}', false],
    ['concurrency: {group: a, queue: max}', false],
  ])('%s: %s, for the workflow and for a job', async (concurrency, isTold) => {
    const job = 'jobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
    const workflow = await compileText(`on: webhook\n${concurrency}\n${job}`)
    const inJob = await compileText(
      `on: webhook\n${job.replace('runs-on', `${concurrency}, runs-on`)}`,
    )
    expect(workflow.notices.includes(NOTICE)).toBe(isTold)
    expect(inJob.notices.includes(NOTICE)).toBe(isTold)
  })
})

test('the job on runs where it is told to', async () => {
  const text = 'on: webhook\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n'
  const runsOn = async (source: string, value?: string | string[]) =>
    parse((await compileText(source, value === undefined ? {} : { runsOn: value })).main).jobs.on[
      'runs-on'
    ]
  expect(await runsOn(text)).toBe('ubuntu-latest')
  expect(await runsOn(text, ['self-hosted', 'linux'])).toEqual(['self-hosted', 'linux'])
  const own = text.replace('jobs', 'hookline: {runs-on: {group: a, labels: b}}\njobs')
  expect(await runsOn(own)).toEqual({ group: 'a', labels: 'b' })
  expect(await runsOn(own, 'windows-latest')).toEqual({ group: 'a', labels: 'b' })
  expect((await compileText(own)).main).not.toContain('\nhookline:')
})

describe('a file of great size is compiled:', () => {
  test('a thousand expressions in a line', async () => {
    const line = '${{ on.webhook.outputs.body }} '.repeat(1000)
    const text = `on: [push, webhook]\nenv: {A: "${line}"}\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n`
    const { main } = await compileText(text)
    expect(main.split('fromJSON(needs.on.outputs.on')).toHaveLength(1001)
  })

  test('four hundred jobs in a chain', async () => {
    const jobs = Array.from({ length: 400 }, (_, at) => {
      const needs = at > 0 ? `needs: j${at - 1}, ` : ''
      return `  j${at}: {${needs}runs-on: x, steps: [{run: x}]}\n`
    })
    const { main } = await compileText(`on: [push, webhook]\njobs:\n${jobs.join('')}`)
    expect(Object.keys(parse(main).jobs)).toHaveLength(401)
  })
})
