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
