import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import type { ScriptFailure } from '../../src/engine/scripts.ts'
import { resultsOf } from '../support/scripts.ts'

function run(body: string): Promise<string> {
  return resultsOf(body).catch((error: ScriptFailure) => `refused: ${error.message}`)
}

/**
 * Recurses until the stack ends, and runs the attempt at each of the first levels on the way back.
 */
const atTheEndOfTheStack = (attempt: string) => `
  let host
  let levels = 1_000 // enough for whatever needs much of the stack
  const keep = (error) => { if (!(error instanceof Error)) host ??= error }
  const deeper = () => {
    try { deeper() } catch (error) { keep(error); try { if (levels-- > 0) { ${attempt} } } catch (own) { keep(own) } throw error }
  }
  try { deeper() } catch (error) { keep(error) }`

const IMPORTS = [
  "import('fs')",
  "import ('fs')",
  "import\n('fs')",
  "import/**/('fs')",
  "import // comment\n('fs')",
  "import<!-- comment\n('fs')",
  "import\n--> comment\n('fs')",
  "import.source('fs')",
  "[...import('fs')]",
  "`${import('fs')}`",
  "\\u0069mport('fs')",
  "im\\u{70}ort('fs')",
]

test.each(IMPORTS)('no script imports: %j', async (attempt) => {
  const body = `try { ${attempt} } catch {} return 'ran'`
  expect(await run(body)).toMatch(/^refused: does not compile/)
})

test('code that only looks similar is no import', async () => {
  const body = "const kind = { import: 'import' }; return [kind.import === 'import', 'reimport(x)']"
  expect(await run(body)).toBe('[[true,"reimport(x)"]]')
})

/**
 * The objects that an object of the host leads to: its class, the parent classes, and function
 * constructors.
 */
const LEADS = `
  const above = (one) => one ? [one, ...above(Object.getPrototypeOf(one))] : []
  const changeable = above(host && Object.getPrototypeOf(host))
    .flatMap((proto) => [proto, ...above(proto.constructor)])
    .filter((one) => !Object.isFrozen(one))
  const made = () => {
    try { return host.constructor.constructor('return typeof process')() } catch { return 'nothing' }
  }
  return host ? [made(), changeable.length] : ['nothing', 0]`

describe('no object of the host comes back, or it leads nowhere', () => {
  test.each([
    ['a URL', "new URL('http://a')"],
    ['an encoding', "btoa('x')"],
    ['the global object', 'globalThis.made = 1; delete globalThis.made'],
    ['a stack', 'String(new Error().stack)'],
    ['a stack of its own', 'Error.prepareStackTrace = String; String(new Error().stack)'],
    ['a locale', 'new Intl.DateTimeFormat().format()'],
  ])('at the end of the stack: %s', async (_, attempt) => {
    expect(await run(`${atTheEndOfTheStack(attempt)}; ${LEADS}`)).toBe('[["nothing",0]]')
  })

  test.each([
    'Object.getOwnPropertyDescriptor(globalThis, "input")',
    'Object.getOwnPropertyNames(globalThis)',
    'Object.getPrototypeOf(globalThis)',
    'console.log',
    'console',
    '(() => { Error.prepareStackTrace = (_, sites) => sites; const { stack } = new Error(); Error.prepareStackTrace = undefined; return stack[0] })()',
  ])('%s', async (object) => {
    expect(await run(`return (${object}).constructor.constructor === Function`)).toBe('[true]')
  })
})

test('an error of the host at the end of the stack opens no connection', async () => {
  const reached: string[] = []
  const server = createServer((socket) => {
    reached.push('somebody')
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  await run(`${atTheEndOfTheStack('String(new Error().stack)')}
    if (host) host.constructor.constructor('return process')().getBuiltinModule('net')
      .connect(${port}, '127.0.0.1').write('x')
    return 1`)
  server.close()
  await once(server, 'close')
  expect(reached).toEqual([])
})
