import { relative, sep } from 'node:path'
import { baseOf, NOT_SOURCES } from '../cli/watch-folders.ts'

/** Milliseconds: editors write a file in several steps. */
const SETTLED = 100

/**
 * Calls `changed` after every change where workflow files can be: before the first wildcard of each
 * glob, and where GitHub reads them. The folders may not exist yet. It keeps no process alive.
 */
export async function watchWorkflows(
  root: string,
  globs: readonly string[],
  changed: () => void,
): Promise<void> {
  const { watch } = await import('chokidar')
  const folders = [...globs.map(baseOf), '.github/workflows']
  const isOnTheWay = (path: string) =>
    folders.some((folder) => folder === '.' || isWithin(path, folder) || isWithin(folder, path))
  const watcher = watch(root, {
    ignoreInitial: true,
    persistent: false,
    ignored(path) {
      const below = relative(root, path).split(sep).join('/')
      return below !== '' && (NOT_SOURCES.test(`/${below}`) || !isOnTheWay(below))
    },
  })
  let timer: NodeJS.Timeout | undefined
  watcher.on('all', () => {
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLED)
  })
  // Where nothing can be watched, files are still read at every request.
  watcher.on('error', () => {})
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}
