import { Script } from 'node:vm'
import { isMap } from 'yaml'
import {
  type Compiled,
  type CompiledFile,
  type CompileOptions,
  compile,
} from '../compiler/compile.ts'
import { type NamedFile, nameProblems } from '../compiler/names.ts'
import { readSourceFile, type SourceFile, type SourceTrigger } from '../compiler/source-file.ts'
import { findUntrusted } from '../compiler/untrusted/findings.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { hasExpression } from '../workflow/expressions.ts'
import { readSource } from './files.ts'

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

/** The options of `config` that are JavaScript. */
const SCRIPTS = ['filterScript', 'sortScript', 'format'] as const

/** Scripts that would not compile at run time. One with an expression in it is not known before. */
function scriptProblems({ triggers }: SourceFile): Problem[] {
  return triggers.flatMap((trigger) =>
    SCRIPTS.flatMap((option) => {
      const mistake = syntaxMistake(written(trigger, option))
      if (mistake === undefined) return []
      const message = `config.${option}: does not compile: ${mistake}`
      return [{ message, position: trigger.positionOf(['config', option]) }]
    }),
  )
}

/** As the file has it, before expressions are filled in; empty when it is not there. */
function written({ nodes: { options } }: SourceTrigger, option: string): string {
  const text = isMap(options) ? options.getIn(['config', option]) : undefined
  return typeof text === 'string' && !hasExpression(text) ? text : ''
}

function syntaxMistake(body: string): string | undefined {
  try {
    new Script(`(function () {\n${body}\n})`)
    return undefined
  } catch (error) {
    return (error as Error).message // of whichever realm, the engine throws nothing else
  }
}

/** What GitHub's own parser says of a workflow file. */
interface ParserMessage {
  readonly message: string
  /** Where, in characters of the text. */
  readonly start: number
  readonly end: number
}

/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
export async function githubMessages({ name, text }: CompiledFile): Promise<ParserMessage[]> {
  const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await import(
    '@actions/workflow-parser'
  )
  const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter())
  if (value) await convertWorkflowTemplate(context, value)
  const lines = text.split('\n')
  const offset = ({ line, column }: { readonly line: number; readonly column: number }) =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1
  return context.errors.getErrors().map(({ rawMessage, range }) => ({
    message: rawMessage,
    start: range ? offset(range.start) : 0,
    end: range ? offset(range.end) : 0,
  }))
}
