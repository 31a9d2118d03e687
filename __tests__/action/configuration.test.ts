import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { dispatchEvent, runInShared } from '../support/action.ts'
import { fire, payload } from './step.ts'

describe('inline', () => {
  test.each([
    ['a word', 'webhook'],
    ['a list', '[webhook]'],
    ['a block list', '- webhook\n- push'],
    ['a mapping', 'webhook:'],
    ['a mapping with options', 'webhook:\n  method: post'],
    ['beside events of GitHub', 'push:\nwebhook: {}\nschedule: [{cron: "0 0 * * *"}]'],
    ['pasted with its key', 'on:\n  webhook:\n    method: post'],
    ['a word pasted with its key', 'on: webhook'],
    ['a list pasted with its key', 'on: [push, webhook]'],
    ['JSON', '{"webhook": {"method": ["post"]}}'],
    ['with Windows line ends', 'webhook:\r\n  method: post\r\n'],
    ['with an anchor', 'push: &both [x]\nwebhook: {method: &m post}'],
  ])('as %s', async (_, on) => {
    const { outputs } = await fire(on, { path: 'hook/webhook' })
    expect(outputs).toMatchObject({ triggered: 'true', trigger: 'webhook', workflow: 'hook' })
  })

  test('the workflow is named like the calling workflow’s file', async () => {
    const { outputs } = await fire('webhook', { path: 'my.own-1/webhook' }, { calling: 'my.own-1' })
    expect(outputs).toMatchObject({ triggered: 'true', workflow: 'my.own-1' })
  })
})

describe('workflow files', () => {
  let workspace = ''
  afterEach(() => rm(workspace, { recursive: true }))

  const VALID = 'on: webhook\njobs: {}\n'

  async function run(files: Record<string, string>, path: string, workflow?: string) {
    workspace = await mkdtemp(join(tmpdir(), 'hookline-files-'))
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(workspace, name)), { recursive: true })
      await writeFile(join(workspace, name), text)
    }
    const inputs = { on: '', ...(workflow !== undefined && { workflow }) }
    return runInShared({ ...dispatchEvent(payload({ path })), inputs, workspace })
  }

  test.each([
    ['below workflows/', { 'workflows/hook.yml': VALID }, undefined],
    ['ending in .yaml', { 'workflows/hook.yaml': VALID }, undefined],
    ['in nested folders', { 'workflows/a/b/hook.yml': VALID }, undefined],
    ['by its path', { 'ci/hook.yml': VALID }, 'ci/hook.yml'],
    ['by a path with ./', { 'ci/hook.yml': VALID }, './ci/hook.yml'],
    ['by a glob', { 'ci/hook.yml': VALID, 'ci/no.txt': 'x' }, 'ci/*.yml'],
    ['by one of several globs', { 'b/hook.yml': VALID }, 'a/*.yml\n  b/*.yml\n\n'],
    [
      'beside one a glob takes out',
      { 'a/hook.yml': VALID, 'a/old/hook.yml': VALID },
      'a/**/*.yml\n!a/old/**',
    ],
    ['found by two globs', { 'a/hook.yml': VALID }, 'a/*.yml\na/hook.yml'],
    [
      'beside a broken one',
      { 'workflows/hook.yml': VALID, 'workflows/broken.yml': ']' },
      undefined,
    ],
  ])('found %s', async (_, files, workflow) => {
    const { outputs } = await run(files, 'hook/webhook', workflow)
    expect(outputs).toMatchObject({ triggered: 'true', workflow: 'hook' })
  })

  test('only the file that the path names is read: the broken one fails when it is named', async () => {
    const files = { 'workflows/hook.yml': VALID, 'workflows/broken.yml': 'on: [' }
    const { exitCode, stdout } = await run(files, 'broken/webhook')
    expect(exitCode).toBe(1)
    expect(stdout).toContain('--> workflows/broken.yml:1:6')
    expect(stdout).toContain('::error title=Hookline,file=workflows/broken.yml,line=1,')
  })

  test('a name that no file has: skipped, and the summary names the files', async () => {
    const files = { 'workflows/hook.yml': VALID, 'workflows/other.yml': VALID }
    const { outputs, exitCode, summary } = await run(files, 'hok/webhook')
    expect({ exitCode, triggered: outputs.triggered }).toEqual({ exitCode: 0, triggered: 'false' })
    expect(summary).toContain(
      'here: &#34;hook&#34;, &#34;other&#34; (did you mean &#34;hook&#34;?)',
    )
  })

  test.each([
    [
      'two files of one name',
      { 'workflows/hook.yml': VALID, 'workflows/a/hook.yaml': VALID },
      undefined,
      [
        'error: two workflow files are named "hook": workflows/a/hook.yaml and workflows/hook.yml',
        '  = a webhook URL names a workflow by its file name alone: rename one of them',
      ],
    ],
    [
      'globs that match no file',
      { 'other.yml': VALID },
      'ci/*.yml\n!ci/x.yml',
      [
        'error: no workflow file matches ci/*.yml, !ci/x.yml',
        '  = the repository must be checked out first (actions/checkout)',
        '  = or give the triggers in the input "on": then no file is needed',
      ],
    ],
    [
      'a path without a file',
      {},
      'ci/hook.yml',
      ['error: ci/hook.yml: no such file or directory (ENOENT)', '  = Check the path.'],
    ],
    [
      'a file without on',
      { 'workflows/hook.yml': 'jobs: {}' },
      undefined,
      ['error: workflows/hook.yml has no "on:" section'],
    ],
    [
      'an empty file',
      { 'workflows/hook.yml': '' },
      undefined,
      ['error: workflows/hook.yml has no "on:" section'],
    ],
    [
      'an empty on',
      { 'workflows/hook.yml': 'on:\njobs: {}' },
      undefined,
      [
        'error: workflows/hook.yml names no trigger under "on:"',
        '  --> workflows/hook.yml:1:1',
        '   |',
        ' 1 | on:',
        '   | ^^',
        `   = triggers: ${[...TRIGGERS.keys()].join(', ')}`,
      ],
    ],
  ])('%s: exit 1 with what to do', async (_, files, workflow, lines) => {
    const { exitCode, stdout, outputs } = await run(files, 'hook/webhook', workflow)
    expect(exitCode).toBe(1)
    expect(stdout).toContain(lines.join('\n'))
    const annotation = stdout.split('\n').find((line) => line.startsWith('::error title=Hookline'))
    expect(annotation).toContain(`::${lines[0]?.slice('error: '.length)}`)
    expect(outputs).toMatchObject({ triggered: 'false', items: '[]' })
  })

  test('two files of one name hurt no webhook for another', async () => {
    const files = { 'workflows/hook.yml': VALID, 'w/twin.yml': VALID, 'w/a/twin.yml': VALID }
    const { outputs } = await run(files, 'hook/webhook', '**/*.yml')
    expect(outputs.triggered).toBe('true')
  })
})
