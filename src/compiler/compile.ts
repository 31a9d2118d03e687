import { type Problem, UserError } from '../wire/errors.ts'
import { strayAliases } from './anchors.ts'
import { configProblems } from './config-problems.ts'
import { applyEdits, placeBefore } from './edits.ts'
import { callOutputLines } from './events.ts'
import { firstLine, hashOf } from './generated.ts'
import { workflowInputs } from './inputs.ts'
import { jobsFileEdits } from './jobs-file.ts'
import { listeningOf } from './listening.ts'
import { listeningFile } from './listening-file.ts'
import { compiledNames } from './names.ts'
import { nativeProblems } from './native-problems.ts'
import { notices } from './notices.ts'
import { planOf } from './plan.ts'
import { rewriteExpressions } from './rewrite.ts'
import type { SourceFile } from './source-file.ts'

export interface CompileOptions {
  /** The action that the listening job runs: `hookline/hookline@v1`. */
  readonly uses: string
  /** `none`, `file:<path>` or `branch:<name>`. */
  readonly state: string
}

/** What a workflow file became. */
export interface Compiled {
  readonly files: readonly CompiledFile[]
  /** What the user should hear of, though it is no error. */
  readonly notices: readonly Problem[]
  /** Where in the source a place of the jobs file comes from. */
  sourcePlace(place: number): number
}

export interface CompiledFile {
  /** Its name within `.github/workflows`. */
  readonly name: string
  readonly text: string
}

/** Compiles a workflow into two native ones. @throws UserError with all problems of the file */
export async function compile(file: SourceFile, options: CompileOptions): Promise<Compiled> {
  const { edits, problems } = rewriteExpressions(file)
  const all = [...problems, ...strayAliases(file), ...nativeProblems(file)]
  if (all.length > 0) throw new UserError(all)
  const plan = planOf(file)
  const impossible = configProblems(plan, options.state)
  if (impossible.length > 0) throw new UserError(impossible)
  const inputs = workflowInputs(file)
  const first = firstLine({ source: file.source.file, hash: await hashOf(file.source.text) })
  const names = compiledNames(file.name)
  const listening = listeningFile(listeningOf(file, plan, inputs, options))
  const changes = jobsFileEdits(file, edits, inputs, callOutputLines(file))
  const head = `${first}\n`
  return {
    files: [
      { name: names.listening, text: head + listening },
      { name: names.jobs, text: head + applyEdits(file.source.text, changes) },
    ],
    notices: notices(file, plan),
    sourcePlace: (place) => placeBefore(changes, Math.max(0, place - head.length)),
  }
}
