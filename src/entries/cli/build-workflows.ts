import { type Compiled, type CompileOptions, compile } from '../../compiler/compile.ts'
import { type NamedFile, nameProblems } from '../../compiler/names.ts'
import { readSourceFile, type SourceFile } from '../../compiler/source-file.ts'
import { findUntrusted } from '../../compiler/untrusted/findings.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { scriptProblems } from './script-problems.ts'
import { readSource } from './source-files.ts'

/** What became of one workflow file. */
export interface BuiltWorkflow {
  readonly source: NamedFile
  readonly file: SourceFile | undefined
  readonly compiled: Compiled | undefined
  /** What makes the file impossible to compile. */
  readonly problems: readonly Problem[]
  /** Where untrusted text would be run. */
  readonly untrusted: readonly Problem[]
  readonly notices: readonly Problem[]
}

/** Compiles workflow files in memory; the mistakes of one file do not hide those of another. */
export async function buildWorkflows(
  root: string,
  sources: readonly NamedFile[],
  options: CompileOptions,
): Promise<BuiltWorkflow[]> {
  const collisions = nameProblems(sources)
  if (collisions.length > 0) throw new UserError(collisions)
  return Promise.all(sources.map((source) => buildWorkflow(root, source, options)))
}

async function buildWorkflow(
  root: string,
  source: NamedFile,
  options: CompileOptions,
): Promise<BuiltWorkflow> {
  const nothing = { source, file: undefined, compiled: undefined, problems: [], untrusted: [] }
  try {
    const file = readSourceFile(source.name, readSource(root, source.file))
    if (file.triggers.length === 0) return { ...nothing, notices: [plainNotice(source)] }
    const mistakes = scriptProblems(file)
    if (mistakes.length > 0) throw new UserError(mistakes)
    const untrusted = findUntrusted(file).map(({ problem }) => problem)
    const compiled = await compile(file, options)
    return { ...nothing, file, compiled, untrusted, notices: compiled.notices }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { ...nothing, problems: error.problems, notices: [] }
  }
}

function plainNotice({ file }: NamedFile): Problem {
  return {
    message: `${file} has no trigger of Hookline, so it is not compiled`,
    notes: ['a workflow of GitHub events alone belongs into .github/workflows/ as it is'],
  }
}
