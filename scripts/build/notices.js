import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

const RULE = '-'.repeat(72)

/**
 * The notices of every package that has a module among the given files. ncc's own list misses the
 * packages whose modules were joined, so this one is made from what the compilation really read.
 *
 * @param {readonly string[]} modules paths of files
 * @returns {string}
 */
export function notices(modules) {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []))
  const texts = new Set([...folders].map(notice).sort())
  const count = `Third-party packages in this bundle: ${texts.size}\n`
  return [count, ...texts].join(`\n${RULE}\n\n`)
}

/**
 * The folder of the innermost package a file belongs to; `undefined` for a file of ours.
 *
 * @param {string} path
 */
export function packageFolder(path) {
  const parts = path.split(sep)
  const at = parts.lastIndexOf('node_modules')
  if (at < 0 || parts[at + 1]?.startsWith('.')) return undefined
  const nameParts = parts[at + 1]?.startsWith('@') ? 2 : 1
  return parts.slice(0, at + 1 + nameParts).join(sep)
}

/** @param {string} folder */
function notice(folder) {
  const { name, version, license } = JSON.parse(read(folder, 'package.json'))
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .map((file) => read(folder, file).replaceAll('\r\n', '\n').trim())
  if (texts.length === 0) texts.push(`Licensed under ${license}; the package brings no text of it.`)
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}

/**
 * @param {string} folder
 * @param {string} file
 */
function read(folder, file) {
  return readFileSync(join(folder, file), 'utf8')
}
