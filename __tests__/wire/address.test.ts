import { describe, expect, test } from '@jest/globals'
import {
  addressInput,
  baseAddress,
  isLoopback,
  parseAddress,
  refuseInsecureAddress,
} from '../../src/wire/address.ts'
import { problemsOf } from '../support/problems.ts'

describe('the address', () => {
  test.each([
    ['https://relay.example/a?b', 'https://relay.example/a?b'],
    ['HTTP://relay.example', 'http://relay.example/'],
    ['localhost:3000', 'http://localhost:3000/'],
    ['LOCALHOST:3000/a', 'http://localhost:3000/a'],
    ['localhost:3000?a', 'http://localhost:3000/?a'],
    ['localhost/', 'http://localhost/'],
    ['127.10.200.1:80/', 'http://127.10.200.1/'],
    ['[::1]:3000', 'http://[::1]:3000/'],
    ['localhost', undefined],
    ['localhost:3000x', undefined],
    ['localhost:', undefined],
    ['127.0.0.1', undefined],
    ['127.0.1:3000', undefined],
    ['1127.0.0.1:3000', undefined],
    ['relay.example', undefined],
    ['xlocalhost:3000', undefined],
    ['ftp://relay.example', undefined],
    ['xhttps://relay.example', undefined],
    ['https:', undefined],
    ['https://user@relay.example', undefined],
    ['https://:password@relay.example', undefined],
    ['https://relay.example/#a', undefined],
  ])('%s is %s', (text, href) => {
    expect(parseAddress(text)?.href).toBe(href)
  })

  test.each([
    ['https://relay.example', 'https://relay.example'],
    ['https://relay.example/a/b///', 'https://relay.example/a/b'],
  ])('%s begins paths as %s', (text, base) => {
    expect(baseAddress(new URL(text))).toBe(base)
  })

  test.each([
    ['localhost', true],
    ['127.0.0.1', true],
    ['127.12.200.1', true],
    ['[::1]', true],
    ['localhost.example', false],
    ['a.localhost', false],
    ['a127.0.0.1', false],
    ['127.0.0.1.example', false],
    ['128.0.0.1', false],
    ['[::12]', false],
  ])('%s is this machine: %s', (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected)
  })
})

describe('an input of an action', () => {
  const read = (value: string, example?: string) =>
    addressInput(() => value, 'slack-api-url', 'https://slack.com/api/', example)

  test.each([
    ['', 'https://slack.com/api'],
    [' \n', 'https://slack.com/api'],
    [' https://slack.example/ ', 'https://slack.example'],
  ])('of %j is the address %s', (value, address) => {
    expect(read(value)).toBe(address)
  })

  test.each([
    [undefined, 'https://slack.com/api/'],
    ['https://a.example', 'https://a.example'],
  ])('that is no address is refused with the example %s', async (example, shown) => {
    expect(await problemsOf((async () => read('slack', example))())).toEqual([
      {
        message: 'input "slack-api-url" is not the address of an API: "slack"',
        hint: `it looks like ${shown}`,
      },
    ])
  })
})

describe('a secret', () => {
  test.each(['https://relay.example', 'http://localhost:3000', 'http://[::1]:3000'])(
    'may be sent to %s',
    (text) => {
      expect(refuseInsecureAddress(new URL(text))).toBeUndefined()
    },
  )

  test('may not be sent to another machine in plain text', async () => {
    const work = async () => refuseInsecureAddress(new URL('http://relay.example:3000/a'))
    expect(await problemsOf(work())).toEqual([
      {
        message: '--relay is neither an https address nor on this machine: "relay.example:3000"',
        hint: 'Use https://, because anyone on the way can read a key or a token that is sent over http.',
      },
    ])
  })
})
