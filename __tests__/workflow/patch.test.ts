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
    ['at the end without a line break', 'a: b', ['a', '>-', 'x'], 'a: >-\n  x'],
    [
      'lines, with a comment that would become one of them',
      'j:\n  a: b\n    # deeper\n  d: 1\n',
      ['j.a', '>-', 'x'],
      'j:\n  a: >-\n     x\n    # deeper\n  d: 1\n',
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
    ['one of a mapping', 'e:\n  # of a\n  a: 1\n  b: 2 # c\n', ['e.a'], 'e:\n  b: 2 # c\n'],
    ['all of a mapping', 'e:\n  a: 1\n  b: 2\nf: 1\n', ['e.a', 'e.b'], 'f: 1\n'],
    ['all of one in another', 'd:\n  r:\n    a: 1\nf: 1\n', ['d.r.a'], 'f: 1\n'],
    ['in braces', 'e: {a: 1, b: "x, y", c: 3}\n', ['e.a', 'e.c'], 'e: {b: "x, y"}\n'],
    ['the last two in braces', 'e: {a: 1, b: 2, c: 3}\n', ['e.b', 'e.c'], 'e: {a: 1}\n'],
    ['all in braces', 'e: {a: 1}\nf: 1\n', ['e.a'], 'f: 1\n'],
  ])('%s', (_, text, paths, wanted) => {
    expect(patched(text, ...paths.map(remove))).toBe(wanted)
  })
})

describe('insert', () => {
  const insert = (
    path: string,
    where: Extract<Operation, { op: 'insert' }>['where'],
    ...lines: string[]
  ): Operation => ({ op: 'insert', path: path.split('.'), where, lines })

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

  test('a removed entry is not part of it', () => {
    expect(patched('on: [push, fork]\n', wrap, remove('on.push'), add)).toBe(
      'on:\n  new:\n  fork:\n',
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
