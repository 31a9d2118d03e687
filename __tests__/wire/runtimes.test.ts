import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { type ProbedBody, readAll } from '../support/body-probe.ts'
import { NODE24 } from '../support/node24.ts'
import { startWorkerd, type Workerd } from '../support/workerd.ts'
import { FORMS } from './forms.ts'

/** This Node, and further ones if they are installed. */
const NODES = [process.execPath, process.env.HOOKLINE_NODE22, NODE24].flatMap((path) => path ?? [])

let folder: string
let workerd: Workerd

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'body-probe-'))
  await build({
    entryPoints: { probe: join(import.meta.dirname, '../support/body-probe.ts') },
    ...{ outdir: folder, outExtension: { '.js': '.mjs' }, logLevel: 'error' },
    ...{ bundle: true, format: 'esm', platform: 'neutral', target: 'es2022' },
  })
  await writeFile(join(folder, 'main.mjs'), MAIN)
  await writeFile(join(folder, 'worker.mjs'), WORKER)
  const modules = new Map([['probe.mjs', await readFile(join(folder, 'probe.mjs'), 'utf8')]])
  workerd = await startWorkerd(join(folder, 'worker.mjs'), {}, { modules })
})
afterAll(async () => {
  await workerd.close()
  await rm(folder, { recursive: true })
})

const MAIN = `import { readFileSync } from 'node:fs'
import { readAll } from './probe.mjs'
const bodies = JSON.parse(readFileSync(process.argv[2], 'utf8'))
console.log(JSON.stringify(await readAll(bodies)))
`

const WORKER = `import { readAll } from './probe.mjs'
export default {
  fetch: async (request) => Response.json(await readAll(await request.json())),
}
`

async function onNode(node: string, bodies: readonly ProbedBody[]): Promise<unknown[]> {
  const file = join(folder, 'bodies.json')
  await writeFile(file, JSON.stringify(bodies))
  const { stdout } = await promisify(execFile)(node, [join(folder, 'main.mjs'), file])
  return JSON.parse(stdout)
}

async function onWorkerd(bodies: readonly ProbedBody[]): Promise<unknown[]> {
  const response = await fetch(workerd.url, { method: 'POST', body: JSON.stringify(bodies) })
  return response.json() as Promise<unknown[]> // the worker returns a list
}

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

function probed(type: string, body: Uint8Array | string, encoding?: string): ProbedBody {
  const headers = { 'content-type': type, ...(encoding && { 'content-encoding': encoding }) }
  return { headers, base64: Buffer.from(body).toString('base64') }
}

const JSON_TYPE = 'application/json'
const TEXT = '{"a":"Jürgen 日本","b":1234567890123456789,"c":0.00001}'

const CHARSETS: readonly (readonly [charset: string, bytes: readonly number[]])[] = [
  ['utf-8', [...Buffer.from('Grüße, 日本 😀')]],
  ['utf-16le', [...Buffer.from('Grüße, 日本 😀', 'utf16le')]],
  ['utf-16be', [...Buffer.from('Grüße, 日本 😀', 'utf16le').swap16()]],
  ['windows-1252', [0x80, 0x93, 0xfc, 0x81, 0x9f]],
  ['iso-8859-2', [0xb1, 0xe6, 0xea]],
  ['iso-8859-15', [0xa4, 0xfc]],
  ['windows-1250', [0x8a, 0x9e]],
  ['windows-1251', [0xcf, 0xf0, 0xe8]],
  ['windows-874', [0xa1, 0xdb]],
  ['windows-1253', [0xc1, 0xd2]],
  ['koi8-r', [0xf0, 0xd2]],
  ['shift_jis', [0x93, 0xfa, 0x96, 0x7b, 0xb1]],
  ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc, 0x8e, 0xb1]],
  ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42]],
  ['gbk', [0xc4, 0xe3, 0x80, 0xba, 0xc3]],
  ['gb18030', [0xc4, 0xe3, 0x81, 0x30, 0x81, 0x30]],
  ['big5', [0xa7, 0x41, 0xa6, 0x6e]],
  ['euc-kr', [0xb0, 0xa1]],
  ['no-such-charset', [0x61]],
]

const FORM = 'application/x-www-form-urlencoded'

const BODIES: readonly ProbedBody[] = [
  ...FORMS.map(({ contentType, body }) => probed(contentType, body)),
  ...CHARSETS.map(([charset, bytes]) =>
    probed(`text/plain; charset=${charset}`, Uint8Array.from(bytes)),
  ),
  ...CHARSETS.map(([charset, bytes]) => {
    const escaped = bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
    return probed(FORM, `n=${escaped}&charset=${charset}`)
  }),
  ...['', 'application/x-ndjson', 'application/json-seq', FORM, JSON_TYPE, 'text/plain'].flatMap(
    (type) =>
      ['', TEXT, `\uFEFF\n${TEXT}\n`, '{"a":', '"{}"', '[1]\n[2]'].map((text) =>
        probed(type, text),
      ),
  ),
  probed(JSON_TYPE, Buffer.from(TEXT, 'utf16le')),
  probed(JSON_TYPE, Buffer.from(TEXT, 'utf16le').swap16()),
  probed(JSON_TYPE, Buffer.from('{"a":"é"}', 'latin1')),
  probed(JSON_TYPE, gzipSync(TEXT), 'gzip'),
  probed(JSON_TYPE, deflateSync(TEXT), 'deflate'),
  probed(JSON_TYPE, deflateRawSync(TEXT), 'deflate'),
  probed(JSON_TYPE, TEXT, 'gzip'),
  probed(JSON_TYPE, gzipSync(TEXT).subarray(0, 20), 'gzip'),
  probed(JSON_TYPE, TEXT, 'snappy'),
]

describe('a body has one result on every Node and on workerd', () => {
  test.each(NODES)(`${BODIES.length} bodies on %s`, async (node) => {
    const expected = plain(await readAll(BODIES))
    const found = await onNode(node, BODIES)
    for (const [index, body] of BODIES.entries()) {
      expect([body.headers, found[index]]).toEqual([body.headers, expected[index]])
    }
  })

  test(`${BODIES.length} bodies on workerd`, async () => {
    const expected = plain(await readAll(BODIES))
    const found = await onWorkerd(BODIES)
    for (const [index, body] of BODIES.entries()) {
      expect([body.headers, found[index]]).toEqual([body.headers, expected[index]])
    }
  })

  test('what workerd cannot decode is a fault there', async () => {
    const members = Buffer.concat([gzipSync(TEXT.slice(0, 9)), gzipSync(TEXT.slice(9))])
    const bodies = [
      probed(JSON_TYPE, brotliCompressSync(TEXT), 'br'),
      probed(JSON_TYPE, members, 'gzip'),
    ]
    for (const node of NODES) {
      const found = await onNode(node, bodies)
      expect(found).toMatchObject(bodies.map(() => ({ body: { a: 'Jürgen 日本' }, faults: [] })))
    }
    const [br, gzip] = await onWorkerd(bodies)
    const binary = {
      binary: true,
      faults: [expect.stringMatching(/"content-encoding" is not decoded/)],
    }
    expect([br, gzip]).toMatchObject([binary, binary])
  })

  test('zstd is decoded where Node has it, and else a fault', async () => {
    const zstd = 'KLUv/SAHOQAAeyJuIjoxfQ=='
    const bodies = [{ ...probed(JSON_TYPE, '', 'zstd'), base64: zstd }]
    const all = await Promise.all([...NODES.map((node) => onNode(node, bodies)), onWorkerd(bodies)])
    for (const [found] of all) {
      const isDecoded = JSON.stringify(found).includes('"n":1')
      const faults = isDecoded ? [] : [expect.stringMatching(/not supported here/)]
      expect(found).toMatchObject({ faults, binary: !isDecoded })
    }
  })
})
