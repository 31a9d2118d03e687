import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * How often a reader of a flow goes from one file to another: for each called function, the number of
 * different names of our other files that it calls.
 *
 * @param {URL} built the folder of the compiled modules
 * @param {Record<string, readonly { readonly name: string, readonly start: number, readonly end: number, readonly isCalled: boolean }[]>} flow
 *   the functions of each file, with their positions in the compiled text
 */
export function switches(built, flow) {
  const called = new Set(
    Object.entries(flow).flatMap(([path, functions]) =>
      functions.flatMap(({ name, isCalled }) => (isCalled ? `${path} ${name}` : [])),
    ),
  )
  const found = new Set()
  for (const [path, functions] of Object.entries(flow)) {
    const text = readFileSync(new URL(path, built), 'utf8')
    for (const { name, start } of namesFromElsewhere(path, text)) {
      if (!called.has(name)) continue
      const own = functions.filter((one) => one.start <= start && start < one.end)
      // A reader is in the innermost of these functions.
      const none = { name: '', start: -1, end: 0, isCalled: false }
      const inner = own.reduce((least, one) => (one.start >= least.start ? one : least), none)
      if (inner.isCalled) found.add(`${path} ${inner.start} ${name}`)
    }
  }
  return found.size
}

/**
 * @param {string} path
 * @param {string} text
 */
function namesFromElsewhere(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  /** @type {Map<string, string>} */
  const imported = new Map()
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      continue
    const from = statement.moduleSpecifier.text
    const named = statement.importClause?.namedBindings
    if (!from.startsWith('.') || !named || !ts.isNamedImports(named)) continue
    const target = join(dirname(path), from).replace(/\.ts$/, '.js')
    for (const { name, propertyName } of named.elements) {
      imported.set(name.text, `${target} ${(propertyName ?? name).text}`)
    }
  }
  /** @type {{ name: string, start: number }[]} */
  const found = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node) && !ts.isImportSpecifier(node.parent)) {
      const name = imported.get(node.text)
      const isProperty = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
      if (name !== undefined && !isProperty) found.push({ name, start: node.getStart(file) })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}
