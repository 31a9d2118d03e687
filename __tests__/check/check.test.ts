import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { CheckOptions } from '../../src/cli/check.ts'
import { GLOBS, HOOK, Repository, UNTRUSTED } from '../compiler/support/repository.ts'
import { runShared } from '../support/cli.ts'
import { checkByLevel } from '../support/findings.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const check = (options: Partial<CheckOptions> = {}) =>
  checkByLevel({ root: repository.root, globs: GLOBS, ...options })

describe('check', () => {
  test('finds our mistakes and those that GitHub would find, at their places in the source', async () => {
    repository.write(
      'workflows/hook.yml',
      HOOK.replace('runs-on', 'run-on').replace('echo hi', `\${` + '{ nope.x }}'),
    )
    repository.write('workflows/other.yml', HOOK.replace('webhook', 'webhok'))
    const { errors, count } = await check()
    expect(count).toBe(2)
    expect(
      errors.map(({ message, position }) => [position?.source.file, position?.line, message]),
    ).toEqual([
      ['workflows/hook.yml', 4, "Unexpected value 'run-on'"],
      ['workflows/hook.yml', 6, expect.stringContaining("Unrecognized named-value: 'nope'")],
      ['workflows/hook.yml', 4, expect.stringContaining('Required property is missing: runs-on')],
      ['workflows/other.yml', 1, 'unknown trigger "webhok"'],
    ])
  })

  test('has nothing to say of a good file, and writes nothing', async () => {
    expect(await check({ strict: true })).toEqual({
      count: 1,
      errors: [],
      warnings: [],
      notChecked: [],
      fixed: [],
    })
    expect(repository.list('.')).toEqual(['workflows'])
  })

  test('finds a script that does not compile, but for one that an expression completes', async () => {
    const scripts = (filter: string) =>
      HOOK.replace('on: webhook', `on: { webhook: { config: { filterScript: '${filter}' } } }`)
    expect(HOOK).toContain('on: webhook')
    repository.write('workflows/hook.yml', scripts('return item.x ==='))
    repository.write('workflows/late.yml', scripts('return item.x === ${{ vars.X }}'))
    repository.write('workflows/good.yml', scripts('return item.x === 1'))
    const { errors } = await check()
    expect(errors.map(({ message, position }) => [position?.source.file, message])).toEqual([
      ['workflows/hook.yml', "config.filterScript: does not compile: Unexpected token '}'"],
    ])
  })

  test('counts untrusted text as --strict says', async () => {
    repository.write('workflows/hook.yml', UNTRUSTED)
    expect(await check()).toMatchObject({
      errors: [],
      warnings: [{}],
    })
    expect(await check({ strict: true })).toMatchObject({
      errors: [{}],
      warnings: [],
    })
  })

  describe('reads native workflows that use the action', () => {
    const NATIVE = `on:
  repository_dispatch: {types: [webhook]}
jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      - id: hookline
        uses: hookline/hookline@v1
        with:
          on: |
            webhook:
              method: post
      - run: echo "\${{ fromJSON(steps.hookline.outputs.body).title }}"
`
    const file = '.github/workflows/native.yml'
    const COMPILED = 'is compiled from workflows/hook.yml, which is checked instead'
    const check = (globs: readonly string[] = []) =>
      checkByLevel({ root: repository.root, globs, strict: true })
    const places = ({ errors }: Awaited<ReturnType<typeof check>>) =>
      errors.map(({ position }) => `${position?.source.file}:${position?.line}:${position?.column}`)

    test('without arguments, together with the sources', async () => {
      repository.write(file, NATIVE)
      const checked = await check()
      expect(checked.count).toBe(2)
      expect(places(checked)).toEqual([`${file}:13:24`])
    })

    test('where there is no other', async () => {
      repository.write(file, NATIVE.replace('post', 'psot').replace('runs-on', 'run-on'))
      rmSync(join(repository.root, 'workflows'), { recursive: true })
      const checked = await check()
      expect(checked.count).toBe(1)
      expect(places(checked)).toEqual([
        `${file}:12:23`,
        `${file}:13:24`,
        `${file}:5:5`,
        `${file}:5:5`,
      ])
    })

    test('by name', async () => {
      repository.write(file, NATIVE)
      expect((await check([file])).count).toBe(1)
    })

    test('but none that does not, and none that is compiled', async () => {
      repository.write('.github/workflows/other.yml', 'on: push\njobs: [')
      repository.write(
        '.github/workflows/plain.yml',
        `${HOOK.replace('webhook', 'push')}      - run: echo \${{ github.head_ref }}\n`,
      )
      await repository.build()
      expect(await check()).toMatchObject({
        count: 1,
        errors: [],
        warnings: [],
        notChecked: [
          { file: '.github/workflows/hook.yml', reason: COMPILED, source: 'workflows/hook.yml' },
          { file: '.github/workflows/other.yml', reason: 'does not use Hookline' },
          { file: '.github/workflows/plain.yml', reason: 'does not use Hookline' },
        ],
      })
    })

    test('and says so of a file that was named', async () => {
      repository.write('.github/workflows/plain.yml', HOOK.replace('webhook', 'push'))
      await repository.build()
      const { stdout, exitCode } = await runShared(['check', '.github/workflows/*.yml'], {
        cwd: repository.root,
      })
      expect(stdout.split('\n')).toEqual([
        `.github/workflows/hook.yml ${COMPILED}`,
        '.github/workflows/plain.yml does not use Hookline',
        '2 files not checked',
        '',
      ])
      expect(exitCode).toBe(0)
    })

    test('and of a script in one, that it does not compile', async () => {
      repository.write(file, NATIVE.replace('method: post', 'config: {filterScript: "return ==="}'))
      const [problem] = (await check()).errors
      expect(problem).toMatchObject({
        message: expect.stringContaining('config.filterScript: does not compile'),
        position: { line: 12, column: 38 },
      })
    })

    test('and shows the right job condition', async () => {
      const guard = "if: startsWith(github.event.client_payload.path, 'order/webhook/')"
      const text = NATIVE.replace('runs-on', `${guard}\n    runs-on`)
      repository.write(file, text)
      const hints = (await check()).errors.map(({ hint }) => hint)
      expect(hints).toContain(`did you mean 'native/webhook/'?`)
    })

    test.each<[string, string, string, string]>([
      ['repository_dispatch', 'repository_dispach', '2:3', '"repository_dispatch"?'],
      ['on:\n', 'On:\n', '1:1', '"on"?'],
      ['runs-on', 'run-on', '5:5', '"runs-on"?'],
      ['uses', 'use', '8:9', '"uses"?'],
      ['on: |', 'onn: |', '10:11', '"on"?'],
      ['on: |', 'on:', '11:13', 'write "on: |"'],
      ['repository_dispatch:', 'webhook:', '2:3', 'use repository_dispatch'],
    ])('%j as %j at %s', async (right, wrong, place, hint) => {
      // A second step also uses the action.
      const text = `${NATIVE}      - {uses: hookline/hookline@v1, with: {on: webhook}}\n`
      repository.write(file, text.replace(right, wrong).replace(/\n.*run: .*/, ''))
      const told = (await check()).errors.map(
        ({ position, hint }) => `${position?.line}:${position?.column} ${hint}`,
      )
      expect(told).toContainEqual(
        expect.stringMatching(`^${place} .*${hint.replace(/[?|]/g, '\\$&')}`),
      )
    })

    test('and reports a source among them', async () => {
      repository.write(file, HOOK)
      const { errors, count } = await check()
      expect(count).toBe(2)
      expect(errors).toMatchObject([
        {
          message: '"webhook" is not an event of GitHub',
          position: { line: 1, column: 5 },
          hint: expect.stringContaining('move the file to workflows/'),
        },
      ])
    })

    test('and not of one that gives no triggers while there are sources', async () => {
      repository.write(file, NATIVE.replace(/with:[^-]*/, '').replace(/- run: .*/, ''))
      expect((await check()).errors).toEqual([])
      rmSync(join(repository.root, 'workflows'), { recursive: true })
      expect((await check()).errors).toMatchObject([{ message: 'the step declares no trigger' }])
    })
  })

  describe('finds what else is wrong where options have mistakes', () => {
    const text = HOOK.replace('on: webhook', 'on:\n  webhook:\n    metod: post # x').replace(
      'echo hi',
      `echo \${{ on.webhok.outcome }} \${{ on.webhook.outputs.bdy }}`,
    )
    test.each<[string, string, readonly string[]]>([
      ['in lines', text, ['3:5 unknown option', '8:26 "on" has no trigger "webhok"']],
      [
        'in braces, and what GitHub says',
        text.replace(/on:\n.*\n.*/, 'on: {webhook: {metod: post}}').replace('steps', 'stepps'),
        ['1:16 unknown option', "5:5 Unexpected value 'stepps'"],
      ],
      [
        'not of a trigger that nobody knows',
        text.replace('webhook:', 'webhok:'),
        ['2:3 unknown tr'],
      ],
      [
        'not where an option has to be there',
        text.replace('webhook:', 'messaging_bot:'),
        ['3:5 unknown'],
      ],
    ])('%s', async (_, text, told) => {
      repository.write('workflows/hook.yml', text)
      const { errors } = await check()
      expect(
        errors.map(({ message, position }) => `${position?.line}:${position?.column} ${message}`),
      ).toEqual(told.map((start) => expect.stringContaining(start)))
      expect(new Set(errors.map(({ position }) => position?.source.text))).toEqual(new Set([text]))
    })
  })

  test.each(['workflows', 'workflows/'])('reads the files of the folder %s', async (folder) => {
    expect(await check({ globs: [folder] })).toMatchObject({ count: 1, errors: [], warnings: [] })
  })

  test.each<[string, readonly string[], readonly string[]]>([
    ['the root', ['.'], ['.github/workflows/native.yml:10', 'workflows/hook.yml:6']],
    [
      'the root, as an absolute path',
      ['<root>/'],
      ['.github/workflows/native.yml:10', 'workflows/hook.yml:6'],
    ],
    ['.github', ['.github/'], ['.github/workflows/native.yml:10']],
    ['the root but a file', ['.', '!workflows/hook.yml'], ['.github/workflows/native.yml:10']],
    [
      'the root and a file',
      ['.', 'workflows/hook.yml'],
      ['.github/workflows/native.yml:10', 'workflows/hook.yml:6'],
    ],
  ])('reads of %s the workflow files alone', async (_, globs, found) => {
    const step = '- run: echo "${{ '
    repository.write(
      'workflows/hook.yml',
      HOOK.replace('- run: echo hi', `${step}on.webhook.outputs.bdy }}"`),
    )
    repository.write(
      '.github/workflows/native.yml',
      `on: {repository_dispatch: {types: [webhook]}}
jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      - id: hookline
        uses: hookline/hookline@v1
        with:
          on: 'webhook:'
      ${step}steps.hookline.outputs.bdy }}"
`,
    )
    for (const other of ['codecov.yml', '.github/dependabot.yml'])
      repository.write(other, 'version: 2\n')
    const { errors } = await check({
      globs: globs.map((glob) => glob.replace('<root>', repository.root)),
      strict: true,
    })
    const places = errors
      .filter(({ message }) => message.includes('"bdy"'))
      .map(({ position }) => `${position?.source.file}:${position?.line}`)
    expect(places.sort()).toEqual(found)
    expect(errors.filter(({ code }) => code === 'not-a-workflow')).toEqual([])
  })

  test('names the cure for a file outside of the folder', async () => {
    const other = new Repository()
    const file = join(other.root, 'workflows/hook.yml')
    const [error] = (await check({ globs: [file] })).errors
    other.remove()
    expect(error?.message).toMatch(/workflows\/hook\.yml is outside of this folder$/)
    expect(error?.hint).toContain('at the root of the repository')
  })

  test('takes a key of the file for what it was meant to be', async () => {
    repository.write('workflows/hook.yml', HOOK.replace('on:', 'On:'))
    repository.write('workflows/jobs.yml', HOOK.replace('steps', 'stepps'))
    const { errors } = await check()
    const hints = errors.map(({ hint }) => hint)
    expect(hints.slice(0, 2)).toEqual(['did you mean "on"?', 'did you mean "steps"?'])
  })

  describe('--fix', () => {
    const PASTED = `on: {repository_dispatch: {types: [webhook]}}
jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      - id: hookline
        uses: hookline/hookline@v1
        with:
          on: webhook
      - run: echo "\${{ steps.hookline.outputs.body }}"
`
    const file = '.github/workflows/native.yml'

    test('fixes sources and workflows that use the action, once', async () => {
      repository.write('workflows/hook.yml', UNTRUSTED)
      repository.write(file, PASTED)
      const options = { globs: [], fix: true, strict: true }
      const { errors, fixed } = await check(options)
      expect(errors).toEqual([])
      expect(fixed.toSorted((a, b) => b.file.localeCompare(a.file))).toEqual([
        { file: 'workflows/hook.yml', count: 1 },
        { file, count: 1 },
      ])
      const after = [repository.read('workflows/hook.yml'), repository.read(file)]
      expect(after[1]).not.toBe(PASTED)
      expect(await check(options)).toMatchObject({ errors: [], fixed: [] })
      expect([repository.read('workflows/hook.yml'), repository.read(file)]).toEqual(after)
    })

    test('reports what it cannot fix', async () => {
      const text = PASTED.replace('echo "', 'bash -c "')
      repository.write(file, text)
      const { warnings, fixed } = await check({ globs: [], fix: true })
      expect(warnings.map(({ code }) => code)).toEqual(['script-injection'])
      expect(fixed).toEqual([])
      expect(repository.read(file)).toBe(text)
    })

    test('leaves workflows alone that do not use Hookline', async () => {
      const text = PASTED.replace('hookline/hookline@v1', 'a/b@v1')
      repository.write(file, text)
      expect((await check({ globs: [], fix: true })).fixed).toEqual([])
      expect(repository.read(file)).toBe(text)
    })
  })
})
