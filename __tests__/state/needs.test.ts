import { describe, expect, test } from '@jest/globals'
import { openState, parseState, STATE_FORMS, storeNeeds } from '../../src/state/index.ts'
import { configOf } from '../support/settings.ts'
import { storePlace } from '../support/stores.ts'

const POLLED = { isPolled: true, isEveryExact: false }
const RECEIVED = { isPolled: false, isEveryExact: false }
const NEWEST = { sort: { id: -1 } }

describe('options that need a store', () => {
  test.each<[object, typeof POLLED, string[]]>([
    [{}, POLLED, []],
    [{ shouldDeduplicate: true }, RECEIVED, ['shouldDeduplicate']],
    [{ shouldDeduplicate: true, skipFirst: true }, POLLED, ['shouldDeduplicate', 'skipFirst']],
    [{ shouldDeduplicate: false }, POLLED, []],
    [{ limit: 2 }, POLLED, []],
    [{ limit: 2, ...NEWEST }, POLLED, ['limit']],
    [{ limit: 2, sortScript: 'return 0' }, POLLED, ['limit']],
    [{ limit: 0, ...NEWEST }, POLLED, []],
    [{ limit: 2, ...NEWEST }, RECEIVED, []],
    [{ limit: 2, shouldDeduplicate: false, ...NEWEST }, POLLED, ['limit']],
    [{ every: 45 }, POLLED, ['every']],
    [{ every: 45 }, { ...POLLED, isEveryExact: true }, []],
    [{ every: 0 }, POLLED, []],
    [{ every: '0 9 * * *' }, POLLED, []],
    [{ every: 45, force: true }, POLLED, []],
    [{ every: 45 }, RECEIVED, []],
  ])('%j %j', (config, question, options) => {
    const trigger = { config: configOf(config) }
    const needs = storeNeeds(trigger, { ...question, hasStore: false })
    expect(needs).toEqual(options.map((option) => ({ option, needs: 'a store' })))
    const cut = { option: 'limit', needs: 'shouldDeduplicate' }
    const left = storeNeeds(trigger, { ...question, hasStore: true })
    const isCut = trigger.config.shouldDeduplicate === false && options.includes('limit')
    expect(left).toEqual(isCut ? [cut] : [])
  })
})

test.each([
  ['none', 'none', ''],
  ['file:/var/lib/hookline/state.json', 'file', '/var/lib/hookline/state.json'],
  ['branch:state/hookline', 'branch', 'state/hookline'],
  ['', 'none', ''],
  [' \n', 'none', ''],
  [' none ', 'none', ''],
  [' file: a b ', 'file', 'a b'],
  ['file::', 'file', ':'],
  ['branch:_a-1.b/c.locked', 'branch', '_a-1.b/c.locked'],
])('the state %s', (text, kind, value) => {
  expect(parseState(text)).toEqual({ kind, value })
})

test('no store is opened for none', async () => {
  expect(await openState({ kind: 'none', value: '' }, storePlace(''))).toBeUndefined()
  for (const kind of ['file', 'branch']) {
    expect(await openState({ kind, value: 'a' }, storePlace(''))).toMatchObject({
      load: expect.any(Function),
    })
  }
})

test.each([
  'branch:a..b',
  'branch:.a',
  'branch:a.',
  'branch:a/',
  'branch:a//b',
  'branch:/a',
  'branch:-a',
  'branch:a/.b',
  'branch:a.lock',
  'branch:a.lock/b',
  'branch:a b',
  'branch:a~b',
  'branch:',
  'Branch:a',
  'xnone',
  '1file:a',
  'file:a\nb',
  'file:',
  'memory:x',
  'branch',
])('the state %s is none', (text) => {
  expect(parseState(text)).toBeUndefined()
  expect(STATE_FORMS).toBe('none, file:<path>, branch:<name>')
})
