import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { findSourceFiles, watchGlobs } from '../../src/cli/files.ts'

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
