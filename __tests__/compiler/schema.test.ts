import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { optionsSchema } from '../../scripts/schema/workflow-schema.js'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { sourceFile, WORKFLOWS, withStep } from './support/compiled.ts'
import { EDITOR_SCHEMA, validate } from './support/editor.ts'

test('R48: the published file is what the triggers make', () => {
  const path = new URL('../../schema/hookline-workflow.json', import.meta.url)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(EDITOR_SCHEMA)))
})

describe('an editor accepts', () => {
  test.each(WORKFLOWS)('%s', (_, source) => {
    expect([validate(parse(source)), validate.errors]).toEqual([true, null])
  })
})

/** Sections of `on:`, and whether they are right; the compiler must think the same. */
const SECTIONS: readonly (readonly [on: string, isRight: boolean])[] = [
  ['webhook', true],
  ['[webhook, push]', true],
  ['{webhook: {method: post}}', true],
  ['{webhook: {method: [post, get]}}', true],
  [`{webhook: {method: "\${` + '{ vars.METHOD }}"}}', true],
  ['{webhook: {config: {every: 5}}}', true],
  ['{webhook: {config: {every: "*/5 * * * *", active: true}}}', true],
  ['{messaging_bot: {webhook: true, event: [text, photo]}}', true],
  [`{telegram_bot: {token: "\${` + '{ secrets.BOT }}"}}', true],
  ['webhok', false],
  ['{webhok: {}}', false],
  ['{webhook: {method: psot}}', false],
  ['{webhook: {methods: post}}', false],
  ['{webhook: {path: 5}}', false],
  ['{webhook: {config: {actve: true}}}', false],
  ['{webhook: {config: {limit: many}}}', false],
  ['{messaging_bot: {webhook: true, event: texts}}', false],
]

test.each(SECTIONS)('an editor and the compiler agree on %s: %s', (on, isRight) => {
  const text = withStep('      - run: x', on)
  expect(validate(parse(text))).toBe(isRight)
  const read = () => sourceFile(text)
  if (isRight) expect(read().triggers.length).toBeGreaterThan(0)
  else expect(read).toThrow()
})

test('R48: every option of every trigger is described', () => {
  for (const trigger of TRIGGERS.values()) {
    const [options] = JSON.parse(JSON.stringify(optionsSchema(trigger))).anyOf
    expect(Object.keys(options.properties)).toEqual(trigger.optionNames)
    const { config, ...own } = options.properties
    expect(config).toEqual({ $ref: '#/definitions/config' })
    for (const option of Object.values(own)) {
      expect(option).toEqual(expect.objectContaining({ description: expect.any(String) }))
    }
  }
})
