import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/**
 * Names of types and functions that more than one file declares. A reader who searches for such a name
 * finds the wrong one. The exports of the files of senders are left out: they are a module contract
 * (`src/triggers/sender.ts`), so each file declares the same names.
 *
 * @param {readonly { path: string, text: string }[]} files
 * @returns {{ types: Duplicate[], functions: Duplicate[], exported: Duplicate[] }}
 *   sorted by name; `exported` has only exported names, of any kind
 *
 * @typedef {{ name: string, paths: string[] }} Duplicate
 */
export function duplicateNames(files) {
  const declared = files.flatMap(({ path, text }) => declarations(path, text))
  return {
    types: duplicates(declared.filter(({ isType }) => isType)),
    functions: duplicates(declared.filter(({ isFunction }) => isFunction)),
    exported: duplicates(declared.filter(({ isExported }) => isExported)),
  }
}

/** @param {string} folder */
export function readSources(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

/**
 * Files with the same name in different folders, by name. `index.ts` is the registry of its folder.
 *
 * @param {readonly { path: string }[]} files
 */
export function duplicateFiles(files) {
  const named = files.map(({ path }) => ({ path, name: path.split('/').at(-1) ?? '' }))
  return duplicates(named.filter(({ name }) => name !== 'index.ts'))
}

/** The exports that a file of a sender may have: a contract, so their names are no duplicates. */
const SENDER_PARTS = new Set([
  ...['facts', 'scheme', 'signing', 'handshake', 'signedResponses', 'payloads'],
])

/**
 * @param {string} path
 * @param {string} text
 */
function declarations(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false)
  return file.statements.flatMap((statement) => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      Boolean(ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    const common = { path, isExported }
    const isContract = (/** @type {string} */ name) =>
      isExported && path.startsWith('triggers/senders/') && SENDER_PARTS.has(name)
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
        const isFunction = initializer !== undefined && ts.isArrowFunction(initializer)
        return ts.isIdentifier(name) && !isContract(name.text)
          ? [{ ...common, name: name.text, isType: false, isFunction }]
          : []
      })
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    const isFunction = ts.isFunctionDeclaration(statement)
    if (!isType && !isFunction && !ts.isClassDeclaration(statement)) return []
    return statement.name
      ? [{ ...common, name: statement.name.text, isType: !isFunction, isFunction }]
      : []
  })
}

/**
 * @param {readonly { name: string, path: string }[]} declared
 * @returns {Duplicate[]}
 */
function duplicates(declared) {
  /** @type {Map<string, Set<string>>} */
  const paths = new Map()
  for (const { name, path } of declared) paths.set(name, (paths.get(name) ?? new Set()).add(path))
  return [...paths]
    .filter(([, all]) => all.size > 1)
    .map(([name, all]) => ({ name, paths: [...all].sort() }))
    .sort((one, other) => one.name.localeCompare(other.name))
}
