import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const RULE = '-'.repeat(72)

/**
 * The notices of every package with a module among the given files. ncc's own list lacks packages
 * whose modules were joined, so this list comes from the files of the compilation.
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
 * The folder of the innermost package of a file; `undefined` for a file of this repository.
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
  const { name, version, license } = manifest(folder)
  const texts = ownTexts(folder) ??
    siblingTexts(folder) ?? [`Licensed under ${license}; the package brings no text of it.`]
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`
}

/**
 * The license and notice files of a package, or the section "License" of its readme.
 *
 * @param {string} folder
 */
function ownTexts(folder) {
  const names = readdirSync(folder).sort()
  const files = names.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (files.length > 0) return files.map((file) => read(folder, file))
  const readme = names.find((file) => /^readme/i.test(file))
  const [, section] = (readme && read(folder, readme).match(LICENSE_SECTION)) || []
  return section?.includes('Permission is hereby granted') ? [section.trim()] : undefined
}

/** The section under a heading "License", in both syntaxes of Markdown headings. */
const LICENSE_SECTION = /^(?:#+ *licen[cs]e *|licen[cs]e *\n-+ *)\n(.*)/ims

/**
 * A package of a monorepo may leave its license file to its sibling packages.
 *
 * @param {string} folder
 */
function siblingTexts(folder) {
  const url = manifest(folder).repository?.url
  const around = dirname(folder)
  const siblings = url ? readdirSync(around).map((name) => join(around, name)) : []
  return siblings
    .filter((sibling) => existsSync(join(sibling, 'package.json')))
    .filter((sibling) => manifest(sibling).repository?.url === url)
    .map(ownTexts)
    .find((texts) => texts)
}

/** @param {string} folder */
function manifest(folder) {
  return JSON.parse(read(folder, 'package.json'))
}

/**
 * @param {string} folder
 * @param {string} file
 */
function read(folder, file) {
  return readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim()
}
