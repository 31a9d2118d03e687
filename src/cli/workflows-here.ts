import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Minimatch } from 'minimatch'
import { DEFAULT_GLOB, expressionContexts } from '../action/inputs.ts'
import { workflowFileSource } from '../action/workflow-files.ts'
import { NO_OTHER_FILES, RuleFile } from '../check/rule.ts'
import { misplacedTriggers } from '../check/rules/misplaced-trigger.ts'
import type { NamedFile } from '../compiler/compiled-files.ts'
import { mayUseAction, readInlineOn, readNativeWorkflow } from '../compiler/native.ts'
import {
  type FoundTrigger,
  foundTriggers,
  polledTriggers,
  readAllWorkflows,
} from '../engine/all-workflows.ts'
import type { WorkflowSource } from '../engine/engine-ports.ts'
import { TRIGGERS } from '../triggers/index.ts'
import {
  type Finding,
  type Problem,
  readOrUndefined,
  type Source,
  UserError,
} from '../wire/errors.ts'
import { type Json, record } from '../wire/json.ts'
import { isWorkflowName } from '../wire/path.ts'
import type { Environment } from '../wire/settings.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { asFindings } from '../workflow/mistakes.ts'
import { readWorkflowFile, type Workflow } from '../workflow/workflow.ts'
import { parseYaml } from '../workflow/yaml.ts'
import { findSourceFiles, isNative, NATIVE_FOLDER, nativeFiles, readSource } from './files.ts'

const ADVICE = ['make one with: hookline init']

interface DevWorkflowOptions {
  readonly root: string
  readonly globs: readonly string[]
  readonly contexts: Contexts
}

/**
 * The workflows that can be tried on this machine: workflow files, and the triggers that native workflow files
 * give the action inline. If two files have one name, the workflow file counts, because the native one is compiled from it.
 */
export function devWorkflowSource({ root, globs, contexts }: DevWorkflowOptions): WorkflowSource {
  // A native workflow gives the action its triggers in a step, also if a glob names its file.
  const asked = (readOrUndefined(() => findSourceFiles(root, globs)) ?? []).filter(isNative)
  const natives = () => (asked.length > 0 ? asked : nativeFiles(root))
  const sources = [...globs, `!${NATIVE_FOLDER}/**`]
  const matcher = (glob: string) => new Minimatch(glob)
  const options = { root, globs: sources, matcher, advice: ADVICE }
  const files = workflowFileSource({ ...options, calling: '', contexts })
  const hasTriggers = ({ name, file }: NamedFile) => {
    try {
      return readInline(root, name, file, contexts) !== undefined
    } catch (error) {
      if (error instanceof UserError) return true // so that its mistakes are shown
      throw error
    }
  }
  return {
    calling: '',
    names() {
      const inline = natives()
        .filter(hasTriggers)
        .map(({ name }) => name)
      // A file that was asked for by name, and is not there, is told.
      const isDefault = globs.length === 1 && globs[0] === DEFAULT_GLOB
      const isAsked = !isDefault && asked.length === 0
      try {
        return [...new Set([...files.names(), ...inline])]
      } catch (error) {
        // No workflow file at all is a mistake only where nothing stands inline either.
        if (isAsked || !(error instanceof UserError)) throw error
        if (inline.length > 0) return inline
        throw withAdvice(root, error)
      }
    },
    find(name) {
      const own = files.find(name)
      const file = own ? undefined : natives().find((native) => native.name === name)?.file
      return file === undefined ? own : readInline(root, name, file, contexts)
    },
  }
}

/** The advice if there is no trigger at all; files that should have one are named. */
function withAdvice(root: string, error: UserError): UserError {
  const notes = nativeSources(root).flatMap(({ name, source }) => {
    try {
      if (mayUseAction(source.text) && readNativeWorkflow(name, source)) {
        return `${source.file} gives the action no triggers: write them under "with:" as "on: |"`
      }
      const [problem] = misplacedTriggers(
        new RuleFile({ source, document: parseYaml(source) }, NO_OTHER_FILES),
      )
      return problem ? `${source.file}: ${problem.message}: ${problem.hint}` : []
    } catch {
      return [] // with mistakes of which GitHub tells
    }
  })
  const problems = error.problems.map((problem) => ({ ...problem, notes }))
  return notes.length > 0 ? new UserError(problems, { cause: error }) : error
}

/**
 * The findings of `check` for the workflow files here, errors first, and what they lack on this machine, such
 * as a secret.
 */
export async function devFindings(
  { root, globs }: Pick<DevWorkflowOptions, 'root' | 'globs'>,
  open: () => WorkflowSource,
): Promise<Finding[]> {
  const { findingsIn } = await import('./build-workflows.ts')
  const sources = (readOrUndefined(() => findSourceFiles(root, globs)) ?? []).filter(
    (file) => !isNative(file),
  )
  const files = [...sources, ...nativeFiles(root)].flatMap((named) => {
    const source = readOrUndefined(() => readSource(root, named.file))
    // Triggers alone, for the action to read, are not compiled: of them the engine tells.
    return source && (isNative(named) || HAS_JOBS.test(source.text)) ? { ...named, source } : []
  })
  const { findings } = await findingsIn(files, { root })
  const reported = new Set(findings.map(problemKey))
  const others = readAllWorkflows(open).problems.filter(
    (problem) => !reported.has(problemKey(problem)),
  )
  return [...asFindings(others, 'error'), ...findings]
}

const HAS_JOBS = /^['"]?jobs['"]?\s*:/m

function problemKey({ position, message }: Problem): string {
  return `${position?.source.file}:${position?.line}:${message}`
}

function nativeSources(root: string): { readonly name: string; readonly source: Source }[] {
  return nativeFiles(root).flatMap(({ name, file }) => {
    const source = readOrUndefined(() => readSource(root, file))
    return source ? { name, source } : []
  })
}

function readInline(
  root: string,
  name: string,
  file: string,
  contexts: Contexts,
): Workflow | undefined {
  const source = readSource(root, file)
  return mayUseAction(source.text) ? readInlineOn(name, source, contexts) : undefined
}

/**
 * Placeholders for a secret that is not set here. One of them has the form that its option requires: a
 * key in hex or base64, or a bot's token.
 */
const STAND_INS = ['0123456789abcdef'.repeat(4), `123456789:${'A'.repeat(35)}`]

/** Whether a value of a trigger here is not secret. */
export function isStandIn(value: string): boolean {
  return STAND_INS.includes(value)
}

/**
 * The triggers that receive webhooks, of the workflow files here. A file with mistakes has none, nor one
 * whose name no webhook URL can carry.
 */
export function triggersHere(): FoundTrigger[] {
  return foundTriggers('', workflowsToAsk(process.env)).filter(({ workflow }) =>
    isWorkflowName(workflow),
  )
}

/** The triggers of the files here that poll: `bot/messaging_bot`. */
export function polledHere(env: Environment): string[] {
  return polledTriggers(workflowsToAsk(env))
}

/**
 * The same, of a workflow whose files are not in this folder.
 *
 * @param files the native file, and its source if the action reads the triggers there
 */
export function triggersIn(
  name: string,
  files: readonly Source[],
  env: Environment,
): FoundTrigger[] {
  const source = files.at(-1)
  if (!source) return []
  const workflows = workflowsWith(env, [source.text], (contexts) => {
    const workflow = readOrUndefined(() =>
      source.file.startsWith(`${NATIVE_FOLDER}/`)
        ? readInlineOn(name, source, contexts)
        : readWorkflowFile(name, source, { contexts, triggers: TRIGGERS }),
    )
    return workflow ? [workflow] : []
  })
  return foundTriggers('', workflows)
}

function workflowsToAsk(env: Environment): Workflow[] {
  const root = process.cwd()
  return workflowsWith(env, textsHere(root), (contexts) => {
    const source = devWorkflowSource({ root, globs: [DEFAULT_GLOB], contexts })
    return readAllWorkflows(() => source).found
  })
}

/** Reads workflows with the values of the secrets and variables that their files name. */
function workflowsWith(
  env: Environment,
  texts: readonly string[],
  read: (contexts: Contexts) => readonly Workflow[],
): Workflow[] {
  const named = texts.flatMap((text) => [...text.matchAll(/\b(?:secrets|vars)\.([A-Za-z_]\w*)/g)])
  const names = [...new Set(named.map(([, name = '']) => name))]
  // A value of the environment that its option does not take counts as not known.
  const environments = names.some((name) => env[name]) ? [env, {}] : [env]
  const readings = environments.flatMap((known: Environment) =>
    STAND_INS.map((standIn) => {
      const values = record<Json>(names.map((name) => [name, known[name] || standIn]))
      return read(expressionContexts(env, {}, { secrets: values, vars: values }))
    }),
  )
  const workflows = new Map(
    readings
      .reverse()
      .flat()
      .map((found) => [found.name, found]),
  )
  return [...workflows.values()]
}

/** The texts of all files here that may name a secret or a variable. */
function textsHere(root: string): string[] {
  const folder = join(root, 'workflows')
  const own = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.ya?ml$/.test(name),
      )
    : []
  return [
    ...own.map((name) => readFileSync(join(folder, name), 'utf8')),
    ...nativeSources(root).map(({ source }) => source.text),
  ]
}
