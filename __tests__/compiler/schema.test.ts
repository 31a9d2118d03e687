import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { optionsSchema } from '../../scripts/schema/workflow-schema.js'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { sourceFile, WORKFLOWS, withStep } from './support/compiled.ts'
import { EDITOR_SCHEMA, validate } from './support/editor.ts'

test('the published file is what the triggers make', () => {
  const path = new URL('../../schema/hookline-workflow.json', import.meta.url)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(EDITOR_SCHEMA)))
})

describe('an editor accepts', () => {
  test.each(WORKFLOWS)('%s', (_, source) => {
    expect([validate(parse(source)), validate.errors]).toEqual([true, null])
  })
})

test('an editor needs no network: the file contains every definition that it refers to', () => {
  const elsewhere = JSON.stringify(EDITOR_SCHEMA).match(/"\$ref":"(?!#\/definitions\/)[^"]*"/g)
  expect(elsewhere).toBeNull()
})

/** Parts of a native workflow, and whether GitHub accepts them. */
const NATIVE: readonly (readonly [text: string, isRight: boolean])[] = [
  ['on: {webhook: {}, push: {branches: [main]}}\njobs: {}', true],
  ['on: {webhook: {}, schedule: [{cron: "5 4 * * *"}]}\njobs: {}', true],
  ['on: webhook\npermissions: read-all\nenv: {A: 1, B: true, C: }\njobs: {}', true],
  ['on: webhook\nconcurrency: {group: a, queue: max}\njobs: {}', true],
  ['on: webhook\nconcurrency: {groups: a}\njobs: {}', false],
  ['on: webhook\npermissions: {contents: reed}\njobs: {}', false],
  ['on: {webhook: {}, push: {branchs: [main]}}\njobs: {}', false],
  ['on: {webhook: {}, schedule: [{corn: "5 4 * * *"}]}\njobs: {}', false],
  ['on: webhook\njobs: {a: {runs-on: x, steps: [{run: y, timeout-minutes: 5}]}}', true],
  ['on: webhook\njobs: {a: {runs-on: "${{ vars.X }}", continue-on-error: "${{ true }}"}}', true],
  ['on: webhook\njobs: {a: {uses: ./x.yml, secrets: inherit}}', true],
  ['on: webhook\njobs: {a: {runs-on: x, strategy: {matrix: {b: [1, 2]}}}}', true],
  ['on: webhook\njobs: {a: {run-on: x}}', false],
  ['on: webhook\njobs: {a: {runs-on: x, steps: [{rum: y}]}}', false],
  ['on: webhook\njobs: {a: {runs-on: x, steps: [{run: y, timeout-minutes: soon}]}}', false],
]

test.each(NATIVE)('an editor checks what is GitHub’s own: %j: %s', (text, isRight) => {
  expect([validate(parse(text)), isRight || validate.errors?.length]).toEqual([
    isRight,
    isRight || expect.any(Number),
  ])
})

/** Sections of `on:`, and whether they are valid; the compiler must agree. */
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
  const { triggers, problems } = sourceFile(text)
  expect(problems.length === 0).toBe(isRight)
  if (isRight) expect(triggers.length).toBeGreaterThan(0)
})

test('every option of every trigger is described', () => {
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
