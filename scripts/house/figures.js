import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/**
 * Sizes and imports of the sources.
 *
 * @param {string} folder
 */
export function figures(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => /\.(tsx?|js)$/.test(path) && !path.endsWith('.d.ts')).sort()
  const read = files.map((path) => readModule(path, readFileSync(join(folder, path), 'utf8')))
  const lengths = read.map(({ lines }) => lines).sort((one, other) => one - other)
  const lines = sum(lengths)
  const code = sum(read.map((file) => file.code))
  const functions = sum(read.map((file) => file.functions))
  const usedOnce = read.flatMap((file) => file.usedOnce)
  const importers = new Map(files.map((path) => [path, 0]))
  for (const { imports } of read) {
    for (const path of new Set(imports)) importers.set(path, (importers.get(path) ?? 0) + 1)
  }
  return {
    files: files.length,
    lines,
    median: percentile(lengths, 0.5),
    ninetieth: percentile(lengths, 0.9),
    importsPerThousand: (sum(read.map(({ imports }) => imports.length)) / code) * 1000,
    usedOnce: usedOnce.length / functions,
    // The files of senders are entries of a list, so none could be merged into its user.
    importedByOne: [...importers].filter(
      ([path, count]) => count === 1 && !path.includes('triggers/senders/'),
    ).length,
    folders: byFolder(read),
  }
}

/** @param {readonly ReturnType<typeof readModule>[]} read */
function byFolder(read) {
  const folders = [...new Set(read.map(({ path }) => path.split('/', 1)[0] ?? ''))]
  return folders.map((folder) => {
    const own = read.filter(({ path }) => path.startsWith(`${folder}/`))
    const usedOnce = own.flatMap((file) => file.usedOnce.map((name) => ({ path: file.path, name })))
    return { folder, functions: sum(own.map(({ functions }) => functions)), usedOnce }
  })
}

/**
 * @param {string} path
 * @param {string} text
 */
export function readModule(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imports = ts.preProcessFile(text, true, true).importedFiles
  const relative = imports.map(({ fileName }) => fileName).filter((name) => name.startsWith('.'))
  const uses = countNames(file)
  return {
    path,
    lines: text.split('\n').length - 1,
    /** Lines that are neither blank nor only a comment. */
    code: text.split('\n').filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length,
    /** Top-level functions, exported or not. */
    functions: file.statements.filter(ts.isFunctionDeclaration).length,
    imports: relative.map((name) => join(dirname(path), name)),
    /** Private top-level functions with one use. */
    usedOnce: privateFunctions(file).filter((name) => uses.get(name) === 2),
  }
}

/** @param {ts.SourceFile} file */
function privateFunctions(file) {
  return file.statements.flatMap((statement) => {
    if (!ts.isFunctionDeclaration(statement) || !statement.name) return []
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    return isExported ? [] : [statement.name.text]
  })
}

/** @param {ts.SourceFile} file */
function countNames(file) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isIdentifier(node)) counts.set(node.text, (counts.get(node.text) ?? 0) + 1)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return counts
}

/**
 * @param {readonly number[]} sorted
 * @param {number} share
 */
function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
