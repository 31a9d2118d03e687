import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { parse } from 'yaml'
import {
  GITHUB_WORKFLOW,
  optionsSchema,
  workflowSchema,
} from '../../scripts/schema/workflow-schema.js'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { NATIVE_EVENTS } from '../../src/workflow/native-events.ts'
import { sourceFile, WORKFLOWS, withStep } from './support/compiled.ts'

const schema = workflowSchema(TRIGGERS, NATIVE_EVENTS)
const ajv = new Ajv({ strict: false })
ajv.addSchema(standIn(), GITHUB_WORKFLOW)
const validate = ajv.compile(schema)

test('the published file is what the triggers make', () => {
  const path = new URL('../../schema/hookline-workflow.json', import.meta.url)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(schema)))
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

/** The parts of the public schema that ours refers to; what they say is not ours to test. */
function standIn() {
  const events = Object.fromEntries([...NATIVE_EVENTS].map((event) => [event, {}]))
  const keys = ['name', 'run-name', 'env', 'defaults', 'concurrency', 'permissions', 'jobs']
  const others = Object.fromEntries(keys.map((key) => [key, {}]))
  return { properties: { on: { oneOf: [{}, {}, { properties: events }] }, ...others } }
}
