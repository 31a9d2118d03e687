import { isMap, type Node } from 'yaml'
import type { Json } from '../../wire/json.ts'
import type { SourceFile } from '../source-file.ts'
import type { Finding, JobStep } from './findings.ts'
import { asMap, child } from './scopes.ts'

/** What a script is written in, as far as it can be mended. */
export type Language = 'shell' | 'javascript'

/** `undefined` for every other language, and where only the run decides. */
export function languageOf(
  file: SourceFile,
  key: Finding['key'],
  step: JobStep,
): Language | undefined {
  if (key === 'run') return isPosixShell(shellOf(file, step)) ? 'shell' : undefined
  const uses = key === 'script' ? valueAt(file, step.node, ['uses']) : undefined
  return typeof uses === 'string' && /^actions\/github-script@/i.test(uses)
    ? 'javascript'
    : undefined
}

function isPosixShell(shell: unknown): boolean {
  return typeof shell === 'string' && /^(\S*\/)?(bash|sh)(\s|$)/.test(shell)
}

/** The nearest shell that is named; otherwise GitHub takes bash, but not on Windows. */
function shellOf(file: SourceFile, { job, node }: JobStep): unknown {
  return (
    valueAt(file, node, ['shell']) ??
    valueAt(file, job.node, ['defaults', 'run', 'shell']) ??
    valueAt(file, file.sections.get('defaults')?.value ?? null, ['run', 'shell']) ??
    (mayBeWindows(file, job.node) ? undefined : 'bash')
  )
}

function mayBeWindows(file: SourceFile, job: Node): boolean {
  const runner = JSON.stringify(valueAt(file, job, ['runs-on']) ?? '')
  const strategy = JSON.stringify(valueAt(file, job, ['strategy']) ?? '')
  const isUnknown = runner.includes('${{') && !/\$\{\{\s*matrix\./.test(runner)
  return (
    isUnknown ||
    /win|self-hosted/i.test(runner) ||
    (runner.includes('${{') && /win|\$\{\{/i.test(strategy))
  )
}

function valueAt(file: SourceFile, node: Node | null, path: readonly string[]): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return node?.toJS(file.document) as Json | undefined // YAML is JSON
  const next = isMap(node) ? child(asMap(node), key) : undefined
  return next ? valueAt(file, next, rest) : undefined
}
