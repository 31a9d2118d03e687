import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** @typedef {{ content: Buffer, executable: boolean }} File */
/** @typedef {Map<string, File>} Files by path */

/**
 * @param {URL} folder
 * @param {Files} files
 */
export async function write(folder, files) {
  for (const [name, { content, executable }] of files) {
    const path = join(fileURLToPath(folder), name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode: executable ? 0o755 : 0o644 })
  }
}

/**
 * What differs between a folder and the files it should hold, a line each.
 *
 * @param {URL} folder
 * @param {Files} files
 * @returns {Promise<string[]>}
 */
export async function differences(folder, files) {
  const present = await read(fileURLToPath(folder))
  const names = new Set([...files.keys(), ...present.keys()])
  return [...names].sort().flatMap((name) => {
    const difference = compare(files.get(name), present.get(name))
    return difference ? [`${name} ${difference}`] : []
  })
}

/**
 * @param {File | undefined} wanted
 * @param {File | undefined} present
 */
function compare(wanted, present) {
  if (!present) return 'is missing'
  if (!wanted) return 'is left over'
  if (!wanted.content.equals(present.content)) return 'differs'
  return wanted.executable === present.executable ? undefined : 'has the wrong mode'
}

/**
 * @param {string} folder
 * @returns {Promise<Files>}
 */
async function read(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const read = files.map(async (entry) => readOne(folder, join(entry.parentPath, entry.name)))
  return new Map(await Promise.all(read))
}

/**
 * @param {string} folder
 * @param {string} path
 * @returns {Promise<[string, File]>}
 */
async function readOne(folder, path) {
  const { mode } = await stat(path)
  return [relative(folder, path), { content: await readFile(path), executable: (mode & 0o100) > 0 }]
}
