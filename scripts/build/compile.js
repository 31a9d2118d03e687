import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))

/** Compiles src/ to an empty build/, so that no file remains whose source was deleted. */
export async function compile() {
  await rm('build', { recursive: true, force: true })
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
}
