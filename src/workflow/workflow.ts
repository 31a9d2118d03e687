import { isMap } from 'yaml'
import type { Source } from '../wire/errors.ts'
import { isObject, type Json, record } from '../wire/json.ts'
import { ExpressionMistake } from './expression-text.ts'
import type { Contexts } from './expressions.ts'
import * as expressions from './expressions.ts'
import { FatalMistake } from './mistakes.ts'
import type { DeclaredTrigger } from './on.ts'
import type { Reading } from './options.ts'
import { sectionTriggers, triggersOf } from './section.ts'
import { nodeBelow, parseYaml } from './yaml.ts'

/** The parts of a workflow file that concern Hookline. */
export interface Workflow {
  /** The file name without its extension, as in webhook URLs. */
  readonly name: string
  readonly triggers: readonly DeclaredTrigger[]
}

/** The contexts of expressions, and the triggers that a section can declare. */
type Known = Pick<Reading, 'contexts' | 'triggers'>

/** Reads the `on:` section of a workflow file. @throws UserError with all problems of the file */
export function readWorkflowFile(name: string, source: Source, known: Known): Workflow {
  const document = parseYaml(source)
  const on = nodeBelow(document, document.contents, 'on')
  if (!on)
    throw new FatalMistake({
      code: 'not-a-workflow',
      message: `${source.name} has no "on:" section`,
    })
  const node = nodeBelow(document, document.contents, 'env')
  const env: unknown = isMap(node) ? node.toJS(document, { maxAliasCount: -1 }) : {}
  const contexts = contextsWithEnv(known.contexts, env)
  const reading = { source, document, ...known, contexts, expressions }
  return { name, triggers: triggersOf(reading, on) }
}

/**
 * The contexts with the `env` of the workflow, which is the environment of a compiled job. A
 * variable is left out if it reads a context that does not exist yet, such as `on`.
 */
export function contextsWithEnv(contexts: Contexts, env: unknown): Contexts {
  if (!isObject(env)) return contexts
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    try {
      const filled = expressions.fillIn(String(value ?? ''), contexts)
      return [[name, isObject(filled) || Array.isArray(filled) ? '' : String(filled ?? '')]]
    } catch (error) {
      if (error instanceof ExpressionMistake) return []
      throw error
    }
  })
  return { ...contexts, env: record<Json>([...Object.entries(contexts.env ?? {}), ...entries]) }
}

/** Reads the `on:` section in the input `on`. @throws UserError with all problems of the section */
export function readOnSection(name: string, source: Source, known: Known): Workflow {
  return { name, triggers: sectionTriggers(source, { ...known, expressions }) }
}
