import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { nativeReaders } from '../../../src/cli/dev.ts'
import { devFindings, devWorkflowSource } from '../../../src/cli/workflows-here.ts'
import { type Problem, UserError } from '../../../src/wire/errors.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-inline-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function source(files: Record<string, string>, globs = ['workflows/**/*.{yml,yaml}']) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return devWorkflowSource({ root: folder, globs, contexts: {} })
}

function native(on: string): string {
  const step = `{ uses: hookline/hookline@v1, with: { on: ${JSON.stringify(on)} } }`
  return `on: repository_dispatch\njobs: { on: { steps: [${step}] } }`
}

test('workflow files and inline triggers are found, other native workflows are not', async () => {
  const workflows = await source({
    'workflows/a.yml': 'on: webhook',
    '.github/workflows/b.yaml': native('webhook'),
    '.github/workflows/ci.yml': 'on: push',
    '.github/workflows/notes.md': native('webhook'),
  })
  expect(workflows.names()).toEqual(['a', 'b'])
  expect(workflows.find('b')?.triggers.map(({ name }) => name)).toEqual(['webhook'])
  expect(workflows.find('ci')).toBeUndefined()
  expect(workflows.find('c')).toBeUndefined()
})

test('of one name the workflow file counts, since the native one is compiled from it', async () => {
  const workflows = await source({
    'workflows/a.yml': 'on: { webhook: { path: /source } }',
    '.github/workflows/a.yml': native('{webhook: {path: /compiled}}'),
  })
  expect(workflows.names()).toEqual(['a'])
  expect(workflows.find('a')?.triggers[0]?.example?.path).toBe('/source')
})

test.each([
  ['.github/workflows/b.yml', ['b']],
  ['.github/workflows/*.yml', ['b', 'c']],
  ['workflows/a.yml', ['a', 'b', 'c']],
])('dev --workflow %s finds %j, and reads native workflows as native', async (glob, names) => {
  const files = {
    'workflows/a.yml': 'on: webhook',
    '.github/workflows/b.yml': native('webhook: {path: /x}'),
    '.github/workflows/c.yml': native('webhook'),
  }
  const workflows = await source(files, [glob])
  expect(workflows.names()).toEqual(names)
  expect(workflows.find('b')?.triggers[0]?.example?.path).toBe('/x')
})

test('inline triggers do without workflow files', async () => {
  const workflows = await source({ '.github/workflows/b.yml': native('webhook') })
  expect(workflows.names()).toEqual(['b'])
})

test('where there is neither, the missing workflow files are told', async () => {
  const workflows = await source({ '.github/workflows/ci.yml': 'on: push' })
  expect(() => workflows.names()).toThrow('no workflow file matches')
})

test.each([
  [
    'on: repository_dispatch\njobs: {a: {steps: [{uses: hookline/hookline@v1, with: {onn: webhook}}]}}',
    '.github/workflows/b.yml gives the action no triggers: write them under "with:" as "on: |"',
  ],
  [
    'on: webhook\njobs: {a: {steps: [{run: echo}]}}',
    '.github/workflows/b.yml: "webhook" is not an event of GitHub: move the file to workflows/, and run: hookline build',
  ],
  ['on: push', 'make one with: hookline init'],
  ['on: [', 'make one with: hookline init'],
])('where no trigger is found, the file says what to do: %s', async (text, note) => {
  const workflows = await source({ '.github/workflows/b.yml': text })
  let problems: readonly Problem[] = []
  try {
    workflows.names()
  } catch (error) {
    if (error instanceof UserError) problems = error.problems
  }
  expect(problems).toEqual([expect.objectContaining({ notes: [note] })])
})

test('a trigger that works here but never on GitHub is reported', async () => {
  const guard = "startsWith(github.event.client_payload.path, 'hok/webhook/')"
  const workflows = await source({
    'workflows/a.yml': native('webhook'),
    '.github/workflows/b.yml': native('webhook').replace('on: {', `on: { if: "${guard}",`),
    '.github/workflows/c.yml': 'on: [',
  })
  const findings = await devFindings({ root: folder, globs: ['workflows/*.yml'] }, () => workflows)
  expect(findings.map(({ level, message }) => `${level}: ${message}`)).toEqual(
    expect.arrayContaining([
      'warning: workflows/a.yml has no trigger of Hookline, so it is not compiled',
      'warning: the path of a webhook for this file never begins with "hok/webhook/"',
    ]),
  )
})

test('mistakes of an inline section are told when it is asked for', async () => {
  const workflows = await source({ '.github/workflows/b.yml': native('{webhook: {method: psot}}') })
  expect(workflows.names()).toEqual(['b'])
  expect(() => workflows.find('b')).toThrow('unknown HTTP method "psot"')
})

function readers(text: string, reads: 'inline' | 'files' = 'inline') {
  return nativeReaders({ name: 'w.yml', file: 'w.yml', text }, reads)
}

const STEP = '{ id: hook, uses: hookline/hookline@v1, with: { on: webhook } }'
const steps = { kind: 'steps', file: 'w.yml', job: 'on', step: { id: 'hook' } }

describe("the readers of a native workflow's outputs", () => {
  test.each<[string, string]>([
    ['a version', 'hookline/hookline@v1'],
    ['a commit', 'hookline/hookline@3f2a9c41d5e6b7081926a4b5c6d7e8f901234567'],
    ['a fork', 'someone/hookline@main'],
    ['the same repository', './'],
  ])('later steps of its job, by %s', (_, uses) => {
    const step = `{ id: hook, uses: "${uses}", with: { on: webhook } }`
    expect(readers(`jobs: { on: { steps: [${step}] } }`)).toEqual([steps])
  })

  test('no step has an id', () => {
    const text = `jobs: { on: { steps: [{ uses: ./, with: { on: webhook } }] } }`
    expect(readers(text)).toEqual([{ ...steps, step: { id: null } }])
  })

  test('a job that needs it, with the outputs of the job', () => {
    const text = `
jobs:
  on:
    outputs: { body: "\${{ steps.hook.outputs.body }}", count: 3 }
    steps: [${STEP}]
  one: { needs: on }
  two: { needs: [other, on] }
  three: { needs: two }`
    const outputs = { body: '${{ steps.hook.outputs.body }}' }
    const needs = { kind: 'needs', file: 'w.yml', job: 'on', step: { id: 'hook' }, outputs }
    expect(readers(text)).toEqual([steps, { ...needs, reader: 'one' }, { ...needs, reader: 'two' }])
  })

  test.each<[string, string, string]>([
    [
      'as most write it',
      '${{ steps.hook.outputs.items }}',
      '${{ fromJSON(needs.on.outputs.all) }}',
    ],
    [
      'in another taste',
      '${{steps.hook.outputs.items}}',
      '${{ fromJson( needs.on.outputs.all ) }}',
    ],
  ])('a matrix over the items, %s', (_, items, over) => {
    const text = `
jobs:
  on:
    outputs: { all: "${items}" }
    steps: [${STEP}]
  each:
    needs: on
    strategy: { matrix: { event: "${over}", os: [a, b] } }`
    expect(readers(text)).toEqual([
      steps,
      { kind: 'matrix', file: 'w.yml', reader: 'each', name: 'event' },
    ])
  })

  test('the action that reads files is another matter than the one with triggers inline', () => {
    const files = '{ id: files, uses: ./ }'
    const text = `jobs: { on: { steps: [${STEP}, ${files}] } }`
    expect(readers(text)).toEqual([steps])
    expect(readers(text, 'files')).toEqual([{ ...steps, step: { id: 'files' } }])
  })

  test.each([
    ['no job', 'on: push'],
    ['another action', 'jobs: { on: { steps: [{ uses: actions/checkout@v6 }] } }'],
    ['a list for a job', 'jobs: { on: [] }'],
    ['text for its steps', 'jobs: { on: { steps: webhook } }'],
    ['a mistake of YAML', 'jobs: { on: ['],
  ])('no job, with %s', (_, text) => {
    expect(readers(text)).toEqual([])
  })
})
