import { describe, expect, test } from '@jest/globals'
import { ANY_REQUEST, exampleLine, sendLine } from '../../src/triggers/example-line.ts'
import { POWERSHELL } from '../../src/wire/shell.ts'

const URL = 'https://relay.example/octo/repo/hook/webhook'
const GET = { method: 'GET', path: '' }
const FORM = { method: 'PUT', path: '/a b', contentType: 'text/plain', body: "it's" }

describe('the command that fires a trigger', () => {
  test.each([
    [
      exampleLine(URL, ANY_REQUEST),
      `curl -X POST -H 'content-type: application/json' -d '{"hello":"world"}' '${URL}'`,
    ],
    [exampleLine(URL, GET), `curl '${URL}'`],
    [
      exampleLine(URL, FORM, 'a$b'),
      `curl -X PUT -H 'X-Platform-Authorization: Bearer a$b' -H 'content-type: text/plain' -d 'it'\\''s' '${URL}/a b'`,
    ],
    [exampleLine(URL, GET, '$TOKEN'), `curl -H "X-Platform-Authorization: Bearer $TOKEN" '${URL}'`],
    [
      exampleLine(URL, GET, '$env:TOKEN', POWERSHELL.request),
      `Invoke-RestMethod -Uri '${URL}' -Headers @{ 'X-Platform-Authorization' = "Bearer $env:TOKEN" }`,
    ],
    [sendLine(URL, ANY_REQUEST), `hookline send ${URL} --data '{"hello":"world"}'`],
    [sendLine(URL, GET), `hookline send ${URL}`],
    [sendLine(URL, { ...GET, path: '/%20a@b?c=1' }), `hookline send '${URL}/%20a@b?c=1'`],
    [sendLine(URL, { ...GET, path: '/%20a@b' }), `hookline send ${URL}/%20a@b`],
    [sendLine(URL, { ...GET, method: 'DELETE' }), `hookline send ${URL} --method DELETE`],
    [sendLine(URL, { ...GET, body: '' }), `hookline send ${URL} --method GET --data ''`],
    [
      sendLine(URL, FORM),
      `hookline send '${URL}/a b' --method PUT --header 'content-type: text/plain' --data 'it'\\''s'`,
    ],
  ])('%s', (line, expected) => {
    expect(line).toBe(expected)
  })
})
