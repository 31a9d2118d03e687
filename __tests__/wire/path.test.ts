import { describe, expect, test } from '@jest/globals'
import {
  decodePercent,
  isOwner,
  isRepository,
  isRepositoryName,
  lacksTrigger,
  parseRepository,
  parseWebhookPath,
} from '../../src/wire/path.ts'

describe('the path of a payload', () => {
  test.each([
    ['hook/webhook', 'hook', 'webhook', '/', ''],
    ['/hook/webhook/', 'hook', 'webhook', '/', ''],
    ['//hook/webhook', '', 'hook', '/webhook', ''],
    ['hook/webhook/a%2Fb/c?d=1?e/f', 'hook', 'webhook', '/a%2Fb/c', 'd=1?e/f'],
    ['my%20hook/web%68ook', 'my hook', 'webhook', '/', ''],
    ['my%zzhook/%', 'my%zzhook', '%', '/', ''],
    ['hook?a', 'hook', '', '/', 'a'],
    ['', '', '', '/', ''],
  ])('%s', (text, workflow, trigger, path, querystring) => {
    expect(parseWebhookPath(text)).toEqual({ workflow, trigger, path, querystring })
  })

  test.each([
    ['hook', true],
    ['/hook', true],
    ['hook/', true],
    ['hook?a/b', true],
    ['hook.yml/webhook', true],
    ['hook.YAML/webhook', true],
    ['.github/workflows/hook.yml', true],
    ['hook/webhook', false],
    ['/hook/webhook?a', false],
    ['hook.yml.x/webhook', false],
    ['hookyml/webhook', false],
    ['x.github/webhook', false],
  ])('%s names no trigger: %s', (path, expected) => {
    expect(lacksTrigger(path)).toBe(expected)
  })

  test('is decoded only if it is well-formed', () => {
    expect(['a%20b', 'a%2', 'a+b'].map(decodePercent)).toEqual(['a b', 'a%2', 'a+b'])
  })
})

describe('a name', () => {
  test.each([
    ['o', true],
    ['Octo-1_x', true],
    ['octo.org', true],
    ['a'.repeat(39), true],
    ['a'.repeat(40), false],
    ['', false],
    ['-octo', false],
    ['.octo', false],
    ['octo.', false],
    ['oc..to', false],
    ['oc/to', false],
    ['octo ', false],
  ])('%j of an account is accepted: %s', (text, expected) => {
    expect(isOwner(text)).toBe(expected)
  })

  test.each([
    ['.github', true],
    ['a.b-c_D9', true],
    ['...', true],
    ['a'.repeat(100), true],
    ['a'.repeat(101), false],
    ['.', false],
    ['..', false],
    ['', false],
    ['a b', false],
    [' a', false],
  ])('%j of a repository is accepted: %s', (text, expected) => {
    expect(isRepositoryName(text)).toBe(expected)
  })

  test.each([
    ['octo/repo', true],
    ['octo', false],
    ['/repo', false],
    ['octo/', false],
    ['octo/repo/x', false],
  ])('%s is a repository with its owner: %s', (text, expected) => {
    expect(isRepository(text)).toBe(expected)
  })

  test('of a repository has two parts', () => {
    expect(parseRepository('octo/repo')).toEqual({ owner: 'octo', name: 'repo' })
  })
})
