import { describe, expect, test } from '@jest/globals'
import { DocumentLines } from '../../src/workflow/document.ts'
import { childOf, textsBelow, topOf } from '../../src/workflow/nodes.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'

function linesOf(text: string): DocumentLines {
  return DocumentLines.of({ name: 'a.yml', file: 'a.yml', text })
}

/** The comments of a file with the path of their owner and their role. */
function owners(text: string): string[] {
  const lines = linesOf(text)
  return lines.comments.map(
    ({ start, end, owner, role }) => `${text.slice(start, end)}: ${role} ${owner.join('.')}`,
  )
}

describe('a comment', () => {
  test.each([
    ['beside a key', 'a: # c\n  b: 1\n', ['# c: beside a']],
    ['beside a value', 'a:\n  b: 1 # c\n', ['# c: beside a.b']],
    ['beside an item', 'a:\n  - b: 1 # c\n', ['# c: beside a.0.b']],
    ['beside a dash', 'a:\n  - # c\n    b: 1\n', ['# c: beside a.0']],
    ['above a key of its column', 'a: 1\n# c\nb: 2\n', ['# c: above b']],
    ['above the first of a mapping', 'a:\n  # c\n  b: 1\n', ['# c: above a.b']],
    ['above, less deep', 'a:\n# c\n  b: 1\n', ['# c: above a.b']],
    ['above an item', 'a:\n  - b\n  # c\n  - d\n', ['# c: above a.1']],
    ['below a list, deeper than what follows', 'a:\n  - b\n  # c\nd: 1\n', ['# c: below a']],
    ['below a key, deeper than what follows', 'a:\n  b: 1\n    # c\nd: 1\n', ['# c: below a.b']],
    ['below the key of a mapping', 'a:\n    # c\n  b: 1\n', ['# c: below a']],
    ['at the end of a file', 'a:\n  b: 1\n# c\n', ['# c: below ']],
    ['of the head', '# c\n---\na: 1\n', ['# c: above a']],
    ['in braces', 'a: {\n  b: 1, # c\n  d: 2}\n', ['# c: beside a']],
    ['between a key and its value', 'a:\n  # c\n  long text\nb: 1\n', ['# c: beside a']],
    ['in a block of text is none', 'a: | # c\n  # no\n  x\n', ['# c: beside a']],
    ['in quotes is none', 'a: "# no"\nb: x# no\n', []],
  ])('%s', (_, text, found) => {
    expect(owners(text)).toEqual(found)
  })
})

test('the lines of an entry hold its comments, and not those of its neighbours', () => {
  const text = `a: 1
# above
b: # beside
  c: 1
    # deeper
  # end

# of d
d: 2
`
  const lines = linesOf(text)
  const entry = lines.entry(['b'])
  if (!entry) throw new Error('no entry')
  const { start, end } = lines.linesOf(entry)
  expect(text.slice(start, end)).toBe('# above\nb: # beside\n  c: 1\n    # deeper\n  # end\n')
})

test('empty lines at the end of a text that keeps them are a part of it', () => {
  const text = 'a: |+\n  x\n\n\nb: 1\n'
  const lines = linesOf(text)
  expect(lines.entry(['a'])?.end).toBe(text.indexOf('b:'))
  expect(linesOf('a: |\n  x\n\n\nb: 1\n').entry(['a'])?.end).toBe('a: |\n  x'.length)
})

test('each entry in block style has its column and its text, and entries in braces have none', () => {
  const text = `# head
a: 1 # one
"b" :
  - c
  -   d: {e: 1, f: [2]}
      g: >2+
         kept

  - - h

    # between
    - i: |
        text

  -
  - ? j
    : k
l: {m:
  n} # braces
o:
p: "two
  lines"
`
  const entries = [...linesOf(text).entries.values()].map(({ path, start, column, end }) => [
    path.join('.'),
    column,
    text.slice(start, end),
  ])
  expect(entries).toEqual([
    ['a', 0, 'a: 1'],
    [
      'b',
      0,
      '"b" :\n  - c\n  -   d: {e: 1, f: [2]}\n      g: >2+\n         kept\n\n  - - h\n\n    # between\n    - i: |\n        text\n\n  -\n  - ? j\n    : k',
    ],
    ['b.0', 2, '- c'],
    ['b.1', 2, '-   d: {e: 1, f: [2]}\n      g: >2+\n         kept\n\n'],
    ['b.1.d', 6, 'd: {e: 1, f: [2]}'],
    ['b.1.g', 6, 'g: >2+\n         kept\n\n'],
    ['b.2', 2, '- - h\n\n    # between\n    - i: |\n        text'],
    ['b.2.0', 4, '- h'],
    ['b.2.1', 4, '- i: |\n        text'],
    ['b.2.1.i', 6, 'i: |\n        text'],
    ['b.3', 2, '-'],
    ['b.4', 2, '- ? j\n    : k'],
    ['b.4.j', 6, 'j\n    : k'],
    ['l', 0, 'l: {m:\n  n}'],
    ['o', 0, 'o:'],
    ['p', 0, 'p: "two\n  lines"'],
  ])
})

test.each([
  ['before a mapping without white space', 'a: #b\n  c: 1\n', ['#b: beside a']],
  ['of two lines above', '# c\n# d\na: 1\n', ['# c: above a', '# d: above a']],
  ['between braces', 'a: {\n# c\n  b: 1}\nd: 2\n', ['# c: beside a']],
  ['below braces', 'a: {b: 1}\n  # c\nd: 2\n', ['# c: below a']],
  ['in the column between two parents', 'a:\n  b:\n    c: 1\n   # d\ne: 2\n', ['# d: below a.b']],
  ['in the column of the last entry', 'a:\n  b:\n    c: 1\n  # d\ne: 2\n', ['# d: below a']],
  ['in the first column, at the end', 'a:\n  b: 1\n# d\n', ['# d: below ']],
  ['alone in a file', '# c\n', ['# c: below ']],
  ['after a list in the column of its key', 'a:\n- b\n# c\nd: 1\n', ['# c: above d']],
  ['in such a list', 'a:\n- b\n# c\n- d\n', ['# c: above a.1']],
  ['after two lists', 'a:\n  - b:\n      - c\n    # d\n  - e\n', ['# d: below a.0']],
  ['after quotes over lines', 'a: "b\n  # c" # d\n', ['# d: beside a']],
])('a comment %s', (_, text, found) => {
  expect(owners(text)).toEqual(found)
})

test('each item of a list begins at its own dash', () => {
  const text = 'a:\n  -\n  - # c\n    b: 1\n  - - c\n    - d\n  - &e\n    f: 1\n'
  const starts = [...linesOf(text).entries.values()]
    .filter(({ key }) => key === undefined)
    .map(({ path, start }) => [path.join('.'), text.slice(start, start + 1)])
  expect(starts).toEqual(['a.0', 'a.1', 'a.2', 'a.2.0', 'a.2.1', 'a.3'].map((path) => [path, '-']))
})

test('a place knows its path, by way of an alias too', () => {
  const text = 'a: &x {b: [c]}\nd: *x\n'
  const top = topOf(parseYaml({ name: 'a.yml', file: 'a.yml', text }))
  const place = childOf(top, 'd', 'b')
  expect(place?.path).toEqual(['d', 'b'])
  expect(place?.isShared).toBe(true)
  expect(textsBelow(childOf(top, 'd')).map(({ path }) => path)).toEqual([['d', 'b', 0]])
})
