import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { NO_YAML_SERVER, YamlServer } from '../support/yaml-server.ts'
import { EDITOR_SCHEMA } from './support/editor.ts'

interface Part {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Part>>
}

const SCHEMA: { readonly definitions: Readonly<Record<string, Part>> } = JSON.parse(
  JSON.stringify(EDITOR_SCHEMA),
)

/** The properties without a description, at and below a part of the schema. */
function undescribed(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  const { properties = {} } = part as Part
  const silent = Object.entries(properties).filter(([, { description, $ref = '' }]) => {
    return !description && !SCHEMA.definitions[$ref.replace('#/definitions/', '')]?.description
  })
  return [...silent.map(([name]) => name), ...Object.values(part).flatMap(undescribed)]
}

test('every property is described', () => {
  expect(undescribed(SCHEMA)).toEqual([])
})

const EXAMPLES = fileURLToPath(new URL('../../examples/workflows/', import.meta.url))

const LABELS = ['ubuntu-latest', 'windows-latest', 'macos-latest', 'self-hosted']

/** A file with `|` at the cursor, and some of the completions there. */
const OFFERED: readonly (readonly [text: string, offered: readonly string[]])[] = [
  ['|', ['on', 'jobs', 'hookline', 'permissions']],
  ['on:\n  |\njobs: {}', ['webhook', 'messaging_bot', 'push', 'workflow_dispatch']],
  ['on:\n  webhook:\n    |', ['method', 'path', 'verify', 'config']],
  ['on:\n  webhook:\n    method: |', ['get', 'post']],
  ['on: webhook\njobs:\n  a:\n    |', ['runs-on', 'steps', 'needs', 'uses']],
  ['on: webhook\njobs:\n  a:\n    runs-on: |', LABELS],
  ['on: webhook\njobs:\n  a:\n    runs-on:\n      |', ['group', 'labels']],
  ['on: webhook\njobs:\n  a:\n    steps:\n      - |', ['run', 'uses', 'if']],
  ['on: webhook\nhookline:\n  runs-on: |', LABELS],
  ['on: webhook\nhookline:\n  dispatch: |', ['repository', 'workflow']],
  ['on: webhook\npermissions: |', ['read-all', 'write-all']],
  ['on: webhook\npermissions:\n  |', ['contents', 'actions']],
  ['on: webhook\nconcurrency:\n  |', ['group', 'cancel-in-progress']],
]

/** Below these keys, users choose all names. */
const OWN_NAMES = new Set(['env', 'with', 'outputs', 'filter', 'params', 'matrix', 'query'])

/** The positions of keys that users do not choose. */
function keysOf(text: string) {
  const keys: { readonly name: string; readonly offset: number }[] = []
  const walk = (node: unknown): void => {
    if (isSeq(node)) for (const item of node.items) walk(item)
    if (!isMap(node)) return
    for (const { key, value } of node.items) {
      if (!isScalar(key)) continue
      const name = String(key.value)
      keys.push({ name, offset: key.range?.[0] ?? 0 })
      if (!OWN_NAMES.has(name)) walk(value)
    }
  }
  walk(parseDocument(text).contents)
  return keys
}

function placeOf(text: string, offset: number) {
  const before = text.slice(0, offset).split('\n')
  return [before.length - 1, before.at(-1)?.length ?? 0] as const
}

const name =
  NO_YAML_SERVER === undefined ? 'in an editor' : `skipped, ${NO_YAML_SERVER}: in an editor`

;(NO_YAML_SERVER === undefined ? describe : describe.skip)(name, () => {
  let server: YamlServer
  beforeAll(async () => {
    server = new YamlServer(
      fileURLToPath(new URL('../../schema/hookline-workflow.json', import.meta.url)),
    )
    await server.start()
  })
  afterAll(() => server.stop())

  test.each(OFFERED)(
    '%j offers names of GitHub and ours, and none of the schema',
    async (text, offered) => {
      const file = `${OFFERED.findIndex(([one]) => one === text)}.yml`
      await server.open(file, text.replace('|', ''))
      const labels = await server.completions(file, ...placeOf(text, text.indexOf('|')))
      expect(labels).toEqual(expect.arrayContaining([...offered]))
      expect(labels.filter((label) => /^github-|-(?:factory|mapping|strict)$/.test(label))).toEqual(
        [],
      )
      expect(labels.filter((label) => ['true', 'false', 'null'].includes(label))).toEqual([])
    },
  )

  test.each(readdirSync(EXAMPLES))(
    'examples/workflows/%s is right, and each key tells what it is',
    async (file) => {
      const text = readFileSync(`${EXAMPLES}${file}`, 'utf8')
      const found = await server.open(file, text)
      expect(found.map(({ message }) => message)).toEqual([])
      const silent: string[] = []
      for (const { name, offset } of keysOf(text)) {
        const [, said = ''] = (await server.hover(file, ...placeOf(text, offset))).split('\n\n')
        if (said === '' || said.startsWith('Source: ')) silent.push(name)
      }
      expect(silent).toEqual([])
    },
  )

  test.each([
    ['a label', 'on: webhook\njobs: {a: {runs-on: my-own, steps: [{run: x}]}}', []],
    ['a slip', 'on: webhok\njobs: {}', [0]],
    ['an option', 'on:\n  webhook:\n    methd: post\njobs: {}', [2]],
  ] as const)('%s is told as it is', async (what, text, lines) => {
    const found = await server.open(`told ${what}.yml`, text)
    expect(found.map(({ range }) => range.start.line)).toEqual(lines)
  })
})
