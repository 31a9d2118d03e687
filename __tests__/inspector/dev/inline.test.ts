import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { devWorkflowSource } from '../../../src/cli/dev.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-inline-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function source(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return devWorkflowSource({ root: folder, globs: ['workflows/**/*.{yml,yaml}'], contexts: {} })
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

test('inline triggers do without workflow files', async () => {
  const workflows = await source({ '.github/workflows/b.yml': native('webhook') })
  expect(workflows.names()).toEqual(['b'])
})

test('where there is neither, the missing workflow files are told', async () => {
  const workflows = await source({ '.github/workflows/ci.yml': 'on: push' })
  expect(() => workflows.names()).toThrow('no workflow file matches')
})

test('mistakes of an inline section are told when it is asked for', async () => {
  const workflows = await source({ '.github/workflows/b.yml': native('{webhook: {method: psot}}') })
  expect(workflows.names()).toEqual(['b'])
  expect(() => workflows.find('b')).toThrow('unknown HTTP method "psot"')
})
