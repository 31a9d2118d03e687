import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  defaultSources,
  fileError,
  findSourceFiles,
  isNative,
  nativeFile,
  nativeFiles,
  readFile,
  readSource,
  watchGlobs,
  writeSource,
  writeText,
} from '../../src/cli/files.ts'
import { UserError } from '../../src/wire/errors.ts'

// The name of the folder itself looks like a glob.
const ROOT = join(realpathSync(mkdtempSync(join(tmpdir(), 'hookline-watch-'))), 'a+(b)')
afterAll(() => rmSync(join(ROOT, '..'), { recursive: true }))

let writes = 0
const write = (file: string) => writeFileSync(join(ROOT, file), `on: webhook # ${++writes}`)
for (const folder of ['workflows', 'workflows/deep', 'docs']) {
  mkdirSync(join(ROOT, folder), { recursive: true })
  write(`${folder}/hook.yml`)
}
write('hook.yml')

test.each<[string, string, readonly string[]]>([
  ['a file', 'workflows/hook.yml', ['workflows/hook.yml']],
  ['a file from here', './workflows/hook.yml', ['workflows/hook.yml']],
  ['a pattern', 'workflows/*.yml', ['workflows/hook.yml']],
  ['a pattern from here', './workflows/*.yml', ['workflows/hook.yml']],
  ['an absolute file', `${ROOT}/workflows/hook.yml`, ['workflows/hook.yml']],
  ['an absolute pattern', `${ROOT}/workflows/*.yml`, ['workflows/hook.yml']],
  ['folders in between', './work*/**/hook.yml', ['workflows/deep/hook.yml', 'workflows/hook.yml']],
  ['a file of the root', './hook.yml', ['hook.yml']],
])('a change is seen in files found by %s', async (_, glob, files) => {
  const globs = [glob, '!docs/**']
  expect(findSourceFiles(ROOT, globs).map(({ file }) => file)).toEqual(files)
  const watcher = await watchGlobs({ root: ROOT, globs })
  try {
    await once(watcher, 'ready')
    for (const file of files) {
      write(file)
      const [, path] = await once(watcher, 'all')
      expect(relative(ROOT, path).split(sep).join('/')).toBe(file)
    }
  } finally {
    await watcher.close()
  }
})

test('additional paths are watched, relative or absolute, and no others', async () => {
  const more = ['./.env', join(ROOT, 'docs')]
  const watcher = await watchGlobs({
    root: ROOT,
    globs: ['workflows/*.yml'],
    more,
  })
  try {
    await once(watcher, 'ready')
    write('hook.yml')
    for (const file of ['.env', 'docs/hook.yml']) {
      write(file)
      const [, path] = await once(watcher, 'all')
      expect(relative(ROOT, path).split(sep).join('/')).toBe(file)
    }
  } finally {
    await watcher.close()
  }
})

test.each([
  ['workflows', ['workflows/deep/hook.yml', 'workflows/hook.yml']],
  ['workflows//', ['workflows/deep/hook.yml', 'workflows/hook.yml']],
  ['workflows/deep', ['workflows/deep/hook.yml']],
])('the folder %s is all of its files', (folder, files) => {
  expect(findSourceFiles(ROOT, [folder]).map(({ file }) => file)).toEqual(files)
})

test('changes in the folders of git and of packages are not seen', async () => {
  for (const folder of ['node_modules/a', '.git/a']) {
    mkdirSync(join(ROOT, folder), { recursive: true })
  }
  const watcher = await watchGlobs({ root: ROOT, globs: ['**/*.yml'] })
  const seen: string[] = []
  watcher.on('all', (_, path) => void seen.push(relative(ROOT, path)))
  try {
    await once(watcher, 'ready')
    for (const folder of ['node_modules/a/', '.git/a/', '']) write(`${folder}last.yml`)
    while (!seen.includes('last.yml')) await once(watcher, 'all')
    expect(new Set(seen)).toEqual(new Set(['last.yml']))
  } finally {
    await watcher.close()
    rmSync(join(ROOT, 'last.yml'))
  }
})

describe('the files of a repository', () => {
  let root: string
  beforeEach(() => {
    root = join(realpathSync(mkdtempSync(join(ROOT, 'repository-'))), 'clone')
    mkdirSync(root)
  })
  const put = (file: string, content: string | Uint8Array = '') => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), content)
  }
  const problemsOf = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      if (error instanceof UserError) return error.problems
      throw error
    }
    throw new Error('it works')
  }

  test('are those that GitHub reads, sorted by name', () => {
    expect(nativeFiles(root)).toEqual([])
    expect(nativeFile(root, 'a')).toBeUndefined()
    for (const name of ['b.yml', 'a.yaml', 'c.yml.txt', 'd.yaml', 'd.yml', 'e-yml']) {
      put(`.github/workflows/${name}`)
    }
    expect(nativeFiles(root)).toEqual(
      ['a.yaml', 'b.yml', 'd.yaml', 'd.yml'].map((name) => ({
        ...{ name: name.slice(0, 1), file: `.github/workflows/${name}` },
      })),
    )
    expect(['a', 'b', 'd', 'e'].map((name) => nativeFile(root, name))).toEqual([
      ...['.github/workflows/a.yaml', '.github/workflows/b.yml', '.github/workflows/d.yml'],
      undefined,
    ])
    const files = ['.github/workflows/a.yml', '.github/workflow/a.yml', 'a/.github/workflows/a.yml']
    expect(files.map((file) => isNative({ name: 'a', file }))).toEqual([true, false, false])
  })

  test('are none by default if there are none', () => {
    expect(defaultSources(root)).toEqual([])
    put('workflows/a.yml')
    expect(defaultSources(root)).toEqual([{ name: 'a', file: 'workflows/a.yml' }])
  })

  test.each([
    ['with Unix line breaks', 'a\r\nb\rc', { text: 'a\nb\nc' }],
    ['without a byte order mark', '\ufeffa', { text: 'a' }],
    ['with a zero', 'a\0\r\n', { text: 'a\0\n' }],
    [
      'in UTF-16',
      new Uint8Array([0xff, 0xfe, 0x61, 0]),
      { text: 'a', misread: [expect.objectContaining({ code: 'not-utf8' })] },
    ],
    [
      'with a byte that is no UTF-8',
      new Uint8Array([0x61, 0xff]),
      { text: 'a\ufffd', misread: [expect.objectContaining({ code: 'not-utf8' })] },
    ],
  ])('are read %s', (_, content, expected) => {
    put('a.yml', content)
    expect(readSource(root, 'a.yml')).toEqual({ name: 'a.yml', file: 'a.yml', ...expected })
  })

  test('are not read if they are missing, or elsewhere', () => {
    put('workflows/a.yml')
    put('../out.yml')
    symlinkSync(join(root, '../out.yml'), join(root, 'workflows/link.yml'))
    symlinkSync(join(root, 'workflows/a.yml'), join(root, 'inside.yml'))
    expect(readSource(root, 'inside.yml').text).toBe('')
    const of = (file: string) => problemsOf(() => readSource(root, file))
    const code = 'no-file'
    expect(of('b.yml')).toEqual([
      { code, message: 'b.yml: no such file or directory (ENOENT)', hint: 'Check the path.' },
    ])
    expect(of('workflows')).toEqual([
      { code, message: 'workflows: the path is a directory (EISDIR)', hint: 'Name a file.' },
    ])
    expect(of('a\0.yml')).toEqual([{ code, message: 'a\0.yml cannot be read' }])
    expect(of('workflows/link.yml')).toEqual([
      { code, message: 'workflows/link.yml is a link that leads out of the repository' },
    ])
    expect(of('../out.yml')).toEqual([
      {
        ...{ code, message: '../out.yml is outside of this folder' },
        hint: 'Run the command at the root of the repository that has the file.',
      },
    ])
  })

  const ROOT_ACTION = 'steps: [{ uses: ./ }]'
  const OWN = readFileSync(join(import.meta.dirname, '../../action.yml'), 'utf8')
  test.each<[string, string, Record<string, string>, boolean | undefined]>([
    ['of Hookline', ROOT_ACTION, { 'action.yml': OWN.replaceAll('\n', '\r\n') }, false],
    ['of Hookline, in .yaml', ROOT_ACTION, { 'action.yaml': OWN }, false],
    ['of another name', ROOT_ACTION, { 'action.yml': 'name: a' }, true],
    ['with mistakes', ROOT_ACTION, { 'action.yml': '{' }, true],
    ['that is missing', ROOT_ACTION, {}, true],
    ['that no step uses', 'steps: [{ uses: ./a }]', {}, undefined],
    ['in quotes', '"uses" : "./"', {}, true],
    ['of replies', 'uses: ./reply//', {}, true],
    ['of replies, by a variable', 'uses: $/reply # a', {}, true],
    ['of another folder', 'uses: ./replies', {}, undefined],
    ['that is no key', 'name: ./', {}, undefined],
  ])('tell which action ./ is: one %s', (_, text, files, hasOtherAction) => {
    put('a.yml', text)
    for (const [file, content] of Object.entries(files)) put(file, content)
    expect(readSource(root, 'a.yml')).toEqual({
      ...{ name: 'a.yml', file: 'a.yml', text },
      ...(hasOtherAction !== undefined && { hasOtherAction }),
    })
  })

  test('are written through a link, in their own form, and nothing else is left', () => {
    put('real.yml', '\ufeffa\r\n')
    symlinkSync('real.yml', join(root, 'link.yml'))
    put('elsewhere.yml', 'x')
    symlinkSync('elsewhere.yml', join(root, 'real.yml.part'))
    writeSource(root, 'link.yml', 'b\nc\n')
    expect(readFileSync(join(root, 'real.yml'), 'utf8')).toBe('\ufeffb\r\nc\r\n')
    expect(readFileSync(join(root, 'elsewhere.yml'), 'utf8')).toBe('x')
    expect(readdirSync(root).sort()).toEqual(['elsewhere.yml', 'link.yml', 'real.yml'])
  })

  test('are written with their permissions and time', () => {
    const file = join(root, 'a')
    writeText(file, 'a', { mode: 0o600, modified: new Date('2026-01-02T00:00:00Z') })
    const { mode, mtime } = statSync(file)
    expect([mode & 0o777, mtime.toISOString()]).toEqual([0o600, '2026-01-02T00:00:00.000Z'])
    const start = Date.now() - 60_000
    writeText(file, 'b')
    expect(statSync(file).mtimeMs).toBeGreaterThan(start)
    expect(statSync(file).mode & 0o777).not.toBe(0o600)
  })

  test('that cannot be written stay, with an error that names the option', () => {
    mkdirSync(join(root, 'folder/a'), { recursive: true })
    const file = join(root, 'folder')
    const what = 'the path is a directory (EISDIR)'
    const hint = 'Name a file.'
    expect(problemsOf(() => writeText(file, 'a'))).toEqual([{ message: `${file}: ${what}`, hint }])
    expect(problemsOf(() => writeText(file, 'a', { option: '--out' }))).toEqual([
      { message: `--out ${file}: ${what}`, hint },
    ])
    expect(readdirSync(root)).toEqual(['folder'])
    const missing = join(root, 'missing/a')
    expect(problemsOf(() => writeText(missing, 'a'))).toEqual([
      { message: `${missing}: no such file or directory (ENOENT)`, hint: 'Check the path.' },
    ])
  })

  test('of an option are read as bytes', () => {
    put('a', new Uint8Array([0, 255]))
    expect(readFile(join(root, 'a'), '--file')).toEqual(new Uint8Array([0, 255]))
    expect(problemsOf(() => readFile(root, '--file'))).toEqual([
      { message: `--file ${root}: the path is a directory (EISDIR)`, hint: 'Name a file.' },
    ])
  })

  test('an error of ours is no problem of a file', () => {
    const bug = new TypeError('a bug')
    expect(fileError(bug, 'a')).toBe(bug)
    const error = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const told = fileError(error, 'a')
    if (!(told instanceof UserError)) throw told
    expect([told.cause, told.problems[0]?.message]).toEqual([
      error,
      'a: no space left on the device (ENOSPC)',
    ])
  })
})
