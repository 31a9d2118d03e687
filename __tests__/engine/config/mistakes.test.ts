import { describe, expect, test } from '@jest/globals'
import { runJob, webhookRun } from './scene.ts'

describe('a mistake in config is shown at its place:', () => {
  test.each<[object, string]>([
    [{ limti: 1 }, 'unknown option "limti"'],
    [{ limit: -1 }, '"config.limit" is less than 0'],
    [{ lease: 0 }, '"config.lease" is not more than 0'],
    [{ lease: '60' }, '"config.lease" is a string, not a number'],
    [{ limit: 1.5 }, '"config.limit" is not a whole number'],
    [{ limit: '5' }, '"config.limit" is a string, not a number'],
    [{ skip: -1 }, '"config.skip" is less than 0'],
    [{ active: 'yes' }, '"config.active" is a string, not a boolean'],
    [
      { every: -5 },
      '"config.every" is neither a number of minutes nor a cron expression of five fields',
    ],
    [
      { every: '@hourly' },
      '"config.every" is neither a number of minutes nor a cron expression of five fields',
    ],
    [
      { every: '0 0 9 * * *' },
      '"config.every" is neither a number of minutes nor a cron expression of five fields',
    ],
    [{ timeZone: 'Berlin' }, '"config.timeZone" is not an IANA time zone'],
    [{ filter: [] }, '"config.filter" is not a mapping'],
    [{ filter: 'x' }, '"config.filter" is not a mapping'],
    [{ filter: { a: { $gtt: 1 } } }, '"config.filter": operator $gtt is unknown'],
    [{ filter: { a: { $in: 'x' } } }, '"config.filter.a.$in": $in needs a list'],
    [{ filter: { $or: { a: 1 } } }, '"config.filter.$or": $or needs a list'],
    [
      { filter: { a: { $regex: '(', $options: 'i' } } },
      '"config.filter.a.$regex": Invalid regular expression: /(/i: Unterminated group',
    ],
    [
      { filter: { a: { $elemMatch: 5 } } },
      '"config.filter.a.$elemMatch": $elemMatch needs a mapping',
    ],
    [
      { filter: { $where: 'true' } },
      '"config.filter": operator $where runs a script; use filterScript or format',
    ],
    [
      { filterOutputs: { a: { $function: {} } } },
      '"config.filterOutputs": operator $function runs a script; use filterScript or format',
    ],
    [{ sort: { a: 'up' } }, '"config.sort" gives each field 1 (ascending) or -1 (descending)'],
    [{ sortScript: '' }, '"config.sortScript" is empty'],
    [{ outputsMode: 'combined' }, 'unknown outputs mode "combined"'],
    [{ manualRunEvent: 'workflow_dispach' }, 'unknown event "workflow_dispach"'],
    [{ manualRunEvent: ['push', 'x'] }, 'unknown event "x"'],
  ])('%j', async (config, message) => {
    const { exitCode, stdout } = await runJob(webhookRun(config, {}))
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`error: ${message}`)
    expect(stdout).toMatch(/ --> input "on":1:\d+/)
    expect(stdout).not.toMatch(/internal error/)
  })

  test('yes and no are text in YAML: the hint says what to write', async () => {
    const { stdout } = await runJob(webhookRun({ active: 'yes' }, {}))
    expect(stdout).toContain('^^^^^ write true or false')
  })

  test.each([
    ['x', 'a string'],
    [[{ limit: 1 }], 'a list'],
  ])('config itself is not a mapping: %j', async (config, type) => {
    const { stdout } = await runJob(webhookRun(config, {}))
    expect(stdout.match(/^error: .*$/gm)).toEqual([
      `error: "config" is ${type}, not a mapping of options`,
    ])
  })

  test('an option of config beside it', async () => {
    const run = webhookRun({}, {}, { inputs: { on: 'webhook: {filter: {a: 1}}' } })
    expect((await runJob(run)).stdout).toContain('it belongs under "config"')
  })
})

describe('a key of Actionsflow that is not taken over names the new way:', () => {
  test.each([
    ['metadata', /`env` of the workflow, or into variables/],
    ['resultsPerWorkflow', /`items` is a matrix/],
  ])('%s', async (key, advice) => {
    const { exitCode, stdout } = await runJob(webhookRun({ [key]: 1 }, {}))
    expect(exitCode).toBe(1)
    expect(stdout).toContain(`error: "config.${key}" is not known here`)
    expect(stdout).toMatch(advice)
  })
})

test('keys of Actionsflow that have no effect are a notice', async () => {
  const { exitCode, stdout, outputs } = await runJob(webhookRun({ debug: true, logLevel: 'x' }, {}))
  expect([exitCode, outputs.triggered]).toEqual([0, 'true'])
  expect(stdout).toContain(
    '::notice::config.logLevel has no effect here: switch on step debug logging',
  )
})

describe('state that is asked for, and not there, is a mistake:', () => {
  test.each([{ shouldDeduplicate: true }, { skipFirst: true }])('%j', async (config) => {
    const { exitCode, stdout } = await runJob(webhookRun(config, {}))
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      `config.${Object.keys(config)[0]} needs a store: set the input "state"`,
    )
  })

  test.each(['here', 'file', 'file:', 'branch:', 'branch:../x', 'branch:-d', 'none:x', 'None'])(
    'the input "state" is %s',
    async (state) => {
      const { exitCode, stdout } = await runJob(
        webhookRun({}, {}, { inputs: { on: 'webhook', state } }),
      )
      expect(exitCode).toBe(1)
      expect(stdout).toContain('input "state" is none of: none, file:<path>, branch:<name>')
    },
  )
})
