import { type Source, UserError } from '../wire/errors.ts'
import { isObject } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { type Contexts, ExpressionMistake, fillIn } from './expressions.ts'
import { readOnSection, type Workflow } from './workflow.ts'
import { parseYaml } from './yaml.ts'

/** The action by its name, of whatever owner and version, or the one of the same repository. */
const ACTION = /^(?:[^@]*\/hookline(?:@.*)?|\.\/)$/

/**
 * Reads the triggers that a native workflow file gives the action in its input `on`.
 *
 * @returns `undefined` when no step does
 * @throws UserError with the problems of the file, or of an input
 */
export function readInlineOn(
  name: string,
  source: Source,
  contexts: Contexts,
): Workflow | undefined {
  const workflow: unknown = parseYaml(source).toJS({ maxAliasCount: LIMITS.yamlAliases })
  const texts = steps(workflow).flatMap(inputOn)
  if (texts.length === 0) return undefined
  const sections = texts.map((text) => readSection(name, text, source, contexts))
  return { name, triggers: sections.flatMap(({ triggers }) => triggers) }
}

/** GitHub fills in the `${{ }}` of an input before the action reads it. */
function readSection(name: string, text: string, { file }: Source, contexts: Contexts): Workflow {
  const filled = filledIn(text, file, contexts)
  return readOnSection(name, { name: `input "on" of ${file}`, text: filled, file }, contexts)
}

function filledIn(text: string, file: string, contexts: Contexts): string {
  try {
    return String(fillIn(text, contexts))
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error
    throw new UserError({ message: `input "on" of ${file}: ${error.message}` }, { cause: error })
  }
}

function steps(workflow: unknown): unknown[] {
  const jobs = isObject(workflow) && isObject(workflow.jobs) ? Object.values(workflow.jobs) : []
  return jobs.flatMap((job) => (isObject(job) && Array.isArray(job.steps) ? job.steps : []))
}

function inputOn(step: unknown): string[] {
  if (!isObject(step) || typeof step.uses !== 'string' || !ACTION.test(step.uses)) return []
  const on = isObject(step.with) ? step.with.on : undefined
  return typeof on === 'string' && on.trim() !== '' ? [on] : []
}
