import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { bundle } from '../../support/build.ts'

/** A token of micromark, which no code of ours mentions. */
const PARSER = /attentionSequence/

test.each([
  ['action', false],
  ['cli', false],
  ['relay', false],
  ['reply', true],
])('the bundles in dist/%s contain the parser of Markdown: %s', (folder, contains) => {
  const files = readdirSync(bundle(folder)).filter((name) => name.endsWith('.js'))
  const texts = files.map((name) => readFileSync(join(bundle(folder), name), 'utf8'))
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.some((text) => PARSER.test(text))).toBe(contains)
})
