import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

export interface Module {
  /** Path below the folder: `relay/relay.ts`. */
  readonly path: string
  /** The content of the file, if the module comes from one. */
  readonly text?: string
  /** Its imports of any form, including types; a module of the same folder by its path in it. */
  readonly imports: readonly string[]
  /** Global names that it uses: neither imported nor declared in the module. */
  readonly globals: ReadonlySet<string>
}

export function readModules(folder: string): Module[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = files.filter((file) => /\.tsx?$/.test(file)).sort()
  return paths.map((path) => parseModule(path, readFileSync(join(folder, path), 'utf8')))
}

export function parseModule(path: string, text: string): Module {
  const imports = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
  let names: Set<string> | undefined
  return {
    path,
    text,
    imports: imports.map((name) => fromRoot(path, name)),
    // Computed on demand, because it is by far the slowest part.
    get globals() {
      names ??= globals(text)
      return names
    },
  }
}

/** An import cycle that contains one of the modules, if there is one. */
export function findCircle(modules: readonly Module[]): string[] | undefined {
  const byPath = new Map(modules.map((module) => [module.path, module]))
  const done = new Set<string>()
  const walk = (path: string, trail: string[]): string[] | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path]
    if (done.has(path)) return undefined
    done.add(path)
    for (const next of byPath.get(path)?.imports ?? []) {
      const circle = walk(next, [...trail, path])
      if (circle) return circle
    }
    return undefined
  }
  for (const { path } of modules) {
    const circle = walk(path, [])
    if (circle) return circle
  }
  return undefined
}

function fromRoot(path: string, name: string): string {
  return name.startsWith('.') ? relative('.', join(dirname(path), name)) : name
}

function globals(text: string): Set<string> {
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isDeclared(node)) declared.add(node.text)
    for (const name of uses(node)) used.add(name)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true))
  return new Set([...used].filter((name) => !declared.has(name)))
}

/**
 * `fetch`, `Date.now`, `new Date()`: a name, a member of a name, and a construction without
 * arguments.
 */
function uses(node: ts.Node): string[] {
  if (ts.isIdentifier(node)) return isDeclared(node) || isMember(node) ? [] : [node.text]
  if (ts.isNewExpression(node) && !node.arguments?.length) return [node.getText()]
  const isPair = ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)
  return isPair ? [node.getText()] : []
}

function isDeclared(node: ts.Identifier): boolean {
  const { parent } = node
  const declares =
    ts.isVariableDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isImportSpecifier(parent)
  return declares && parent.name === node
}

/** True for a name that is not a value itself: a member, or a name in a type. */
function isMember(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isTypeQueryNode(parent) || ts.isTypeReferenceNode(parent)) return true
  if (ts.isShorthandPropertyAssignment(parent)) return false
  return 'name' in parent && parent.name === node
}
