import { describe, expect, test } from '@jest/globals'
import { createScripts, ScriptFailure, scripts } from '../../src/engine/scripts.ts'
import { resultsOf as run } from '../support/scripts.ts'

/** A short time limit for scripts whose time is not tested; the action's own limit is 2 s. */
const SHORT = 100

test('items go in and come back as JSON', async () => {
  expect(await run('item.b = item.a + 1; return item', [{ a: 1 }, { a: 2 }])).toBe(
    '[{"a":1,"b":2},{"a":2,"b":3}]',
  )
})

describe('nothing of this process is in reach:', () => {
  test('no name of it', async () => {
    const names = ['process', 'require', 'globalThis.process', 'fetch', 'setTimeout', 'Buffer']
    const types = await run(`return { ${names.map((name) => `'${name}': typeof ${name}`)} }`)
    const none = names.map((name) => [name, 'undefined'])
    expect(JSON.parse(types)).toEqual([Object.fromEntries(none)])
    await expect(run('return typeof import.meta')).rejects.toThrow('does not compile')
  })

  test('nor by a program made of a text', async () => {
    const attempts = [
      'this.constructor.constructor("return typeof process")()',
      'item.constructor.constructor("return typeof process")()',
      '(() => {}).constructor("return typeof process")()',
      'eval("typeof process")',
      'call.constructor("return typeof require")()',
      'new Error().stack.constructor.constructor("return typeof process")()',
    ]
    const all = attempts.map((attempt) => `() => ${attempt}`)
    const body = `return [${all}].map((one) => { try { return one() } catch { return 'undefined' } })`
    expect(JSON.parse(await run(body))).toEqual([attempts.map(() => 'undefined')])
  })

  test('changes of prototypes in a script stay in the script', async () => {
    await run('Object.prototype.polluted = 1; Array.prototype.map = null; return item')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined() // any key
    expect([1].map((n) => n)).toEqual([1])
    expect(await run('return [item.polluted === undefined]')).toBe('[[true]]')
  })
})

describe('a script is broken off, whatever it is at:', () => {
  const LATE = `timed out after ${SHORT} ms`
  const late = createScripts(SHORT)
  const patient = createScripts(30_000)
  const MEMORY = 'used more than 128 MB of memory'

  /**
   * Filling the memory in pieces takes longer than everything else here; one large string fails
   * immediately.
   */
  const slow = [
    ['a list without end', 'const all = []; for (;;) all.push(new Uint8Array(6e7))', MEMORY],
  ]

  test.each([
    ['a loop', 'for (;;);', LATE],
    ['a regular expression', 'return /^(a+)+$/.test(`${"a".repeat(60)}!`)', LATE],
    ['a loop that catches all', 'for (;;) try { for (;;); } catch {} finally { continue }', LATE],
    ['a large text', 'return "x".repeat(3e8).length', MEMORY],
    [
      'calls without end',
      'const more = () => more(); return more()',
      'InternalError: stack overflow (line 1 of the script)',
    ],
    ...slow,
  ])('%s; and the next one runs', async (_, body, message) => {
    // A script that ends for another reason has more time.
    const own = message === LATE ? late : patient
    await expect(run(body, [{}], own)).rejects.toThrow(new ScriptFailure(message))
    expect(await run('return 1', [{}], own)).toBe('[1]')
  })
})

test('large items have room', async () => {
  const items = Array.from({ length: 256 }, (_, id) => ({ id, text: 'x'.repeat(16_000) }))
  const lengths = await run('return item.text.length', items)
  expect(JSON.parse(lengths)).toEqual(items.map(() => 16_000))
})

describe('a script that goes wrong is explained without a word of the item', () => {
  const items = [{ text: 'PAYLOAD', n: null }]
  const endless = 'throw Object.defineProperty(new Error(), "stack", { get() { for (;;); } })'

  test.each([
    ['return item.a.b', "TypeError: cannot read property 'b' of undefined (line 1 of the script)"],
    ['\n\nreturn nope', "ReferenceError: 'nope' is not defined (line 3 of the script)"],
    ['return item.text()', 'TypeError: not a function (line 1 of the script)'],
    ['throw new Error(item.text)', 'threw Error (line 1 of the script)'],
    ['return JSON.parse(item.text)', 'threw SyntaxError (line 1 of the script)'],
    ['return "a" in item.text', 'threw TypeError (line 1 of the script)'],
    [
      'throw Object.assign(new Error(), { name: item.text })',
      'threw something (line 1 of the script)',
    ],
    ['class Own extends Error {}; throw new Own(item.text)', 'threw Error (line 1 of the script)'],
    ['throw item.text', 'threw something'],
    ['throw null', 'threw something'],
    ['return Promise.resolve(1)', 'returned a promise; return the value itself'],
    ['return 1n', 'threw TypeError'],
    ['item.item = item; return item', 'threw TypeError'],
    [
      'return 1 +',
      "does not compile: unexpected token in expression: '}' (at the end of the script)",
    ],
    ['return await item', "does not compile: expecting ';' (line 1 of the script)"],
    [
      'const a = 1\n\nconst a = 2\nreturn a',
      'does not compile: invalid redefinition of lexical identifier (line 3 of the script)',
    ],
    [
      'return {\n  a: (\n}\n',
      "does not compile: unexpected token in expression: '}' (line 3 of the script)",
    ],
    ['item.a[item.text] = 1', 'threw TypeError (line 1 of the script)'],
    ['return eval(item.text)', 'threw ReferenceError (line 1 of the script)'],
    ['return item.n["a " + item.text]', 'threw TypeError (line 1 of the script)'],
    [endless, `timed out after ${SHORT} ms`],
  ])('%s', async (body, message) => {
    const own = body === endless ? createScripts(SHORT) : scripts
    const error = await run(body, items, own).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ScriptFailure)
    expect((error as ScriptFailure).message).toBe(message)
  })
})

test('work within its time comes back, and its errors too', async () => {
  expect(await scripts.within(500, () => ({ a: 1 }))).toEqual({ a: 1 })
  const failing = scripts.within(500, () => {
    throw new RangeError('mine')
  })
  await expect(failing).rejects.toThrow('mine')
  const endless = scripts.within(50, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`))
  await expect(endless).rejects.toThrow('timed out after 50 ms')
})
