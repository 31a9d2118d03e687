import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals'
import { notices, packageFolder } from '../../scripts/build/notices.js'
import { replaceOnce } from '../../scripts/build/packages.js'
import { staleFiles, writeFiles } from '../../scripts/generate/files.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-build-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function lay(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

function packageJson(name: string, version: string, more: object = {}): string {
  return JSON.stringify({ name, version, license: 'MIT', main: 'index.js', ...more })
}

const BUNDLER = `
  import { bundle } from ${JSON.stringify(new URL('../../scripts/build/bundle.js', import.meta.url))}
  process.on('message', async ({ folder, target }) => {
    process.chdir(folder)
    try {
      const files = await bundle(target)
      const texts = files.map(([name, { content }]) => [name, content.toString()])
      process.send({ files: Object.fromEntries(texts) })
    } catch ({ message }) {
      process.send({ message })
    }
  })`

/** One process for all bundles, because the bundler cannot be loaded in jest's virtual machine. */
const bundler = spawn(process.execPath, ['--input-type=module', '-e', BUNDLER], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
})
const ended = once(bundler, 'exit').then(() => [{ files: {}, message: 'the bundler ended' }])
afterAll(() => {
  bundler.kill()
  return ended
})

/** The files of a bundle by path. */
async function bundle(target: object): Promise<Record<string, string>> {
  bundler.send({ folder, target })
  const [{ files, message }] = await Promise.race([once(bundler, 'message'), ended])
  if (message !== undefined) throw new Error(message)
  return files
}

test('the notices name every bundled package: joined, CommonJS, scoped, nested, dynamic', async () => {
  await lay({
    'package.json': '{"type":"module"}',
    'entry.js': `import { joined } from 'joined'
      import common from 'common'
      import { scoped } from '@some/scoped'
      const { later } = await import('later')
      console.log(joined, common, scoped, later)`,
    'node_modules/joined/package.json': packageJson('joined', '1.0.0', { type: 'module' }),
    'node_modules/joined/index.js': 'export const joined = 1',
    'node_modules/joined/LICENSE': 'text of joined\r\n',
    'node_modules/common/package.json': packageJson('common', '2.0.0'),
    'node_modules/common/index.js': `module.exports = require('nested')`,
    'node_modules/common/license.md': 'text of common',
    'node_modules/common/NOTICE': 'notice of common',
    'node_modules/common/node_modules/nested/package.json': packageJson('nested', '3.0.0'),
    'node_modules/common/node_modules/nested/index.js': 'module.exports = 3',
    'node_modules/@some/scoped/package.json': packageJson('@some/scoped', '4.0.0', {
      type: 'module',
    }),
    'node_modules/@some/scoped/index.js': 'export const scoped = 4',
    'node_modules/later/package.json': packageJson('later', '5.0.0', { type: 'module' }),
    'node_modules/later/index.js': 'export const later = 5',
    'node_modules/unused/package.json': packageJson('unused', '6.0.0'),
    'node_modules/unused/index.js': 'module.exports = 6',
  })
  const files = await bundle({
    entry: 'entry.js',
    folder: 'out',
    file: 'index.js',
    format: 'module',
  })
  const written = files['out/licenses.txt'] ?? ''
  expect(written.match(/^\S+ \d\.\d\.\d \(MIT\)$/gm)).toEqual([
    '@some/scoped 4.0.0 (MIT)',
    'common 2.0.0 (MIT)',
    'joined 1.0.0 (MIT)',
    'later 5.0.0 (MIT)',
    'nested 3.0.0 (MIT)',
  ])
  expect(written).toContain('text of joined\n')
  expect(written).toContain('notice of common\n\ntext of common')
  expect(written).toContain('Licensed under MIT; the package brings no text of it.')
})

test('a package without a file of its licence is known by its readme, or by its siblings', async () => {
  const repository = { url: 'git+https://example.com/many.git' }
  const grant = 'Copyright (c) somebody\n\nPermission is hereby granted, free of charge, ...'
  await lay({
    'node_modules/told/package.json': packageJson('told', '1.0.0'),
    'node_modules/told/README.md': `# told\n\nIt tells.\n\nLicense\n-------\n\n${grant}\n`,
    'node_modules/named/package.json': packageJson('named', '1.0.0'),
    'node_modules/named/readme.md': '# named\n\n## License\n\nMIT\n',
    'node_modules/one/package.json': packageJson('one', '1.0.0', { repository }),
    'node_modules/other/package.json': packageJson('other', '1.0.0', { repository }),
    'node_modules/other/LICENSE': 'text of the repository',
  })
  const modules = ['told', 'named', 'one'].map((name) => join(folder, 'node_modules', name, 'a.js'))
  const [, named, one, told] = notices(modules).split(/\n-{72}\n\n/)
  expect(told).toBe(`told 1.0.0 (MIT)\n\n${grant}\n`)
  expect(named).toContain('Licensed under MIT; the package brings no text of it.')
  expect(one).toBe('one 1.0.0 (MIT)\n\ntext of the repository\n')
})

test.each(['commonjs', 'module'])(
  'a minified bundle (%s) holds what is used, in ASCII, with the names of functions, and runs',
  async (format) => {
    await lay({
      'package.json': '{"type":"module"}',
      'entry.js': `import * as library from 'library'
      const { later } = await import('./later.js')
      console.log(library.used('…'), later())`,
      'later.js': `import * as library from 'library'
      export const later = () => library.used('later →')`,
      'node_modules/library/package.json': packageJson('library', '1.0.0', {
        type: 'module',
        sideEffects: false,
      }),
      'node_modules/library/index.js': `export function used(text) { return text + used.name }
      const TABLE = /* @__PURE__ */ new Map([['left out', 1]])
      export function unused() { return TABLE.get('left out') }`,
    })
    const target = { entry: 'entry.js', folder: 'out', file: 'index.js', format }
    const files = await bundle(target)
    await lay(files)
    const code = Object.keys(files).filter((name) => name.endsWith('.js'))
    expect(code.length).toBe(2)
    expect(JSON.parse(files['out/package.json'] ?? '')).toEqual({ type: format })
    for (const name of code) expect(files[name]).not.toMatch(/[^\n -~]|left out/)
    const printed = execFileSync(process.execPath, ['out/index.js'], { cwd: folder })
    expect(printed.toString()).toBe('…used later →used\n')
  },
)

test('functions that webpack wraps around modules stay in parentheses, which the engine compiles immediately', async () => {
  await lay({
    'package.json': '{"type":"module"}',
    'entry.js': `import one from './one.cjs'\nimport two from './two.cjs'\nconsole.log(one, two)`,
    'one.cjs': 'module.exports = require("./two.cjs") + 1',
    'two.cjs': 'module.exports = 2',
  })
  const target = { entry: 'entry.js', folder: 'out', file: 'index.js', format: 'commonjs' }
  const files = await bundle(target)
  const code = files['out/index.js'] ?? ''
  const modules = code.match(/\d+:.(?=(\w+|\([\w, ]*\))=>\{)/g) ?? []
  expect(modules.length).toBeGreaterThanOrEqual(2)
  expect(modules.filter((start) => !start.endsWith('('))).toEqual([])
  expect(code).not.toContain('__eager__')
  await lay(files)
  const printed = execFileSync(process.execPath, ['out/index.js'], { cwd: folder })
  expect(printed.toString()).toBe('3 2\n')
})

test('the types of a bundle are in the same folder', async () => {
  await lay({ 'entry.js': 'export default 1', 'types.d.ts': 'export default 1' })
  const target = { entry: 'entry.js', folder: 'out', file: 'worker.js', format: 'module' }
  const files = await bundle({ ...target, types: 'types.d.ts' })
  expect(files['out/worker.d.ts']).toBe('export default 1')
})

test('an edit of a package fails when its new version says it otherwise', () => {
  expect(replaceOnce('a b c', 'b', 'x')).toBe('a x c')
  for (const text of ['a c', 'b b']) expect(() => replaceOnce(text, 'b', 'x')).toThrow('once: b')
})

test.each([
  ['a Node module', `import { readFileSync } from 'node:fs'\nreadFileSync('x')`, 'imports node:fs'],
  ['a second file', `await import('./later.js')`, 'must be one file'],
])('a portable bundle refuses %s', async (_, entry, message) => {
  await lay({
    'package.json': '{"type":"module"}',
    'entry.js': entry,
    'later.js': 'export const later = 1',
  })
  const target = {
    entry: 'entry.js',
    folder: 'out',
    file: 'worker.js',
    format: 'module',
    portable: true,
  }
  await expect(bundle(target)).rejects.toThrow(message)
})

test('the check of generated files names what is missing, left over, out of date or of the wrong mode', async () => {
  const file = (text: string, executable = false) => ({ content: text, executable })
  const at = (name: string) => join(folder, name)
  const wanted = new Map([
    [at('a/same.js'), file('1')],
    [at('a/changed.js'), file('1')],
    [at('a/missing.js'), file('1')],
    [at('a/started.js'), file('1', true)],
  ])
  const present = new Map([
    [at('a/same.js'), file('1')],
    [at('a/changed.js'), file('2')],
    [at('a/started.js'), file('1')],
    [at('a/old.js'), file('1')],
  ])
  await writeFiles({ files: present, folder: at('a') })
  expect(await staleFiles({ files: present, folder: at('a') })).toEqual([])
  expect(await staleFiles({ files: wanted, folder: at('a') })).toEqual([
    `${at('a/changed.js')} is out of date`,
    `${at('a/missing.js')} is missing`,
    `${at('a/old.js')} is left over`,
    `${at('a/started.js')} has the wrong mode`,
  ])
})

test.each([
  ['/x/node_modules/yaml/dist/a.js', '/x/node_modules/yaml'],
  ['/x/node_modules/@actions/core/lib/a.js', '/x/node_modules/@actions/core'],
  ['/x/node_modules/a/node_modules/b/i.js', '/x/node_modules/a/node_modules/b'],
  ['/x/build/entries/cli.js', undefined],
])('the package of %s is %s', (path, expected) => {
  expect(packageFolder(path)).toBe(expected)
})
