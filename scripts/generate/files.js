import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** @typedef {{ content: Buffer | string, executable?: boolean }} GeneratedFile */

/**
 * @typedef {object} GeneratedFiles
 * @property {ReadonlyMap<string, GeneratedFile>} files by their paths from the root
 * @property {string} [folder] a folder that may contain nothing else
 */

/** @param {GeneratedFiles} generated */
export async function writeFiles({ files, folder }) {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  for (const [path, { content, executable }] of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode: executable ? 0o755 : 0o644 })
  }
}

/**
 * Returns a line for each file that is missing, left over or different.
 *
 * @param {GeneratedFiles} generated
 * @returns {Promise<string[]>}
 */
export async function staleFiles({ files, folder }) {
  const present = folder === undefined ? [] : await filesIn(folder)
  const paths = [...new Set([...files.keys(), ...present])].sort()
  const found = await Promise.all(
    paths.map(async (path) => {
      const difference = await differenceOf(path, files.get(path))
      return difference === undefined ? [] : [`${path} ${difference}`]
    }),
  )
  return found.flat()
}

/**
 * @param {string} path
 * @param {GeneratedFile | undefined} wanted
 */
async function differenceOf(path, wanted) {
  if (!wanted) return 'is left over'
  const present = await readFile(path).catch(() => undefined)
  if (!present) return 'is missing'
  if (!present.equals(Buffer.from(wanted.content))) return 'is out of date'
  if (wanted.executable === undefined) return undefined
  const isExecutable = ((await stat(path)).mode & 0o100) > 0
  return isExecutable === wanted.executable ? undefined : 'has the wrong mode'
}

/** @param {string} folder */
async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
}
