import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { createScripts, ScriptFailure, scripts } from '../../src/engine/scripts.ts'

/** How long a script may take where that is not what a test is about: the action's own limit is 2 s. */
const SHORT = 500

function run(body: string, items: unknown = [{}], { run } = scripts): Promise<string> {
  const drive = 'items.map((item) => call(item))'
  return run({ option: 'format', parameters: ['item'], body, drive }, JSON.stringify(items))
}

test('items go in and come back as JSON', async () => {
  expect(await run('item.b = item.a + 1; return item', [{ a: 1 }, { a: 2 }])).toBe(
    '[{"a":1,"b":2},{"a":2,"b":3}]',
  )
})

/** The number of the process that a process has started, once there is one. */
async function childOf(parent: number): Promise<string> {
  for (;;) {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8')
    for (const child of children.trim().split(' ')) {
      const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      if (command.includes('permission')) return child
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('nothing of this process is in reach:', () => {
  test('no name of it', async () => {
    const names = ['process', 'require', 'globalThis.process', 'fetch', 'setTimeout', 'Buffer']
    const types = await run(`return { ${names.map((name) => `'${name}': typeof ${name}`)} }`)
    const none = names.map((name) => [name, 'undefined'])
    expect(JSON.parse(types)).toEqual([Object.fromEntries(none)])
    await expect(run('return typeof import.meta')).rejects.toThrow('does not compile')
  })

  test('nothing that makes a program of a text', async () => {
    const attempts = [
      'this.constructor.constructor("return process")()',
      'item.constructor.constructor("return process")()',
      '(() => {}).constructor("return process")()',
      'eval("1")',
      'call.constructor("return process")()',
    ]
    const all = attempts.map((attempt) => `() => ${attempt}`)
    const body = `return [${all}].map((one) => { try { one(); return 'made' } catch { return '' } })`
    expect(JSON.parse(await run(body))).toEqual([attempts.map(() => '')])
  })

  test.each([
    ['what an import would bring', '(fs) => fs.writeFileSync(file, "x")', '() => {}'],
    ['the error of an import', '() => {}', '(error) => write(error)'],
    ['the promise of an import', '() => {}', '() => write(promise)'],
  ])('no way out: %s', async (_, then, fail) => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-script-'))
    const file = join(folder, 'escaped')
    const body = `
      const file = ${JSON.stringify(file)}
      const write = (object) => {
        const host = object.constructor.constructor('return process')()
        host.getBuiltinModule('node:fs').writeFileSync(file, JSON.stringify(host.env))
      }
      const promise = import('node:fs')
      promise.then(${then}, ${fail})
      return item`
    await run(body).catch(() => {})
    expect(await readdir(folder)).toEqual([])
    await rm(folder, { recursive: true })
  })

  test('what a script puts on the prototypes stays in it', async () => {
    await run('Object.prototype.polluted = 1; Array.prototype.map = null; return item')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined() // any key at all
    expect([1].map((n) => n)).toEqual([1])
    expect(await run('return [item.polluted === undefined]')).toBe('[[true]]')
  })
})

test('an endless script is stopped; its process has no environment, and no permission', async () => {
  const running = run('for (;;);', [{}], createScripts(1_000)).catch((cause: unknown) => cause)
  const child = await childOf(process.pid)
  expect(await readFile(`/proc/${child}/environ`, 'utf8')).toBe('')
  expect(await readFile(`/proc/${child}/cmdline`, 'utf8')).toMatch(/--(experimental-)?permission/)
  expect(await running).toMatchObject({
    name: 'ScriptFailure',
    message: 'took longer than 1000 ms, and was stopped',
  })
})

describe('a script that goes wrong is explained without a word of the item', () => {
  const items = [{ text: 'PAYLOAD', n: null }]

  test.each([
    [
      'return item.a.b',
      "TypeError: Cannot read properties of undefined (reading 'b') (line 1 of the script)",
    ],
    ['\n\nreturn nope', 'ReferenceError: nope is not defined (line 3 of the script)'],
    ['return item.text()', 'TypeError: item.text is not a function (line 1 of the script)'],
    ['throw new Error(item.text)', 'threw Error (line 1 of the script)'],
    ['return JSON.parse(item.text)', 'threw SyntaxError (line 1 of the script)'],
    ['return "a" in item.text', 'threw TypeError (line 1 of the script)'],
    ['throw item.text', 'threw something'],
    ['throw null', 'threw something'],
    ['return Promise.resolve(1)', 'returned a promise; it must return at once'],
    ['return 1n', 'threw TypeError'],
    ['item.item = item; return item', 'threw TypeError'],
    ['return 1 +', "does not compile: Unexpected token '}'"],
    [
      'return await item',
      'does not compile: await is only valid in async functions and the top level bodies of modules',
    ],
    ['throw { get stack() { for (;;); } }', `took longer than ${SHORT} ms, and was stopped`],
  ])('%s', async (body, message) => {
    const error = await run(body, items, createScripts(SHORT)).catch((cause: unknown) => cause)
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
  await expect(endless).rejects.toThrow('took longer than 50 ms, and was stopped')
})
