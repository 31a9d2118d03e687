import { createTwoFilesPatch } from 'diff'
import { renderProblem } from '../../workflow/code-frame.ts'
import type { Build, ShownChange } from './build.ts'
import { problemJson } from './problem-json.ts'

/** Tells a person, or a program, what a build came to. @returns the exit code */
export function printBuild(
  build: Build,
  { json, check }: { readonly json: boolean | undefined; readonly check: boolean | undefined },
): number {
  const isStale = check === true && build.changes.some(({ status }) => status !== 'unchanged')
  const code = build.errors.length > 0 || isStale ? 1 : 0
  if (json) {
    process.stdout.write(`${JSON.stringify(buildJson(build, code))}\n`)
    return code
  }
  for (const problem of build.warnings) tell(renderProblem(problem, 'warning'))
  for (const problem of build.errors) tell(renderProblem(problem))
  for (const { file, count } of build.fixed) print(`fixed ${file}: ${count} moved into env`)
  for (const change of build.changes) print(check ? difference(change) : done(change))
  if (isStale)
    tell('error: compiled files are not up to date: run "hookline build" and commit them')
  return code
}

function buildJson({ changes, errors, warnings, fixed }: Build, code: number) {
  return {
    ok: code === 0,
    files: changes.map(({ path, source, status }) => ({ path, source, status })),
    fixed,
    problems: [
      ...errors.map((problem) => problemJson(problem, 'error')),
      ...warnings.map((problem) => problemJson(problem, 'warning')),
    ],
  }
}

const VERBS = { new: 'wrote', changed: 'wrote', unchanged: 'unchanged', stale: 'removed' } as const

function done({ path, source, status }: ShownChange): string {
  return `${VERBS[status]} ${path} (from ${source})`
}

function difference({ path, status, before, after }: ShownChange): string {
  if (status === 'unchanged') return `up to date ${path}`
  return createTwoFilesPatch(path, path, before, after, status, 'compiled now').trimEnd()
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`)
}
