import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CompileOptions, compile } from '../../../src/compiler/compile.ts'
import {
  COMPILER_SETTINGS,
  type CompilerSettings,
} from '../../../src/compiler/compiler-settings.ts'
import { readSourceFile, type SourceFile } from '../../../src/compiler/source-file.ts'
import { ofLevel, UserError } from '../../../src/wire/errors.ts'
import { byLevel } from '../../support/findings.ts'

type NamedText = readonly [name: string, text: string]

const OWN = workflowsIn('../workflows/')

/** Names of the fixtures, each a workflow in the shape of public ones. */
export const FIXTURES: readonly string[] = OWN.map(([name]) => name)

/** Whole workflow files of every style, by name: the fixtures, and the examples of the repository. */
export const WORKFLOWS: readonly NamedText[] = [
  ...OWN,
  ...workflowsIn('../../../examples/workflows/'),
]

function workflowsIn(folder: string): NamedText[] {
  const path = fileURLToPath(new URL(folder, import.meta.url))
  return readdirSync(path)
    .filter((file) => file.endsWith('.yml'))
    .map((file) => [file.replace('.yml', ''), readFileSync(path + file, 'utf8')] as const)
}

export function sourceFile(text: string, name = 'hook'): SourceFile {
  const file = `workflows/${name}.yml`
  return readSourceFile(name, { name: file, file, text })
}

export interface CompiledTexts {
  /** The file that GitHub starts: the only one, or the one that listens. */
  readonly main: string
  /** The file with the jobs: the same one, or the one that is called. */
  readonly jobs: string
  readonly isOne: boolean
  readonly notices: readonly string[]
}

/** The settings as those of the repository. */
export function withSettings<Options extends object>(options: Options & CompilerSettings) {
  const names = COMPILER_SETTINGS.map(({ name }) => name)
  const given = names.filter((name) => options[name] !== undefined)
  if (given.length === 0) return options
  const values = Object.fromEntries(given.map((name) => [name, options[name]]))
  return { ...options, repository: { values, positions: new Map(), problems: [] } }
}

export async function compileText(
  text: string,
  {
    name = 'hook',
    ...options
  }: Partial<CompileOptions> & CompilerSettings & { name?: string } = {},
): Promise<CompiledTexts> {
  const compiled = await compile(sourceFile(text, name), withSettings(options))
  const errors = ofLevel(compiled.findings, 'error')
  if (errors.length > 0) throw new UserError(errors)
  byLevel(compiled)
  const [main, called] = compiled.files
  return {
    main: main?.text ?? '',
    jobs: (called ?? main)?.text ?? '',
    isOne: called === undefined,
    notices: compiled.findings.map(({ message }) => message),
  }
}

/** A whole workflow with one step of its own. */
export function withStep(step: string, on = 'webhook'): string {
  return `on: ${on}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${step}\n`
}
