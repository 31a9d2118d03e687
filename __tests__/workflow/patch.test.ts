import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { DocumentLines } from '../../src/workflow/document.ts'
import type { Operation } from '../../src/workflow/operations.ts'
import { namedEntries, patch } from '../../src/workflow/patch.ts'
import { applyEdits } from '../../src/workflow/spans.ts'

function linesOf(text: string): DocumentLines {
  return DocumentLines.of({ name: 'a.yml', file: 'a.yml', text })
}

function patched(text: string, ...operations: readonly Operation[]): string {
  return applyEdits(text, patch(linesOf(text), operations))
}

const set = (path: string, ...lines: string[]): Operation => ({
  op: 'set',
  path: path.split('.'),
  lines,
})
const remove = (path: string): Operation => ({ op: 'remove', path: path.split('.') })
const insert = (
  path: string,
  where: Extract<Operation, { op: 'insert' }>['where'],
  ...lines: string[]
): Operation => ({ op: 'insert', path: path === '' ? [] : path.split('.'), where, lines })

describe('set', () => {
  test.each([
    ['a plain value', 'a: 1 # c\n', ['a', '2'], 'a: 2 # c\n'],
    ['an empty value', 'a:\nb: 1\n', ['a', '2'], 'a: 2\nb: 1\n'],
    ['a list', 'a: [b]\n', ['a', '[on, b]'], 'a: [on, b]\n'],
    ['an alias', 'x: &x 1\na: *x\n', ['a', '2'], 'x: &x 1\na: 2\n'],
    ['in braces', 'j: {a: b}\n', ['j.a', 'c && d, e'], 'j: {a: "c && d, e"}\n'],
    [
      'lines',
      'j:\n  a: b # c\n  d: 1\n',
      ['j.a', '>-', 'x &&', 'y'],
      'j:\n  a: >- # c\n    x &&\n    y\n  d: 1\n',
    ],
    ['a block', 'a: | # c\n  x\nd: 1\n', ['a', '>-', 'y'], 'a: >- # c\n  y\nd: 1\n'],
    ['a block with signs', 'a: |2- # c\n    x\nd: 1\n', ['a', '>-', 'y'], 'a: >- # c\n  y\nd: 1\n'],
    ['a block, to one line', 'a: >+ # c\n  x\n\nd: 1\n', ['a', 'y'], 'a: y # c\n\nd: 1\n'],
    ['a string that begins like a block', 'a: "| # c"\n', ['a', 'y'], 'a: y\n'],
    ['lines below a key', 'a: # c\nb: 1\n', ['a', '', 'x: 1'], 'a: # c\n  x: 1\nb: 1\n'],
    ['an empty value in braces', 'j: {a: , b: 1}\n', ['j.a', 'x'], 'j: {a: x , b: 1}\n'],
    ['a list in braces', 'j: {a: [1]}\n', ['j.a', '[on, b]'], 'j: {a: [on, b]}\n'],
    ['at the end without a line break', 'a: b', ['a', '>-', 'x'], 'a: >-\n  x'],
    [
      'lines, with a comment that would become one of them',
      'j:\n  a: b\n    # deeper\n  d: 1\n',
      ['j.a', '>-', 'x'],
      'j:\n  a: >-\n     x\n    # deeper\n  d: 1\n',
    ],
    [
      'lines, with two comments below',
      'j:\n  a: b\n    # one\n      # two\n  d: 1\n',
      ['j.a', '>-', 'x'],
      'j:\n  a: >-\n       x\n    # one\n      # two\n  d: 1\n',
    ],
  ])('%s', (_, text, [path = '', ...lines], wanted) => {
    expect(patched(text, set(path, ...lines))).toBe(wanted)
  })
})

describe('remove', () => {
  test.each([
    [
      'with the comments that speak of it',
      'a: 1\n# of b\nb: 2 # x\n  # end\n\n# of c\nc: 3\n',
      ['b'],
      'a: 1\n# of c\nc: 3\n',
    ],
    [
      'behind a text that keeps its empty lines',
      'e:\n  a: |+\n    x\n\n\n  b: 2\n  c: 3\n',
      ['e.b'],
      'e:\n  a: |+\n    x\n\n\n  c: 3\n',
    ],
    ['one of a mapping', 'e:\n  # of a\n  a: 1\n  b: 2 # c\n', ['e.a'], 'e:\n  b: 2 # c\n'],
    ['all of a mapping', 'e:\n  a: 1\n  b: 2\nf: 1\n', ['e.a', 'e.b'], 'f: 1\n'],
    ['all of one in another', 'd:\n  r:\n    a: 1\nf: 1\n', ['d.r.a'], 'f: 1\n'],
    ['in braces', 'e: {a: 1, b: "x, y", c: 3}\n', ['e.a', 'e.c'], 'e: {b: "x, y"}\n'],
    ['the last two in braces', 'e: {a: 1, b: 2, c: 3}\n', ['e.b', 'e.c'], 'e: {a: 1}\n'],
    ['all in braces', 'e: {a: 1}\nf: 1\n', ['e.a'], 'f: 1\n'],
    ['all but one in braces', 'e: {a: 1, b: 2, c: 3}\n', ['e.a', 'e.b'], 'e: {c: 3}\n'],
    ['some of four', 'e: {a: 1, b: 2, c: 3, d: 4}\n', ['e.a', 'e.c', 'e.d'], 'e: {b: 2}\n'],
    ['before a last comma', 'e: {a: 1, b: 2, }\n', ['e.b'], 'e: {a: 1}\n'],
    ['two before a last comma', 'e: {a: 1, b: 2, c: 3 ,}\n', ['e.c', 'e.b'], 'e: {a: 1}\n'],
    ['a key without a value', 'e: {a, b, c: }\n', ['e.b'], 'e: {a, c: }\n'],
    ['the last key without a value', 'e: {a, b, c}\n', ['e.c'], 'e: {a, b}\n'],
    ['what is not there', 'e: 1\n', ['x'], 'e: 1\n'],
    ['the first of a file', '\n\na: 1\n\nb: 2\n', ['a'], '\n\nb: 2\n'],
    ['with the empty lines below', 'a: 1\n\nb: 2\n \t\n\nc: 3\n', ['b'], 'a: 1\n\nc: 3\n'],
    [
      'in a mapping, with the empty lines above',
      'a:\n  b: 1\n\n  c: 2\n\n  d: 3\n',
      ['a.c'],
      'a:\n  b: 1\n\n  d: 3\n',
    ],
    ['the last of a mapping', 'a:\n  b: 1\n\n  c: 2\n\nd: 3\n', ['a.c'], 'a:\n  b: 1\n\nd: 3\n'],
  ])('%s', (_, text, paths, wanted) => {
    expect(patched(text, ...paths.map(remove))).toBe(wanted)
  })

  const inLines = 'e: {\n  a: 1, # of a\n  b: 2,\n\n  c: 3 # end\n}\n'
  test.each([
    ['first', 'a', 'e: {\n  # of a\n  b: 2,\n\n  c: 3 # end\n}\n'],
    ['second', 'b', 'e: {\n  a: 1, # of a\n\n  c: 3 # end\n}\n'],
    ['last', 'c', 'e: {\n  a: 1, # of a\n  b: 2\n\n  # end\n}\n'],
  ])('the %s line in braces leaves its comment', (_, name, wanted) => {
    expect(patched(inLines, remove(`e.${name}`))).toBe(wanted)
  })

  test('a comma after a comment is removed, and not one within it', () => {
    const text = 'e: {\n  a: 1 # x, y\n  , b: 2\n}\n'
    expect(patched(text, remove('e.a'))).toBe('e: {\n  # x, y\n   b: 2\n}\n')
  })

  const spaced = 'a:\n  b: 1\n\n  # of c\n  c: 2\n\n  d: 3\ne:\n  c: 1\n'
  test.each([
    ['before it', insert('a', { before: 'c' }, 'x: 1'), 'b: 1\n\n  x: 1\n\n  d: 3\ne:\n  c: 1\n'],
    ['after it', insert('a', { after: 'c' }, 'x: 1'), 'b: 1\n  x: 1\n\n  d: 3\ne:\n  c: 1\n'],
    ['first', insert('a', 'first', 'x: 1'), 'x: 1\n  b: 1\n\n  d: 3\ne:\n  c: 1\n'],
    [
      'before another one',
      insert('a', { before: 'd' }, 'x: 1'),
      'b: 1\n\n  x: 1\n  d: 3\ne:\n  c: 1\n',
    ],
    [
      'in another mapping',
      insert('e', { before: 'c' }, 'x: 1'),
      'b: 1\n\n  d: 3\ne:\n  x: 1\n  c: 1\n',
    ],
  ])('an entry while another one is inserted %s', (_, operation, wanted) => {
    expect(patched(spaced, remove('a.c'), operation)).toBe(`a:\n  ${wanted}`)
  })

  test('a section that another one replaces leaves the empty lines around it', () => {
    const text = 'a: 1\n\nb: 2\n\nc: 3\n'
    const operation = insert('', { before: 'b' }, 'x: 1')
    expect(patched(text, remove('b'), operation)).toBe('a: 1\n\nx: 1\n\nc: 3\n')
    expect(patched(text, remove('b'), set('a', '2'))).toBe('a: 2\n\nc: 3\n')
  })
})

describe('insert', () => {
  test.each([
    [
      'first',
      'j: # c\n  # of a\n  a: 1\n',
      insert('j', 'first', 'n: 0'),
      'j: # c\n  n: 0\n  # of a\n  a: 1\n',
    ],
    [
      'first, behind what ends the key',
      'j:\n    # deeper\n  a: 1\n',
      insert('j', 'first', 'n: 0'),
      'j:\n    # deeper\n  n: 0\n  a: 1\n',
    ],
    [
      'last',
      'j:\n  a: 1\n    # end of a\nk: 2\n',
      insert('j', 'last', 'n: 0'),
      'j:\n  a: 1\n    # end of a\n  n: 0\nk: 2\n',
    ],
    [
      'behind a text that keeps its empty lines',
      'j:\n  a:\n    - >+\n      x\n\n\n  b: 2\n',
      insert('j', { after: 'a' }, 'n: 0'),
      'j:\n  a:\n    - >+\n      x\n\n\n  n: 0\n  b: 2\n',
    ],
    [
      'behind such a text at the end of the file',
      'j:\n  a: |2+\n    x\n\n',
      insert('j', 'last', 'n: 0'),
      'j:\n  a: |2+\n    x\n\n  n: 0\n',
    ],
    [
      'before one with its comments',
      'j:\n  a: 1\n  # of b\n  b: 2\n',
      insert('j', { before: 'b' }, 'n: 0'),
      'j:\n  a: 1\n  n: 0\n  # of b\n  b: 2\n',
    ],
    [
      'after one with its comments',
      'j:\n  a:\n    - x\n    # old\n  b: 2\n',
      insert('j', { after: 'a' }, 'n: 0'),
      'j:\n  a:\n    - x\n    # old\n  n: 0\n  b: 2\n',
    ],
    [
      'into a list',
      'n:\n  # of a\n  - a\n',
      insert('n', 'first', '- on'),
      'n:\n  - on\n  # of a\n  - a\n',
    ],
    [
      'into a list in brackets',
      'n: [a,\n  b]\n',
      insert('n', 'first', '- on'),
      'n: [on, a,\n  b]\n',
    ],
    ['into braces', 'n: {a: 1}\n', insert('n', 'first', 'b:', '  c: x'), 'n: {b: {c: x}, a: 1}\n'],
    ['into empty braces', 'n: {}\n', insert('n', 'first', 'b: x'), 'n: {b: x}\n'],
    [
      'into a key without a value',
      'n:\n  e: # c\n  f: 1\n',
      insert('n.e', 'first', 'b: x'),
      'n:\n  e: # c\n    b: x\n  f: 1\n',
    ],
    [
      'where there is none',
      'n:\n  a: 1\n',
      insert('n.d.r', 'first', 'b: x'),
      'n:\n  a: 1\n  d:\n    r:\n      b: x\n',
    ],
    [
      'behind a last line that is not ended',
      'n:\n  a: 1',
      insert('n', 'last', 'b: x'),
      'n:\n  a: 1\n  b: x',
    ],
  ])('%s', (_, text, operation, wanted) => {
    expect(patched(text, operation)).toBe(wanted)
  })

  test.each([
    ['last in brackets', 'n: [a, b]\n', insert('n', 'last', '- c'), 'n: [a, b, c]\n'],
    ['last in braces', 'n: {a: 1}\n', insert('n', 'last', 'b: x'), 'n: {a: 1, b: x}\n'],
    [
      'first, before empty lines',
      'n:\n\n  a: 1\n',
      insert('n', 'first', 'x: 1'),
      'n:\n  x: 1\n\n  a: 1\n',
    ],
    [
      'before one, after empty lines',
      'n:\n\n  a: 1\n\n  b: 2\n',
      insert('n', { before: 'b' }, 'x: 1'),
      'n:\n\n  a: 1\n\n  x: 1\n  b: 2\n',
    ],
    ['into a key with a null', 'n: ~ # c\n', insert('n', 'last', 'x: 1'), 'n:  # c\n  x: 1\n'],
    ['below a key without a value', 'n:\n', insert('n.e', 'last', 'x: 1'), 'n:\n  e:\n    x: 1\n'],
    [
      'below a key that is not there, at the position of the parent',
      'n:\n  a: 1\n  b: 2\n',
      { ...insert('n.e.f', 'first', 'x: 1'), parent: { after: 'a' } } as Operation,
      'n:\n  a: 1\n  e:\n    f:\n      x: 1\n  b: 2\n',
    ],
    [
      'below a key that is not there, in empty braces',
      'n: {}\n',
      { ...insert('n.e', 'first', 'x: 1'), parent: { after: 'a' } } as Operation,
      'n: {e: {x: 1}}\n',
    ],
    ['below a comment', '# c', insert('', 'last', 'x: 1'), '# c\nx: 1'],
    [
      'a name that is a number',
      'n:\n  1:\n    a: 1\n',
      insert('n.1', 'last', 'b: x'),
      'n:\n  1:\n    a: 1\n    b: x\n',
    ],
  ])('%s', (_, text, operation, wanted) => {
    expect(patched(text, operation)).toBe(wanted)
  })

  test.each([
    ['one blank line', '\na: 1\n', 'n: 0\n\na: 1\n'],
    ['two blank lines', '\n\na: 1\n', 'n: 0\n\n\na: 1\n'],
    ['no blank line', 'a: 1\n', 'n: 0\na: 1\n'],
  ])('first in a document that begins with %s', (_, text, wanted) => {
    const operation = { op: 'insert', path: [], where: 'first', lines: ['n: 0'] } as const
    expect(patched(text, operation)).toBe(wanted)
  })

  test('into an empty document, what comes into the same place is made once', () => {
    const top = (where: 'first' | 'last', line: string): Operation => {
      return { op: 'insert', path: [], lines: [line], where }
    }
    const operations = [
      top('last', 'on: x'),
      insert('j', 'last', 'a: 1'),
      insert('j', 'last', 'b: 2'),
    ]
    expect(patched('', ...operations, top('first', 'name: n'))).toBe(
      'name: n\non: x\nj:\n  a: 1\n  b: 2\n',
    )
  })

  test('several in empty brackets have commas between them', () => {
    const some = ['x', 'y', 'z'].map((item) => insert('n', 'last', `- ${item}`))
    expect(patched('m: []\nn: []\n', insert('m', 'first', '- a'), ...some)).toBe(
      'm: [a]\nn: [x, y, z]\n',
    )
  })

  test('several at one place stand in their order', () => {
    const text = 'n:\n  a: 1\n'
    expect(patched(text, insert('n', 'first', 'x: 1'), insert('n', 'first', 'y: 2'))).toBe(
      'n:\n  x: 1\n  y: 2\n  a: 1\n',
    )
    expect(patched('n: {}\n', insert('n', 'first', 'x: 1'), insert('n', 'first', 'y: 2'))).toBe(
      'n: {x: 1, y: 2}\n',
    )
  })
})

describe('in braces a value is quoted only if needed', () => {
  test.each([
    [['x: a-b_1'], 'x: a-b_1'],
    [['x: true'], 'x: true'],
    [['x: "true"'], 'x: "true"'],
    [['x: "Null"'], 'x: "Null"'],
    [['x: "truely"'], 'x: truely'],
    [['x: 5'], 'x: 5'],
    [['x: "5"'], 'x: "5"'],
    [['x: 1a'], 'x: "1a"'],
    [['x:'], 'x: null'],
    [['x: a b'], 'x: "a b"'],
    [['x: ""'], 'x: ""'],
    [['x: a "b" c'], `x: 'a "b" c'`],
    [['x: a\\b'], `x: 'a\\b'`],
    [[`x: a "b" it's`], `x: "a \\"b\\" it's"`],
    [['x: ä "b"'], 'x: "ä \\"b\\""'],
    [['x: |', '  a', '  "b"'], 'x: "a\\n\\"b\\"\\n"'],
    [['x: [a, [b, 5], {c: d e}]'], 'x: [a, [b, 5], {c: "d e"}]'],
    [['x: {}', 'y: []'], 'x: {}, y: []'],
    [['"x y": z'], '"x y": z'],
  ])('%j is written %s', (lines, text) => {
    expect(patched('n: {a: 1}\n', insert('n', 'last', ...lines))).toBe(`n: {a: 1, ${text}}\n`)
  })

  test.each([
    [['[a, "b"]'], '[a, "b"]'],
    [['{a: "b"}'], '{a: "b"}'],
    [['"b"'], '"b"'],
    [["'b'"], "'b'"],
    [['b'], 'b'],
    [['b c'], '"b c"'],
    [['[a,', ' b]'], '[a, b]'],
    [['>-', '  a', '  b'], '"a b"'],
  ])('%j is set as %s', (lines, text) => {
    expect(patched('n: {a: 1}\n', set('n.a', ...lines))).toBe(`n: {a: ${text}}\n`)
  })
})

describe('wrap', () => {
  const wrap: Operation = { op: 'wrap', path: ['on'] }
  const add: Operation = { op: 'insert', path: ['on'], where: 'first', lines: ['new:'] }

  test.each([
    ['a name', 'on: push\nb: 1\n', 'on:\n  new:\n  push:\nb: 1\n'],
    ['a name with a comment', 'on: push # why\nb: 1\n', 'on: # why\n  new:\n  push:\nb: 1\n'],
    ['a list in brackets', 'on: [push, fork]\nb: 1\n', 'on:\n  new:\n  push:\n  fork:\nb: 1\n'],
    [
      'a list of lines, with all its comments',
      'on: # of on\n  # of push\n  - push # beside\n  - fork\n  # end\nb: 1\n',
      'on: # of on\n  new:\n  # of push\n  push: # beside\n  fork:\n  # end\nb: 1\n',
    ],
    [
      'braces',
      'on: {push: {branches: [a]}, fork: } # why\nb: 1\n',
      'on: # why\n  new:\n  push: {branches: [a]}\n  fork:\nb: 1\n',
    ],
    ['a mapping of lines stays', 'on:\n  push: # c\n', 'on:\n  new:\n  push: # c\n'],
  ])('%s', (_, text, wanted) => {
    expect(patched(text, wrap, add)).toBe(wanted)
  })

  test.each([
    ['nothing', 'on:\nb: 1\n', 'on:\n  new:\nb: 1\n'],
    ['a null', 'on: ~ # c\nb: 1\n', 'on: # c\n  new:\nb: 1\n'],
    [
      'a name on a line of its own',
      'on:\n  # under\n  push # beside\n  # end\nb: 1\n',
      'on: # beside\n  # under\n  new:\n  push:\n  # end\nb: 1\n',
    ],
    [
      'brackets on lines of their own',
      'on: # of on\n  # under\n  [push,\n   fork] # beside\n  # end\nb: 1\n',
      'on: # of on\n  # under\n  new:\n  push:\n  fork:\n  # beside\n  # end\nb: 1\n',
    ],
    [
      'braces on lines of their own',
      'on: {\n  push: {\n    branches: [a]\n  }, # c\n  fork: ,\n} # d\n# e\nb: 1\n',
      'on: # c\n  new:\n  push: {\n        branches: [a]\n      }\n  fork:\n  # d\n# e\nb: 1\n',
    ],
    [
      'names in quotes',
      'on:\n  - "push" # a\n  - \'fork\' # b\nb: 1\n',
      'on:\n  new:\n  push: # a\n  fork: # b\nb: 1\n',
    ],
    ['aliases', 'x: &x push\non: [*x, "a b"]\n', 'x: &x push\non:\n  new:\n  push:\n  "a b":\n'],
    [
      'lines with an alias',
      'x: &x push\non:\n  - *x # c\n  - a\n',
      'x: &x push\non:\n  new:\n  push: # c\n  a:\n',
    ],
    [
      'dashes in the column of the key',
      'on:\n- push # a\n# c\n- fork\n# d\nb: 1\n',
      'on:\n  new:\n  push: # a\n  # c\n  fork:\n# d\nb: 1\n',
    ],
    [
      'a list with a comment at its end',
      'on:\n  - push\n\n  # end\n\nb: 1\n',
      'on:\n  new:\n  push:\n\n  # end\n\nb: 1\n',
    ],
    [
      'a name, with a deeper comment',
      'on: push\n    # c\nb: 1\n',
      'on:\n    new:\n    push:\n    # c\nb: 1\n',
    ],
    ['a name at the end of the file', 'on: push', 'on:\n  new:\n  push:'],
    ['a list at the end of the file', 'on:\n- push\n- fork', 'on:\n  new:\n  push:\n  fork:'],
  ])('%s keeps its comments', (_, text, wanted) => {
    expect(patched(text, wrap, add)).toBe(wanted)
  })

  test.each(['on.push', 'on.0'])('a removed entry is not part of it: %s', (path) => {
    const operation: Operation = {
      op: 'remove',
      path: path.split('.').map((key) => (key === '0' ? 0 : key)),
    }
    expect(patched('on: [push, fork]\n', wrap, operation, add)).toBe('on:\n  new:\n  fork:\n')
  })

  test.each([
    ['brackets', 'on: [push, fork]\n', 'fork:'],
    ['braces', 'on: {push: , fork: {a: 1}}\n', 'fork: {a: 1}'],
  ])('entries are inserted at every position of %s', (_, text, fork) => {
    const operations = [
      insert('on', 'last', 'd:'),
      insert('on', { after: 'fork' }, 'c:'),
      insert('on', { before: 'fork' }, 'a:'),
      insert('on', { after: 'push' }, 'b:'),
    ]
    expect(patched(text, wrap, ...operations, add)).toBe(
      `on:\n  new:\n  push:\n  b:\n  a:\n  ${fork}\n  c:\n  d:\n`,
    )
  })
})

describe('wrap, and changes below', () => {
  const wrap: Operation = { op: 'wrap', path: ['on'] }
  const input: Operation = {
    op: 'insert',
    path: ['on', 'call', 'inputs'],
    where: 'last',
    lines: ['b: x'],
  }
  test.each([
    ['a list', 'on: [call]\n', 'on:\n  call:\n    inputs:\n      b: x\n'],
    ['a list of lines', 'on:\n  - call # c\n', 'on:\n  call: # c\n    inputs:\n      b: x\n'],
    ['braces', 'on: {call: {inputs: {a: 1}}}\n', 'on:\n  call: {inputs: {a: 1, b: x}}\n'],
    ['braces without a value', 'on: {call}\n', 'on:\n  call:\n    inputs:\n      b: x\n'],
    ['lines', 'on:\n  call:\n', 'on:\n  call:\n    inputs:\n      b: x\n'],
  ])('%s', (_, text, wanted) => {
    expect(patched(text, wrap, input)).toBe(wanted)
  })
})

describe('rewriteText', () => {
  const edits = [{ start: 2, end: 3, text: "'x'" }]
  test.each([
    ['plain', 'a: 1-2\n', "a: 1-'x'\n"],
    ['in single quotes', "a: '1-2'\n", "a: '1-''x'''\n"],
    ['in double quotes', 'a: "1-2"\n', 'a: "1-\'x\'"\n'],
    ['in a block', 'a: |\n    1-2\n', "a: |\n    1-'x'\n"],
    ['folded', 'a: 1-2\n  3\n', "a: 1-'x'\n  3\n"],
  ])('%s', (_, text, wanted) => {
    expect(patched(text, { op: 'rewriteText', path: ['a'], edits })).toBe(wanted)
  })

  test.each(['[', ']', '{', '}', ','])(
    'in brackets, a plain text with %s is put in quotes',
    (sign) => {
      const operation: Operation = {
        op: 'rewriteText',
        path: ['a', 0],
        edits: [{ start: 2, end: 3, text: sign }],
      }
      expect(patched('a: [1-2 , 3]\n', operation)).toBe(`a: ["1-${sign}" , 3]\n`)
    },
  )

  test.each([
    ['another one', 'a: {b: 1-2}\n', 'x', 'a: {b: 1-x}\n'],
    ['one in quotes', 'a: {b: "1-2"}\n', ',"', 'a: {b: "1-,\\""}\n'],
    ['one in a block', 'a:\n  b: 1-2\n', 'f(x, y)', 'a:\n  b: 1-f(x, y)\n'],
  ])('%s remains as it is', (_, text, part, wanted) => {
    const operation: Operation = {
      op: 'rewriteText',
      path: ['a', 'b'],
      edits: [{ start: 2, end: 3, text: part }],
    }
    expect(patched(text, operation)).toBe(wanted)
  })

  test('in braces, what would end a plain text is put in quotes', () => {
    const text = 'a: {b: 1-2}\n'
    const operation: Operation = {
      op: 'rewriteText',
      path: ['a', 'b'],
      edits: [{ start: 2, end: 3, text: 'f(x, y)' }],
    }
    expect(patched(text, operation)).toBe('a: {b: "1-f(x, y)"}\n')
  })
})

test.each([
  ['nothing to set at a.c', 'a: {b: 1}\n', set('a.c', '2')],
  ['nothing to remove at e.x', 'e: 1\n', remove('e.x')],
  ['nothing to wrap at on', 'b: 1\n', { op: 'wrap', path: ['on'] } as const],
  ['nothing to wrap at on', '{on: push}\n', { op: 'wrap', path: ['on'] } as const],
  ['no text at a', 'a: 1\n', { op: 'rewriteText', path: ['a'], edits: [] } as const],
  ['no text at a.b', 'a: {}\n', { op: 'rewriteText', path: ['a', 'b'], edits: [] } as const],
  [
    'nothing at n.1',
    'n:\n  - a\n',
    { op: 'insert', path: ['n', 1], where: 'last', lines: ['b: x'] } as const,
  ],
])('an operation without its entry is a bug: %s', (message, text, operation) => {
  expect(() => patched(text, operation)).toThrow(new RangeError(message))
})

describe('the entries of a mapping in braces', () => {
  const added: Operation = {
    op: 'insert',
    path: ['on', 'a', 'b'],
    lines: ['c:'],
    where: 'last',
    parent: 'last',
  }
  test.each([
    ['without a value', 'on: {a: , d: }\n'],
    ['without one, at the end', 'on: {d: , a: }\n'],
    ['without a colon', 'on: {a, d}\n'],
    ['with a null', 'on: {a: null, d: }\n'],
    ['with a tilde', 'on: {a: ~, d: }\n'],
    ['with empty braces', 'on: {a: {}, d: }\n'],
  ])('%s take what is put into them', (_, text) => {
    const entries = namedEntries(linesOf(text), ['on'], [added])
    expect(entries.map(({ name }) => name).toSorted()).toEqual(['a', 'd'])
    const lines = entries.find(({ name }) => name === 'a')?.lines ?? []
    expect(parse(lines.join('\n'))).toEqual({ a: { b: { c: null } } })
  })
})
