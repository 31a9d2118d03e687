import { expect, test } from '@jest/globals'
import { PAGES, type Page, prose } from './pages.ts'

/** The cells of each table of a page, row by row. */
function tables(page: Page): string[][][] {
  const found = prose(page).match(/(?:^\|.*\n)+/gm) ?? []
  return found.map((table) =>
    table
      .trimEnd()
      .split('\n')
      .map((row) => row.split(/(?<!\\)\|/).slice(1, -1)),
  )
}

/** The pixels of a phone that is 375 wide, without the margins of GitHub's page. */
const PHONE = 343

/** The pixels of GitHub's padding and border of a cell. */
const PADDING = 27

/** The pixels of a character, as an average of code and text. */
const CHARACTER = 8

/** The pixels that a table needs at least, because a browser breaks lines only between words. */
function narrowest(rows: readonly (readonly string[])[]): number {
  const widths = rows.map((cells) => cells.map((cell) => longestWord(cell) * CHARACTER + PADDING))
  const columns = widths[0]?.map((_, at) => Math.max(...widths.map((row) => row[at] ?? 0))) ?? []
  return columns.reduce((sum, width) => sum + width, 0)
}

function longestWord(cell: string): number {
  const shown = cell
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\]\([^)]*\)/g, '')
    .replaceAll(/[[`*]/g, '')
  return Math.max(...shown.split(/\s+|(?<=[-/])/).map((word) => word.length))
}

const WITH_TABLES = PAGES.filter((page) => tables(page).length > 0)

test.each(WITH_TABLES)('$name: each row of a table has as many cells as its head', (page) => {
  const ragged = tables(page).flatMap(([head = [], ...rows]) =>
    rows.filter((row) => row.length !== head.length).map((row) => row.join('|')),
  )
  expect(ragged).toEqual([])
})

test.each(WITH_TABLES)('$name: a table is at most half wider than a phone', (page) => {
  const wide = tables(page)
    .filter((rows) => narrowest(rows) > PHONE * 1.5)
    .map(([head = [], ...rows]) => `${head.join('|')}: ${narrowest([head, ...rows])}`)
  expect(wide).toEqual([])
})

test('a pipe inside code, and a table with two long names in a row, are found', () => {
  const text = `| a | b |\n| --- | --- |\n| \`${'x'.repeat(30)}\` | \`${'y'.repeat(30)}||\` |\n`
  const [table = []] = tables({ name: 'a.md', text, blocks: [] })
  expect(table.map((row) => row.length)).toEqual([2, 2, 4])
  expect(narrowest(table)).toBeGreaterThan(PHONE * 1.5)
})
