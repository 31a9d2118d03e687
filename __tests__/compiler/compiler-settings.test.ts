import { describe, expect, test } from '@jest/globals'
import {
  mergedSettings,
  NO_SETTINGS,
  readSettingsFile,
  settingsProblems,
  usesOn,
  type WrittenSettings,
} from '../../src/compiler/compiler-settings.ts'

const FILE = '.github/hookline.yml'
const read = (text: string) => readSettingsFile({ name: FILE, file: FILE, text })

/** The problems as `<line>:<column>+<length> <message>`, with their hint. */
const problemsOf = ({ problems }: Pick<WrittenSettings, 'problems'>) =>
  problems.map(({ message, position, hint }) => {
    const { line, column, length } = position ?? {}
    return [`${line}:${column}+${length} ${message}`, ...(hint === undefined ? [] : [hint])]
  })

describe('a value of a setting', () => {
  test.each([
    ['uses', 'octo/hook@v1', 'octo/hook@v1'],
    [
      'uses',
      'https://code.example:8443/octo/hook/sub@a-b/c.d',
      'https://code.example:8443/octo/hook/sub@a-b/c.d',
    ],
    ['uses', './', './'],
    ['uses', '$/a/b', '$/a/b'],
    ['uses', '../a', '../a'],
    ['uses', 'octo/hook', undefined],
    ['uses', 'octo@v1', undefined],
    ['uses', 'octo/hook@', undefined],
    ['uses', '"octo/hook@v1 x"', undefined],
    ['uses', '"x octo/hook@v1"', undefined],
    ['uses', 'http://code.example/octo/hook@v1', undefined],
    ['uses', 'x./', undefined],
    ['uses', '"./ x"', undefined],
    ['uses', '.../a', undefined],
    ['uses', '5', undefined],
    ['dispatch', 'workflow', 'workflow'],
    ['dispatch', 'repository', 'repository'],
    ['dispatch', 'Workflow', undefined],
    ['state', 'none', 'none'],
    ['state', '""', 'none'],
    ['state', '" file: /a b "', 'file:/a b'],
    ['state', 'branch:a', 'branch:a'],
    ['state', '"file:"', undefined],
    ['state', 'disk:a', undefined],
    ['state', '5', undefined],
    ['runs-on', 'ubuntu-latest', 'ubuntu-latest'],
    ['runs-on', '" "', undefined],
    ['runs-on', '[a, b]', ['a', 'b']],
    ['runs-on', '[a, ""]', undefined],
    ['runs-on', '[a, 5]', undefined],
    ['runs-on', '[]', undefined],
    ['runs-on', '{group: a}', { group: 'a' }],
    ['runs-on', '{group: a, labels: b}', { group: 'a', labels: 'b' }],
    ['runs-on', '{labels: [b, c]}', { labels: ['b', 'c'] }],
    ['runs-on', '{group: 5}', undefined],
    ['runs-on', '{group: 5, labels: a}', undefined],
    ['runs-on', '{group: a, labels: 5}', undefined],
    ['runs-on', '{group: a, other: b}', undefined],
    ['runs-on', '{}', undefined],
    ['runs-on', '5', undefined],
    ['max-parallel', '1', 1],
    ['max-parallel', '256', 256],
    ['max-parallel', '0', undefined],
    ['max-parallel', '257', undefined],
    ['max-parallel', '1.5', undefined],
    ['max-parallel', '"5"', undefined],
    ['forge', 'gitea', 'gitea'],
    ['forge', 'gitlab', undefined],
    ['relay-url', 'https://relay.example:8443/a?b#c', 'https://relay.example:8443'],
    ['relay-url', 'http://relay.example', undefined],
    ['relay-url', 'relay.example', undefined],
    ['relay-url', '5', undefined],
  ])('%s: %s is %j', (key, text, value) => {
    const found = read(`${key}: ${text}\n`)
    expect(Object.values(found.values)).toEqual(value === undefined ? [] : [value])
    const messages = found.problems.map(({ message }) => message.split(' ', 2).join(' '))
    expect(messages).toEqual(value === undefined ? [`"${key}" is`] : [])
    if (value !== undefined) return
    expect(found.problems[0]?.position).toMatchObject({
      line: 1,
      column: key.length + 3,
      length: text.length,
    })
  })
})

test('the settings file has the position of each value, and of each mistake', () => {
  const found = read(`uses: a/b@v1 # v1.2 of it
state: &s file:/a
forge: *x
relay-url:
stat: a
zzzzzzzz: b
`)
  expect(problemsOf(found)).toEqual([['3:8+2 there is no "&x" before "*x"', 'did you mean "s"?']])
  const others = read(`uses: a/b@v1 # v1.2 of it
state: &s file:/a
forge: *s
relay-url:
stat: a
zzzzzzzz: b
`)
  expect(others.values).toEqual({ uses: 'a/b@v1 # v1.2 of it', state: 'file:/a' })
  expect([...others.positions].map(([name, { line, column }]) => [name, line, column])).toEqual([
    ['uses', 1, 7],
    ['state', 2, 11],
  ])
  const known = 'settings: uses, dispatch, state, runs-on, max-parallel, forge, relay-url'
  expect(problemsOf(others)).toEqual([
    ['3:8+2 "forge" is not one of: github, forgejo, gitea'],
    ['4:11+1 "relay-url" is not the https address of a relay'],
    ['5:1+4 unknown setting "stat"', 'did you mean "state"?'],
    ['6:1+8 unknown setting "zzzzzzzz"'],
  ])
  expect(others.problems.map(({ code, notes }) => [code, notes])).toEqual([
    ['setting-value', undefined],
    ['setting-value', undefined],
    ['unknown-setting', [known]],
    ['unknown-setting', [known]],
  ])
})

test.each([
  ['nothing', ''],
  ['comments', '# a\n'],
  ['a null', '~\n'],
])('a settings file of %s has no settings', (_, text) => {
  expect(read(text)).toEqual(NO_SETTINGS)
})

test.each([
  ['a list', '- a\n', ['1:1+3 .github/hookline.yml is not a mapping of settings']],
  ['a string', 'a\n', ['1:1+1 .github/hookline.yml is not a mapping of settings']],
  ['no YAML', 'a: [\n', undefined],
])('a settings file of %s is a mistake', (_, text, messages) => {
  const found = read(text)
  expect(found.values).toEqual({})
  if (messages) expect(problemsOf(found).flat()).toEqual(messages)
  else expect(found.problems.map(({ code }) => code)).toEqual(['yaml-syntax'])
})

test.each([
  ['uses: a/b@v1 # v1\n', 'a/b@v1 # v1'],
  ['uses: a/b@v1 #\n', 'a/b@v1'],
  ['uses: a/b@v1\n# below\nstate: none\n', 'a/b@v1'],
  ['# above\nuses: a/b@v1\n', 'a/b@v1'],
])('the comment beside %j stays with the action', (text, uses) => {
  expect(read(text).values.uses).toBe(uses)
})

test('only an action has a comment', () => {
  expect(read('runs-on: a # b\n').values).toEqual({ runsOn: 'a' })
})

describe('the settings of a source', () => {
  const written = (values: WrittenSettings['values']): WrittenSettings => ({
    ...NO_SETTINGS,
    values,
  })
  const merged = (
    source: WrittenSettings['values'],
    repository: WrittenSettings['values'] = {},
    made = {},
  ) => mergedSettings({ source: written(source), repository: written(repository) }, made)

  test('have defaults', () => {
    const defaults = {
      uses: 'hookline/hookline@v1',
      isUsesConfigured: false,
      dispatch: 'repository',
      state: 'none',
      runsOn: 'ubuntu-latest',
      maxParallel: undefined,
      relayUrl: undefined,
      forge: 'github',
    }
    expect(merged({})).toEqual(defaults)
    expect(merged({}, {}, { action: 'a/b@v2' })).toEqual({ ...defaults, uses: 'a/b@v2' })
    expect(merged({}, {}, { existing: 'c/d@v3', action: 'a/b@v2' })).toEqual({
      ...defaults,
      uses: 'c/d@v3',
    })
    expect(merged({ forge: 'gitea' })).toEqual({
      ...defaults,
      forge: 'gitea',
      dispatch: 'workflow',
      uses: 'https://github.com/hookline/hookline@v1',
    })
  })

  test('come from the source before the repository', () => {
    const own = {
      uses: 'a/b@v1',
      dispatch: 'workflow',
      state: 'file:/a',
      runsOn: 'a',
      maxParallel: 2,
      forge: 'forgejo',
      relayUrl: 'https://a.example',
    } as const
    const others = {
      uses: 'c/d@v1',
      dispatch: 'repository',
      state: 'file:/b',
      runsOn: 'b',
      maxParallel: 3,
      forge: 'gitea',
      relayUrl: 'https://b.example',
    } as const
    expect(merged(own, others)).toEqual({ ...own, isUsesConfigured: true })
    expect(merged({}, others, { existing: 'e/f@v1' })).toEqual({
      ...others,
      isUsesConfigured: true,
    })
  })

  test.each([
    ['github', 'https://github.com/hookline/hookline@v1', 'hookline/hookline@v1'],
    ['github', 'https://code.example/a/b@v1', 'https://code.example/a/b@v1'],
    ['github', 'a/https://github.com/b@v1', 'a/https://github.com/b@v1'],
    ['gitea', 'Hookline/Hookline@v1', 'https://github.com/Hookline/Hookline@v1'],
    ['gitea', 'hookline/hookline/reply@v1', 'https://github.com/hookline/hookline/reply@v1'],
    ['gitea', 'hookline/hooklines@v1', 'hookline/hooklines@v1'],
    ['gitea', 'octo/hookline/hookline@v1', 'octo/hookline/hookline@v1'],
  ] as const)('on %s the action %s is written %s', (forge, uses, name) => {
    expect(usesOn(forge, uses)).toBe(name)
  })

  test('are refused where the forge lacks something', () => {
    const problems = (source: string, repository: string) => {
      const layers = { source: read(source), repository: read(repository) }
      return problemsOf({ problems: settingsProblems(layers, mergedSettings(layers, {})) })
    }
    const dispatch = 'remove "dispatch", or set it to workflow'
    const state = 'set "state" to file:<path>, on a persistent disk'
    const noDispatch = 'gitea does not support repository_dispatch'
    const noState = 'gitea does not support a store on a branch, which needs the GitHub API'
    expect(problems('dispatch: repository\nstate: branch:a\n', '')).toEqual([])
    expect(problems('forge: gitea\nstate: file:branch:a\n', '')).toEqual([])
    expect(problems('forge: gitea\ndispatch: repository\n', 'state: branch:a\n')).toEqual([
      [`2:11+10 ${noDispatch}`, dispatch],
      [`1:8+8 ${noState}`, state],
    ])
    expect(problems('state: branch:b\n', 'forge: gitea\n\nstate: branch:a\n')).toEqual([
      [`1:8+8 ${noState}`, state],
    ])
  })
})
