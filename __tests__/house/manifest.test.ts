import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  convertWorkflowTemplate,
  NoOperationTraceWriter,
  parseWorkflow,
} from '@actions/workflow-parser'
import { convertActionTemplate, parseAction } from '@actions/workflow-parser/actions/index'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'

const root = new URL('../../', import.meta.url)
const workflows = readdirSync(new URL('.github/workflows', root))

interface Manifest {
  readonly inputs: Record<string, { description?: string; default?: string }>
  readonly outputs: Record<string, { description?: string }>
  readonly runs: { readonly using: string; readonly main: string }
}

function read(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, root)), 'utf8')
}

function actionErrors(content: string): string[] {
  const { context, value } = parseAction(
    { name: 'action.yml', content },
    new NoOperationTraceWriter(),
  )
  if (value) convertActionTemplate(context, value)
  return context.errors.getErrors().map((error) => error.message)
}

async function workflowErrors(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  return context.errors.getErrors().map((error) => error.message)
}

describe('action.yml', () => {
  const text = read('action.yml')
  const manifest: Manifest = parse(text)

  test('passes the parser of GitHub', () => {
    expect(actionErrors(text)).toEqual([])
  })

  test.each([
    ['an unknown runtime', 'node24', 'node5'],
    ['an unknown key', 'branding:', 'brandings:'],
    ['a default that is no text', `default: ''`, 'default: {}'],
  ])('would not pass with %s', (_, from, to) => {
    expect(text).toContain(from)
    expect(actionErrors(text.replace(from, to))).not.toEqual([])
  })

  test('runs the bundles on Node 24', () => {
    expect(manifest.runs).toMatchObject({
      using: 'node24',
      main: 'dist/action/index.js',
      post: 'dist/action/post.js',
      'post-if': 'success()',
    })
  })

  test('every input has a description and a default, every output a description', () => {
    const inputs = Object.entries(manifest.inputs)
    const outputs = Object.entries(manifest.outputs)
    const bare = [
      ...inputs.filter(([, input]) => !input.description || typeof input.default !== 'string'),
      ...outputs.filter(([, output]) => !output.description),
    ]
    expect(bare.map(([name]) => name)).toEqual([])
  })

  test('no description holds an expression: the runner would evaluate it', () => {
    const described = [...Object.values(manifest.inputs), ...Object.values(manifest.outputs)]
    expect(described.filter(({ description }) => description?.includes('${{'))).toEqual([])
  })
})

const SUITES = readdirSync(new URL('__tests__', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `__tests__/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))

/** The files, scripts of package.json and parts of test paths that a script names and that do not exist. */
function missingIn(script: string): string[] {
  const { scripts } = JSON.parse(read('package.json'))
  const paths = script.match(
    /(?<![\w/$}.-])(?:\.\/)?(?:\.ci|\.github|scripts|deploy|dist|examples|docs|__tests__)\/[\w./-]+/g,
  )
  const names = [...script.matchAll(/npm run (?:--?[\w-]+ )*([\w:-]+)/g)]
  const parts = [
    ...script.matchAll(/npm run jest -- ((?:[a-z][\w/-]* ?)+)/g),
    ...script.matchAll(/^\w+=\(([a-z][\w/ -]*)\)$/gm),
  ].flatMap(([, list = '']) => list.trim().split(' '))
  return [
    ...(paths ?? []).filter((path) => !existsSync(new URL(path, root))),
    ...names.map(([, name = '']) => name).filter((name) => !Object.hasOwn(scripts, name)),
    ...parts.filter((part) => !SUITES.some((suite) => suite.includes(part))),
  ]
}

describe('.github/workflows', () => {
  test.each([...workflows.map((name) => `.github/workflows/${name}`), '.ci/run'])(
    '%s names files, scripts and suites that exist',
    (name) => expect(missingIn(read(name))).toEqual([]),
  )

  test('a file, a script and a suite that do not exist would be found', () => {
    expect(missingIn('run: node scripts/nowhere.js && npm run nothing')).toEqual([
      'scripts/nowhere.js',
      'nothing',
    ])
    expect(missingIn('run: npm run jest -- wire cli/check-it --silent')).toEqual(['cli/check-it'])
    expect(missingIn('differing=(wire/ cli/nope)\n')).toEqual(['cli/nope'])
  })

  test.each(workflows)('%s passes the parser of GitHub', async (name) => {
    expect(await workflowErrors(name, read(`.github/workflows/${name}`))).toEqual([])
  })

  test('a wrong one would not pass', async () => {
    const wrong = read('.github/workflows/ci.yml').replace('runs-on', 'run-on')
    expect(await workflowErrors('ci.yml', wrong)).not.toEqual([])
  })
})

test('README.md, which is the page of the Marketplace, names the second action', () => {
  expect(read('README.md')).toContain('`hookline/hookline/reply@v1`')
})

test('the hooks of pre-commit call the committed command, which git marks as executable', () => {
  const hooks = parse(read('.pre-commit-hooks.yaml'))
  const { bin } = JSON.parse(read('package.json'))
  expect(hooks.map(({ id }: { id: string }) => id)).toEqual(['hookline-check', 'hookline-build'])
  for (const { entry, language, files } of hooks) {
    expect([entry.split(' ')[0], language]).toEqual([bin.hookline, 'script'])
    expect('.github/workflows/a.yml').toMatch(new RegExp(files))
    expect('workflows/a.yaml').toMatch(new RegExp(files))
    expect('docs/a.yml').not.toMatch(new RegExp(files))
  }
})
