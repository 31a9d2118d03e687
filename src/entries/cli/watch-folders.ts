import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds: editors write a file in several steps. */
const SETTLED = 100
export const NOT_SOURCES = /[\\/](?:\.git|node_modules)(?:[\\/]|$)/

/**
 * Calls `changed` at once, and again after every change in the folders that globs begin with, until
 * the process ends. It watches before the first call, so no change after that one goes unseen; a
 * change during a call leads to one more when it is done.
 */
export async function watchFolders(
  root: string,
  globs: readonly string[],
  changed: () => Promise<void>,
): Promise<void> {
  const { watch } = await import('chokidar')
  const folders = new Set(globs.map((glob) => join(root, baseOf(glob))))
  const watcher = watch([...folders], {
    ignoreInitial: true,
    ignored: (path) => NOT_SOURCES.test(path.slice(root.length)),
  })
  await once(watcher, 'ready')
  for (;;) {
    const change = once(watcher, 'all')
    await changed()
    await change
    await pause(SETTLED)
  }
}

/** The part of a glob before its first wildcard: `workflows` of `workflows/**`. */
export function baseOf(glob: string): string {
  const segments = glob.split('/')
  const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment))
  return segments.slice(0, wild < 0 ? -1 : wild).join('/') || '.'
}
