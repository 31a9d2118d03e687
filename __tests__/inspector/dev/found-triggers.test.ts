import { expect, test } from '@jest/globals'
import { exampleLine, foundTriggers, listLine } from '../../../src/inspector/local-engine.ts'
import { readOnSection } from '../../../src/workflow/workflow.ts'

function found(text: string) {
  const source = { name: 'hook.yml', file: 'hook.yml', text }
  return foundTriggers('http://h', [readOnSection('hook', source, { secrets: {} })])
}

test.each([
  ['webhook', 'POST    http://h/webhook/hook/webhook'],
  ['webhook: { method: get, path: /a/:id }', 'GET     http://h/webhook/hook/webhook/a/id'],
  ['typeform', 'POST    http://h/webhook/hook/typeform'],
  ['typeform: { verify: { secret: x } }', 'signed  http://h/webhook/hook/typeform'],
])('%s is listed as %s', (text, line) => {
  expect(found(text).map(listLine)).toEqual([line])
})

test('a line for curl quotes what the shell would read', () => {
  const body = `{"text":"it's"}`
  expect(exampleLine('http://h/a', { method: 'POST', path: '', contentType: 'a/b', body })).toBe(
    `curl -X POST -H 'content-type: a/b' -d '{"text":"it'\\''s"}' 'http://h/a'`,
  )
})
