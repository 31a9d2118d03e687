import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NewFile } from '../../dev/init/kind.ts'
import { UserError } from '../../wire/errors.ts'

/** @throws UserError naming every file that is there already */
export function refuseExisting(root: string, files: readonly NewFile[]): void {
  const existing = files.filter(({ path }) => existsSync(join(root, path)))
  if (existing.length === 0) return
  throw new UserError(
    existing.map(({ path }) => ({
      message: `${path} is there already, and nothing is overwritten`,
      hint: 'take another --name, or move the file away',
    })),
  )
}

/** Writes files that are not there yet, and the folders they are in. */
export function writeNew(root: string, files: readonly NewFile[]): void {
  refuseExisting(root, files)
  for (const { path, text } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    // Fails on a file that came into being meanwhile.
    writeFileSync(join(root, path), text, { flag: 'wx' })
  }
}
