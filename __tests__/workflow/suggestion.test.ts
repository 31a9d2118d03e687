import { expect, test } from '@jest/globals'
import { didYouMean, nearestName, quoted, slipOf } from '../../src/workflow/suggestion.ts'

test.each([
  ['psot', ['get', 'post', 'put'], 'post'],
  ['POST', ['past', 'post'], 'post'],
  ['Webhok', ['WebHook', 'push'], undefined],
  ['webhok', ['webhook', 'push'], 'webhook'],
  ['ab', ['ax', 'xyz'], 'ax'],
  ['ab', ['xyzw'], undefined],
  ['abcdefghi', ['abcdefxyz'], 'abcdefxyz'],
  ['abcdefghi', ['abcdewxyz'], undefined],
  ['abcdefgh', ['abcdexyz'], undefined],
  ['a', [], undefined],
])('the name nearest to %s among %j: %s', (found, names, nearest) => {
  expect(nearestName(found, names)).toBe(nearest)
  const hint = nearest === undefined ? undefined : `did you mean "${nearest}"?`
  expect(didYouMean(found, names)).toBe(hint)
})

test.each([
  ['titel', ['title'], 'title'],
  ['Titel', ['TITLE'], 'TITLE'],
  ['tite', ['title'], 'title'],
  ['titlex', ['other', 'title'], 'title'],
  ['tixxe', ['title'], undefined],
  ['title', ['titles'], undefined],
  ['titles', ['title'], undefined],
  ['title', ['title'], undefined],
  ['bod', ['body'], undefined],
  ['bodi', ['body'], 'body'],
  ['eltit', ['title'], undefined],
])('%s is a slip of a name among %j: %s', (found, names, name) => {
  expect(slipOf(found, names)).toBe(name)
})

test.each([
  ['a"b\n', '"a\\"b\\n"'],
  ['x'.repeat(60), `"${'x'.repeat(60)}"`],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
])('%j is shown as %s', (text, shown) => {
  expect(quoted(text)).toBe(shown)
})
