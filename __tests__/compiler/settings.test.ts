import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ACTION } from '../../src/compiler/compiler-settings.ts'
import { checkByLevel } from '../support/findings.ts'
import { compileText } from './support/compiled.ts'
import { errorsOf, GLOBS, HOOK, POLLED, Repository, statusOf } from './support/repository.ts'

const COMMIT = '172239021f7ba04fe7327647b213799853a9eb89'
const OTHER = '3f2a9c41d5e6b7081926a4b5c6d7e8f901234567'
const PINNED = `hookline/hookline@${COMMIT}`
const MADE = '.github/workflows/hook.yml'
const SETTINGS = '.github/hookline.yml'
const DEDUPED = HOOK.replace('webhook', '{webhook: {config: {shouldDeduplicate: true}}}')
const REPLYING = HOOK.replace(
  '- run: echo hi',
  '- uses: hookline/hookline/reply@v1 # answers\n        with: {text: hi}\n      - uses: actions/checkout@v5',
)

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const usesOf = (text: string) => text.match(/uses: .*/g)?.map((line) => line.slice(6))
const made = () => repository.read(MADE)
const check = () => checkByLevel({ root: repository.root, globs: [] })

describe('a build keeps the action of the existing file:', () => {
  test.each([
    ['a commit that a build was told of', PINNED, PINNED],
    ['a commit that a bot raised, with its version', ACTION, `${PINNED} # v1.2.3`],
    ['a fork', 'octo/fork@v2', 'octo/fork@v2'],
    ['in quotes', ACTION, `'${PINNED}' # v1`],
  ])('%s', async (_, uses, stands) => {
    await repository.build({ uses })
    repository.write(MADE, made().replace(`uses: ${uses}`, `uses: ${stands}`))
    const kept = stands.replaceAll("'", '')
    await repository.build({ force: true })
    expect(usesOf(made())).toEqual([kept])
    expect(statusOf(await repository.build({ check: true }))).toEqual([`unchanged ${MADE}`])
  })

  test('and one of the bot’s two files', async () => {
    repository.write('workflows/hook.yml', POLLED)
    await repository.build({ uses: PINNED })
    await repository.build()
    expect(usesOf(made())).toContain(PINNED)
  })

  test('where Git left two versions of the file', async () => {
    await repository.build({ uses: PINNED })
    const line = `        uses: ${PINNED}`
    const both = `<<<<<<< ours\n${line}\n=======\n${line.replace(COMMIT, OTHER)}\n>>>>>>> theirs`
    repository.write(MADE, made().replace(line, both))
    await repository.build()
    expect(usesOf(made())).toEqual([PINNED])
  })

  test('and jobs in braces', async () => {
    repository.write(
      'workflows/hook.yml',
      'on: webhook\njobs: {a: {runs-on: x, steps: [{run: y}]}}\n',
    )
    await repository.build({ uses: PINNED })
    await repository.build()
    expect(made()).toContain(PINNED)
  })

  test('until a setting says another', async () => {
    await repository.build({ uses: PINNED })
    repository.write(SETTINGS, `uses: hookline/hookline@${OTHER} # v1.3.0\n`)
    expect(statusOf(await repository.build({ check: true }))).toEqual([`changed ${MADE}`])
    await repository.build()
    expect(usesOf(made())).toEqual([`hookline/hookline@${OTHER} # v1.3.0`])
  })
})

describe('the step that answers runs', () => {
  const reply = () => usesOf(made())?.find((uses) => uses.includes('/reply@'))

  test('the commit that is set', async () => {
    repository.write('workflows/hook.yml', REPLYING)
    await repository.build()
    expect(reply()).toBe('hookline/hookline/reply@v1 # answers')
    repository.write(SETTINGS, `uses: ${PINNED}\n`)
    await repository.build()
    expect(reply()).toBe(`hookline/hookline/reply@${COMMIT} # answers`)
  })

  test.each([
    ['what a bot wrote', '@v1', `@${COMMIT} # v1.2.3`, `@${COMMIT} # v1.2.3`],
    ['its source’s own commit', `@${OTHER}`, `@${COMMIT}`, `@${OTHER}`],
    ['another major version of its source', '@v2', `@${COMMIT} # v1.2.3`, '@v2'],
  ])('%s', async (_, source, stands, kept) => {
    const text = REPLYING.replace('@v1 # answers', source)
    repository.write('workflows/hook.yml', text)
    await repository.build()
    repository.write(MADE, made().replace(`reply${source}`, `reply${stands}`))
    await repository.build({ force: true })
    expect(reply()).toBe(`hookline/hookline/reply${kept}`)
  })
})

describe('a setting is said', () => {
  const states = async () => {
    const { errors, warnings } = await check()
    expect([errors, warnings]).toEqual([[], []])
    expect((await repository.build()).errors).toEqual([])
    expect(statusOf(await repository.build({ check: true }))).toEqual([`unchanged ${MADE}`])
    return parse(made()).jobs.on.steps[0].with.state
  }

  test('for all sources', async () => {
    repository.write('workflows/hook.yml', DEDUPED)
    expect(errorsOf(await repository.build())).toEqual(['"shouldDeduplicate" needs a store'])
    expect((await check()).errors).toHaveLength(1)
    repository.write(SETTINGS, '# of this repository\nstate: branch:seen\n')
    expect(await states()).toBe('branch:seen')
  })

  test('by one of them, which wins', async () => {
    repository.write(SETTINGS, 'state: branch:seen\n')
    repository.write('workflows/hook.yml', `hookline: {state: "file:seen"}\n${DEDUPED}`)
    expect(await states()).toBe('file:seen')
    expect(made()).not.toContain('hookline: {')
  })

  test('for the event that starts the workflow', async () => {
    repository.write(SETTINGS, 'dispatch: workflow\n')
    await repository.build()
    expect(Object.keys(parse(made()).on)).toEqual(['workflow_dispatch'])
    expect(statusOf(await repository.build({ check: true }))).toEqual([`unchanged ${MADE}`])
  })
})

describe('a mistake in the settings', () => {
  const ROWS: readonly (readonly [text: string, message: string, line: number, hint?: string])[] = [
    ['dispach: x', 'unknown setting "dispach"', 1, 'did you mean "dispatch"?'],
    ['state: none\nrunsOn: x', 'unknown setting "runsOn"', 2, 'did you mean "runs-on"?'],
    ['dispatch: push', '"dispatch" is not one of: repository, workflow', 1],
    [
      'uses: hookline',
      '"uses" is not an action with a version: write owner/name@<tag or commit>',
      1,
    ],
    [
      'uses: ${{ vars.X }}',
      '"uses" is not an action with a version: write owner/name@<tag or commit>',
      1,
    ],
    ['state: branch', '"state" is not one of: none, file:<path>, branch:<name>', 1],
    ['runs-on: []', '"runs-on" is not a label, a list of labels, or a group', 1],
    ['max-parallel: 300', '"max-parallel" is not a number from 1 to 256', 1],
    ['forge: gitlab', '"forge" is not one of: github, forgejo, gitea', 1],
    ['relay-url: http://relay', '"relay-url" is not the https address of a relay', 1],
    ['forge:', '"forge" is not one of: github, forgejo, gitea', 1],
    ['dispatch: repository\nforge: forgejo', 'forgejo does not support repository_dispatch', 1],
    [
      'forge: gitea\nstate: branch:a',
      'gitea does not support a store on a branch, which needs the GitHub API',
      2,
    ],
  ]

  test.each(ROWS)('of the repository is told: %j', async (...[text, message, line, hint]) => {
    repository.write(SETTINGS, `${text}\n`)
    for (const { errors } of [await repository.build(), await check()]) {
      expect(errors).toEqual([expect.objectContaining({ message })])
      expect(errors[0]?.position).toMatchObject({ line, source: { file: SETTINGS } })
      if (hint) expect(errors[0]?.hint).toBe(hint)
    }
    expect(repository.list('.')).not.toContain('.github/workflows')
  })

  test.each(ROWS)('of a source is told: %j', async (text, message, line) => {
    const own = text.replace(/^/gm, '  ')
    repository.write('workflows/hook.yml', `hookline:\n${own}\n${HOOK}`)
    const { errors } = await repository.build()
    expect(errors).toEqual([expect.objectContaining({ message })])
    expect(errors[0]?.position).toMatchObject({
      line: line + 1,
      source: { file: 'workflows/hook.yml' },
    })
  })

  test.each([
    ['- a\n', '.github/hookline.yml is not a mapping of settings'],
    ['a: [\n', 'YAML'],
    ['state: *x\n', ''],
  ])('%j is no file of settings', async (text, message) => {
    repository.write(SETTINGS, text)
    expect(errorsOf(await repository.build())[0]).toContain(message)
  })

  test('a settings file with another name is reported', async () => {
    repository.write('.github/hookline.yaml', 'state: none\n')
    expect(errorsOf(await repository.build())).toEqual([
      '.github/hookline.yaml is not the settings file',
    ])
  })

  test('in a native workflow "hookline:" is an error', async () => {
    const native = `hookline: {state: none}\n${HOOK.replace('webhook', 'push')}      - uses: ${ACTION}\n        with: {on: webhook}\n`
    repository.write('.github/workflows/own.yml', native)
    const { errors } = await checkByLevel({
      root: repository.root,
      globs: ['.github/workflows/own.yml'],
    })
    expect(errors.map(({ message, position }) => [message, position?.line])).toEqual([
      ['"hookline:" is a key of workflows/*.yml: GitHub refuses a file with it', 1],
    ])
  })
})

describe('compiled for Forgejo and Gitea', () => {
  test.each(['forgejo', 'gitea'] as const)('%s', async (forge) => {
    const text = `name: hook
hookline: {forge: ${forge}}
on: [webhook, push]
concurrency: {group: a, queue: max}
jobs:
  a:
    runs-on: docker
    concurrency:
      group: b
      queue: max
    steps:
      - uses: hookline/hookline/reply@v1
      - uses: octo/hookline@v1
`
    const { main, notices } = await compileText(text)
    expect(main).not.toMatch(/queue|repository_dispatch/)
    expect(usesOf(main)).toEqual([
      'https://github.com/hookline/hookline@v1',
      'https://github.com/hookline/hookline/reply@v1',
      'octo/hookline@v1',
    ])
    expect(parse(main)).toMatchObject({
      on: { workflow_dispatch: { inputs: { hookline: { type: 'string' } } } },
      concurrency: { group: 'a' },
      jobs: { a: { concurrency: { group: 'b' } } },
    })
    expect(notices.filter((notice) => notice.includes('queue'))).toHaveLength(2)
  })

  test('a bot’s poll has no queue either', async () => {
    const { main } = await compileText(
      `hookline: {forge: gitea}\n${POLLED.replace('every: 10', 'every: 5')}`,
    )
    expect(parse(main).jobs.on.concurrency).toEqual({ group: 'hookline-hook' })
  })

  test('and back: the address becomes a name again', async () => {
    await repository.build({ forge: 'forgejo', uses: PINNED })
    expect(usesOf(made())).toEqual([`https://github.com/${PINNED}`])
    await repository.build()
    expect(usesOf(made())).toEqual([PINNED])
  })

  test('the lint knows the address', async () => {
    const text = HOOK.replace('webhook', 'push').replace(
      '- run: echo hi',
      `- uses: https://github.com/${ACTION}\n        with: {on: webhook, token: a}`,
    )
    repository.write('.github/workflows/own.yml', text)
    const { errors } = await checkByLevel({
      root: repository.root,
      globs: ['.github/workflows/own.yml'],
    })
    expect(errors.map(({ message }) => message)).toEqual(['the action has no input "token"'])
  })
})

test('two sources with the same mistake in the repository’s settings tell it once', async () => {
  repository.write('workflows/two.yml', HOOK)
  repository.write(SETTINGS, 'forge: gitea\nstate: branch:a\n')
  expect(errorsOf(await repository.build({ globs: GLOBS }))).toHaveLength(1)
})
