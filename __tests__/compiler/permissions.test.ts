import { describe, expect, test } from '@jest/globals'
import { parse, parseDocument } from 'yaml'
import { SCOPES } from '../../src/compiler/permissions.ts'
import { fc } from '../support/properties.ts'
import { compileText, WORKFLOWS } from './support/compiled.ts'

const BOT = { messaging_bot: { token: '1:a' } }

/** The same workflow with a bot as another trigger. */
function polled(source: string): string {
  const document = parseDocument(source)
  const on = parse(source).on
  const names = typeof on === 'string' ? [on] : Array.isArray(on) ? on : undefined
  const events = names ? Object.fromEntries(names.map((name) => [name, null])) : on
  document.set('on', document.createNode({ ...events, telegram_bot: { token: '1:a' } }))
  return document.toString({ lineWidth: 0 })
}

type Declared = string | Readonly<Record<string, string>> | undefined

/** Some scopes cannot have write access. */
const WRITABLE = SCOPES.filter((scope) => !['models', 'vulnerability-alerts'].includes(scope))

const RANK = ['none', 'read', 'write']

describe('job each holds what every called job asks for', () => {
  // Settings are moved into jobs only in the one-file form.
  const able = WORKFLOWS.filter(([name]) => name !== 'moved-env')
  test.each(able)('%s, polled as well', async (name, source) => {
    const { main: listening, jobs } = await compileText(polled(source), { name })
    expect(refused(parse(listening).jobs.each.permissions, parse(jobs))).toEqual([])
  })

  test('for any permissions of a workflow and its jobs', async () => {
    const access = fc.constantFrom('none', 'read', 'write')
    const declared = fc.option(
      fc.oneof(
        fc.constantFrom('read-all', 'write-all', {}),
        fc.dictionary(fc.constantFrom(...WRITABLE), access),
      ),
      { nil: undefined },
    )
    await fc.assert(
      fc.asyncProperty(declared, fc.array(declared, { minLength: 1 }), async (workflow, perJob) => {
        const jobs = Object.fromEntries(
          perJob.map((permissions, at) => [
            `j${at}`,
            { ...(permissions && { permissions }), 'runs-on': 'x', steps: [{ run: 'y' }] },
          ]),
        )
        const source = { on: BOT, ...(workflow && { permissions: workflow }), jobs }
        const text = Object.entries(source)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join('\n')
        const { main: listening } = await compileText(`${text}\n`)
        const given = parse(listening).jobs.each.permissions
        expect(refused(given, source)).toEqual([])
        const isSilent = [workflow, ...perJob].every((one) => one === undefined)
        expect(given === undefined).toBe(isSilent)
      }),
      { numRuns: 30 },
    )
  })

  test('and no more than that', async () => {
    const source = `on: ${JSON.stringify(BOT)}
permissions: {contents: read}
jobs:
  a: {runs-on: x, steps: [{run: y}], permissions: {issues: write, contents: none}}
  b: {runs-on: x, steps: [{run: y}], permissions: {issues: read}}
`
    const { main: listening } = await compileText(source)
    expect(parse(listening).jobs.each.permissions).toEqual({ issues: 'write' })
  })

  test('a job without permissions, next to a job with some, gets the restricted default and a notice', async () => {
    const source = `on: ${JSON.stringify(BOT)}
jobs:
  a: {runs-on: x, steps: [{run: y}], permissions: {issues: write}}
  b: {runs-on: x, steps: [{run: y}]}
`
    const { main: listening, notices } = await compileText(source)
    expect(notices).toContain(
      'job "b" has no "permissions:" and another job has: it gets at most the permissions of the job "each"',
    )
    const expected = { issues: 'write', contents: 'read', packages: 'read' }
    expect(parse(listening).jobs.each.permissions).toEqual(expected)
  })
})

test.each([
  ['none', 'read'],
  ['branch:state', 'write'],
  ['file:state', 'read'],
])(
  'with state %s the job on may %s contents, read runs for a branch, and nothing else',
  async (state, contents) => {
    const { main: listening } = await compileText(
      'on: webhook\njobs: {a: {runs-on: x, steps: [{run: y}]}}\n',
      { state },
    )
    const runs = contents === 'write' ? { actions: 'read' } : {}
    expect(parse(listening).jobs.on.permissions).toEqual({ contents, ...runs })
  },
)

/** Permissions of jobs that their caller lacks, for which GitHub refuses the run. */
function refused(
  given: Declared,
  called: { permissions?: Declared; jobs: Record<string, { permissions?: Declared }> },
): string[] {
  if (given === undefined) return []
  return Object.entries(called.jobs).flatMap(([id, job]) => {
    const asked = job.permissions ?? called.permissions
    return [...SCOPES, 'id-token']
      .filter((scope) => rank(asked, scope) > rank(given, scope))
      .map((scope) => `${id} asks for ${scope}`)
  })
}

function rank(declared: Declared, scope: string): number {
  if (declared === 'write-all') return 2
  if (declared === 'read-all') return scope === 'id-token' ? 0 : 1
  return typeof declared === 'object' ? RANK.indexOf(declared[scope] ?? 'none') : 0
}
