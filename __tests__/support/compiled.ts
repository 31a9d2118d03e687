import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Compiles src for tests that need processes of their own, each time anew: no build is taken for
 * granted. The packages are found from where the result lies.
 *
 * @returns the folder, for `import(`${folder}/state/store.js`)`
 */
export function compileSources(): { readonly folder: string; remove(): void } {
  const folder = join(ROOT, 'node_modules/.cache', `hookline-${process.pid}`)
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) compile(file, folder)
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

function compile(file: string, folder: string): void {
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, 'src', file), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  })
  const path = join(folder, file.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, outputText)
}
