import { describe, expect, test } from '@jest/globals'
import {
  changesOf,
  collisionsIn,
  firstLine,
  hasConflict,
  hasNewerActions,
  isSameText,
  nameProblems,
  originOf,
} from '../../src/compiler/compiled-files.ts'

const HEAD = firstLine('workflows/a.yml')
const HASH = '0123456789abcdef'.repeat(4)

test.each([
  ['its first line', HEAD, 'workflows/a.yml'],
  ['lines below', `${HEAD}\non: push\n`, 'workflows/a.yml'],
  ['a byte order mark and Windows line breaks', `\uFEFF${HEAD}\r\non: push\r\n`, 'workflows/a.yml'],
  ['white space after the line', `${HEAD} \t`, 'workflows/a.yml'],
  ['a path with spaces', firstLine('workflows/a b.yml'), 'workflows/a b.yml'],
  ['a path of one letter', firstLine('a'), 'a'],
  ['a hash', HEAD.replace('.yml.', `.yml, sha256:${HASH}.`), 'workflows/a.yml'],
  [
    'a hash that is too short',
    HEAD.replace('.yml.', `.yml, sha256:${HASH.slice(1)}.`),
    `workflows/a.yml, sha256:${HASH.slice(1)}`,
  ],
  ['a conflict', `<<<<<<< HEAD\n${HEAD}\n=======\n`, 'workflows/a.yml'],
  ['a conflict without a space', `<<<<<<<HEAD\n${HEAD}\n`, undefined],
  ['another line before it', `# a\n${HEAD}\n`, undefined],
  ['words before it', `x ${HEAD}`, undefined],
  ['words after it', `${HEAD} x`, undefined],
  ['a path that begins with a space', firstLine(' a.yml'), undefined],
  ['no path', firstLine(''), undefined],
  ['nothing', '', undefined],
])('a file with %s has this source', (_, text, source) => {
  expect(originOf(text)).toBe(source)
})

test.each([
  ['both markers', 'a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n', true],
  ['the first marker only', '<<<<<<< HEAD\nb\n', false],
  ['the last marker only', 'b\n>>>>>>> other\n', false],
  ['markers within lines', 'a <<<<<<< HEAD\nb >>>>>>> other\n', false],
  ['markers without names', '<<<<<<<\n>>>>>>>\n', false],
])('%s: a conflict of Git or none', (_, text, is) => {
  expect(hasConflict(text)).toBe(is)
})

test.each([
  ['no file', undefined, 'a\n', false],
  ['itself', 'a\n', 'a\n', true],
  ['Windows line breaks and a byte order mark', '\uFEFFa\r\nb\r\n', 'a\nb\n', true],
  ['no line break at the end', 'a\nb', 'a\nb\n', true],
  ['one line break more at the end', 'a\n\n', 'a\n', false],
  ['another line', 'a\n', 'b\n', false],
])('a compiled file is compared with %s', (_, existing, compiled, is) => {
  expect(isSameText(existing, compiled)).toBe(is)
})

describe('later versions of actions', () => {
  const [older, newer] = ['a'.repeat(40), 'b'.repeat(40)]
  test.each([
    ['a later tag', 'uses: a/b@v2', 'uses: a/b@v1', true],
    ['a later number within', '- uses: a/b@v1.10.0', '- uses: a/b@v1.9.9', true],
    ['a further number', 'uses: a/b@v1.0.1', 'uses: a/b@v1', true],
    [
      'a commit with a later comment',
      `uses: a/b@${newer} # v1.2`,
      `uses: a/b@${older} # v1.1`,
      true,
    ],
    ['a commit in quotes', `uses: "a/b@${newer}" #v2`, `uses: "a/b@${older}" # v1`, true],
    ['an earlier tag', 'uses: a/b@v1', 'uses: a/b@v2', false],
    ['an earlier tag with a later number within', 'uses: a/b@v1.9', 'uses: a/b@v2.0', false],
    ['the same version in other words', 'uses: a/b@v1.0', 'uses: a/b@v1', false],
    ['a commit with the same comment', `uses: a/b@${newer} # v1`, `uses: a/b@${older} # v1`, false],
    ['another action', 'uses: a/c@v2', 'uses: a/b@v1', false],
    ['another indentation', '  uses: a/b@v2', 'uses: a/b@v1', false],
    ['another key', 'run: a/b@v2', 'run: a/b@v1', false],
    ['a key in the middle', 'x uses: a/b@v2', 'x uses: a/b@v1', false],
    ['versions without numbers', 'uses: a/b@next', 'uses: a/b@main', false],
  ])('%s', (_, line, before, is) => {
    const file = (one: string) => `name: a\n${one}\njobs:\n`
    expect(hasNewerActions(file(line), file(before))).toBe(is)
    expect(hasNewerActions(file(`${line}\nuses: a/b@v3`), file(`${before}\nuses: a/b@v2`))).toBe(is)
    expect(hasNewerActions(file(line), file(`${before}\n`))).toBe(false)
  })

  test('line breaks of Windows and the last line break do not matter, another line does', () => {
    expect(hasNewerActions('a: 1\r\nuses: a/b@v2', 'a: 1\nuses: a/b@v1\n')).toBe(true)
    expect(hasNewerActions('a: 2\nuses: a/b@v2\n', 'a: 1\nuses: a/b@v1\n')).toBe(false)
    expect(hasNewerActions('a: 1\n', 'a: 1\n')).toBe(true)
  })
})

test('a build lists new, changed, unchanged and stale files', () => {
  const file = (name: string, text: string) => ({ name, text })
  const of = (source: string) => `${firstLine(source)}\n`
  const compiled = [
    { source: 'a.yml', file: file('a.yml', of('a.yml')) },
    { source: 'b.yml', file: file('b.yml', of('b.yml')) },
    { source: 'c.yml', file: file('c.yml', `${of('c.yml')}on: push\n`) },
  ]
  const existing = new Map([
    ['b.yml', of('b.yml')],
    ['c.yml', of('c.yml')],
    ['c.jobs.yml', of('c.yml')],
    ['gone.yml', of('gone.yml')],
    ['broken.yml', of('broken.yml')],
  ])
  expect(changesOf(compiled, existing, (source) => source === 'gone.yml')).toEqual([
    { name: 'a.yml', source: 'a.yml', status: 'new', before: '', after: of('a.yml') },
    {
      name: 'b.yml',
      source: 'b.yml',
      status: 'unchanged',
      before: of('b.yml'),
      after: of('b.yml'),
    },
    {
      name: 'c.yml',
      source: 'c.yml',
      status: 'changed',
      before: of('c.yml'),
      after: `${of('c.yml')}on: push\n`,
    },
    { name: 'c.jobs.yml', source: 'c.yml', status: 'stale', before: of('c.yml'), after: '' },
    { name: 'gone.yml', source: 'gone.yml', status: 'stale', before: of('gone.yml'), after: '' },
  ])
})

describe('the name of a source', () => {
  const problemsOf = (...names: string[]) => {
    const files = names.map((name) => ({ name, file: `workflows/${name}.yml` }))
    return [...nameProblems(files)].map(([{ name }, found]) => [
      name,
      found.map(({ code }) => code),
    ])
  }

  test.each([
    ['hook'],
    ['a.b_c-D9'],
    ['a'.repeat(100)],
    ['console'],
    ['com'],
    ['com10'],
    ['a.con'],
    ['xnul'],
  ])('is valid: %s', (name) => {
    expect(problemsOf(name)).toEqual([])
  })

  test.each([
    ['.hook'],
    ['con'],
    ['PRN'],
    ['aux.a'],
    ['nul.'],
    ['com0'],
    ['lpt9'],
    ['a b'],
    ['a/b'],
    ['a\u2028b'],
    [''],
    ['a'.repeat(101)],
  ])('is invalid: %j', (name) => {
    expect(problemsOf(name)).toEqual([[name, ['file-name']]])
  })

  test('is told with what a URL can contain', () => {
    const file = { name: 'a', file: 'work\nflows/a.yml' }
    expect([...nameProblems([file])]).toEqual([
      [
        file,
        [
          {
            code: 'file-name',
            message: '"work\\nflows/a.yml" cannot be compiled: invalid file name',
            notes: [
              'a webhook URL contains the file name: use at most 100 letters, digits, ".", "_" and "-"',
            ],
          },
        ],
      ],
    ])
  })

  test('belongs to one source, in any case', () => {
    expect(problemsOf('a', 'b', 'A', 'con')).toEqual([
      ['a', ['same-file']],
      ['A', ['same-file']],
      ['con', ['file-name']],
    ])
  })
})

test('two sources with compiled files of one name are told once', () => {
  const compiled = (source: string, ...names: string[]) =>
    names.map((name) => ({ source, file: { name, text: '' } }))
  const message = 'b.yml and c.yml would be compiled into the same file'
  const notes = [
    'rename one of them: x.yml is compiled into x.yml, and into x.jobs.yml if it polls',
  ]
  expect(
    collisionsIn([
      ...compiled('a.yml', 'a.yml', 'a.jobs.yml', 'a.yml'),
      ...compiled('b.yml', 'b.jobs.yml'),
      ...compiled('c.yml', 'B.Jobs.yml'),
    ]),
  ).toEqual([{ sources: ['b.yml', 'c.yml'], mistake: { code: 'same-file', message, notes } }])
})
