import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Editors write a file in several steps. */
const SETTLED = 100

/** Calls back whenever a file changes in the folders that globs begin with, until the process ends. */
export function watchFolders(
  root: string,
  globs: readonly string[],
  changed: () => Promise<void>,
): void {
  let timer: NodeJS.Timeout | undefined
  const folders = globs.map((glob) => join(root, baseOf(glob))).filter((path) => existsSync(path))
  for (const folder of new Set(folders)) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => void changed(), SETTLED)
    })
  }
}

/** The part of a glob before its first wildcard: `workflows` of `workflows/**`. */
function baseOf(glob: string): string {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment))
  return segments.slice(0, wild < 0 ? -1 : wild).join('/') || '.'
}
