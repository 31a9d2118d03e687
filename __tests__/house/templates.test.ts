import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-templates-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('gh hookline', () => {
  const EXTENSION = fileURLToPath(new URL('templates/gh-extension/gh-hookline', ROOT))

  /** Runs the extension with only these programs installed; each prints its name and arguments. */
  function run(...programs: string[]) {
    for (const name of programs) {
      writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@"\n`)
      chmodSync(join(folder, name), 0o755)
    }
    const { status, stdout, stderr } = spawnSync('/bin/sh', [EXTENSION, 'check', 'a b'], {
      env: { PATH: folder },
      encoding: 'utf8',
    })
    return { status, stdout, stderr }
  }

  test('runs the installed command', () => {
    expect(run('hookline', 'npx')).toMatchObject({ status: 0, stdout: 'hookline check a b\n' })
  })

  test('runs the command from npm if it is not installed', () => {
    expect(run('npx')).toMatchObject({ status: 0, stdout: 'npx --yes hookline check a b\n' })
  })

  test('asks for Node if there is none', () => {
    const { status, stderr } = run()
    expect(status).toBe(1)
    expect(stderr).toContain('needs Node')
  })
})

test('the template and the starter workflow are what `hookline init` writes', async () => {
  const { exitCode } = await runShared(['init'], { cwd: folder })
  expect(exitCode).toBe(0)
  const written = readFileSync(join(folder, '.github/workflows/hook.yml'), 'utf8')
  const pinned = written.replace(/hookline@[0-9a-f]{40} # v[\d.]+$/m, 'hookline@v1')
  expect(read('templates/repository/.github/workflows/hook.yml')).toBe(pinned)
  expect(read('templates/starter-workflow/hook.yml')).toBe(pinned)
})

test('SchemaStore gets the address by which the schema knows itself', () => {
  const { url } = JSON.parse(read('templates/schemastore/catalog-entry.json'))
  const schema = JSON.parse(read('schema/hookline-workflow.json'))
  expect(url).toBe(schema.$id)
  expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#')
})

test('the properties of the starter workflow are those that GitHub reads', () => {
  const properties = JSON.parse(read('templates/starter-workflow/hook.properties.json'))
  // https://docs.github.com/actions/how-tos/reuse-automations/create-workflow-templates
  expect(Object.keys(properties)).toEqual(['name', 'description', 'iconName', 'categories'])
})
