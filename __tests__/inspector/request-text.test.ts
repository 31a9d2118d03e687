import { expect, test } from '@jest/globals'
import type { ShownRequest } from '../../src/inspector/api.ts'
import {
  fixtureName,
  fixtureText,
  headerLines,
  isJson,
  parsed,
  pretty,
  readHeaders,
  readPath,
  replayLine,
} from '../../src/inspector/page/request-text.ts'

const REQUEST: ShownRequest = {
  ...{ method: 'PUT', path: 'hook/webhook?a=1', body: 'hello', encoding: 'text' },
  headers: {
    ...{ host: 'h', 'content-length': '5', connection: 'close', 'accept-encoding': 'br' },
    ...{ 'x-a': 'b', authorization: '***' },
  },
}

test('a request as curl leaves out the headers that curl sets by itself', () => {
  expect(replayLine(REQUEST, 'http://h')).toBe(
    "curl -X PUT -H 'x-a: b' -H 'authorization: ***' -d 'hello' 'http://h/webhook/hook/webhook?a=1'",
  )
})

test('a fixture has the four keys, and neither credentials nor headers of the client', () => {
  const fixture = {
    method: 'PUT',
    path: 'hook/webhook?a=1',
    headers: { 'x-a': 'b' },
    body: 'hello',
  }
  expect(fixtureText(REQUEST)).toBe(`${JSON.stringify(fixture, null, 2)}\n`)
  const headers = { 'x-a': 'b', 'x-hookline-body-encoding': 'base64' }
  expect(JSON.parse(fixtureText({ ...REQUEST, encoding: 'base64' }))).toEqual({
    ...fixture,
    headers,
  })
})

test.each([
  ['GET', 'hook/webhook', 'get-hook-webhook.json'],
  ['POST', 'a//b/é~c.d_e-f?g/h\n?i', 'post-a-b-c.d_e-f.json'],
  ['POST', 'a/--', 'post-a.json'],
  ['POST', 'a'.repeat(75), `post-${'a'.repeat(75)}.json`],
  ['POST', 'a'.repeat(76), `post-${'a'.repeat(75)}.json`],
  ['POST', `${'a'.repeat(74)}/b`, `post-${'a'.repeat(74)}.json`],
])('%s %j is saved as %s', (method, path, name) => {
  expect(fixtureName({ ...REQUEST, method, path })).toBe(name)
})

test.each([
  ['', ''],
  ['hello {', 'hello {'],
  ['{"a":', '{"a":'],
  ['"a"', '"a"'],
  ['{}', '{}'],
  [' [ ] ', '[]'],
  ['[{},[]]', '[\n  {},\n  []\n]'],
  ['[ 1.10 ,-2e5,\ttrue,null]', '[\n  1.10,\n  -2e5,\n  true,\n  null\n]'],
  [
    '{"a":{"b":[1,{"c":"}{][,: \\" \\\\"}]},"d" : 12345678901234567890}',
    '{\n  "a": {\n    "b": [\n      1,\n      {\n        "c": "}{][,: \\" \\\\"\n      }\n    ]\n  },\n  "d": 12345678901234567890\n}',
  ],
])('the body %j is shown as %j', (body, shown) => {
  expect(pretty(body)).toBe(shown)
})

test.each<[string, boolean]>([
  ['{}', true],
  ['\n\t [1]', true],
  ['{', false],
  ['"{}"', false],
  ['1', false],
  ['null', false],
  ['x{}', false],
])('%j is an object or a list: %j', (body, isIt) => {
  expect(isJson(body)).toBe(isIt)
})

test('parsed JSON may be anything, and is undefined for other text', () => {
  expect([parsed('null'), parsed('"a"'), parsed('{'), parsed('')]).toEqual([
    ...[null, 'a', undefined, undefined],
  ])
})

test('headers are written and read one a line', () => {
  const headers = { 'content-type': 'a/b', 'x-c': 'd: e', 'x-f': '' }
  const text = 'content-type: a/b\nx-c: d: e\nx-f: '
  expect(headerLines(headers)).toBe(text)
  expect(readHeaders(text)).toEqual(headers)
  expect(readHeaders(' X-A :  b c \n\nno header\n: no name\nx:y')).toEqual({ 'x-a': 'b c', x: 'y' })
})

test.each([
  ['hook/webhook', 'hook/webhook'],
  ['  hook/webhook\n', 'hook/webhook'],
  ['/hook/webhook', 'hook/webhook'],
  ['//hook/webhook', 'hook/webhook'],
  ['http://localhost:3000/webhook/hook/webhook?a=/b', 'hook/webhook?a=/b'],
  ['https://h.example/webhook/hook/webhook', 'hook/webhook'],
  ['xhttp://h/webhook/a/b', 'xhttp://h/webhook/a/b'],
  ['httpss://h', 'httpss://h'],
  ['webhook/hook/webhook', 'hook/webhook'],
  // A workflow may have this name.
  ['webhook/webhook', 'webhook/webhook'],
  ['webhook//a', 'webhook//a'],
  ['a/webhook/b/c', 'a/webhook/b/c'],
  ['hook/webhook/é ü?\u{1f600}', 'hook/webhook/%C3%A9%20%C3%BC?%F0%9F%98%80'],
  ['hook/!~\u007f', 'hook/!~%7F'],
])('the pasted address %j leads to %j', (text, path) => {
  expect(readPath(text)).toBe(path)
})
