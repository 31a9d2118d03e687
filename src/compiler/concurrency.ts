import { isAlias, isMap, isScalar, type Node } from 'yaml'
import type { Finding } from '../wire/errors.ts'
import type { JsonObject } from '../wire/json.ts'
import { conditionalGroup, eventsSharing } from '../workflow/concurrency-group.ts'
import { referencesInText } from '../workflow/file-expressions.ts'
import { asFindings, type Mistake } from '../workflow/mistakes.ts'
import type { Operation } from '../workflow/operations.ts'
import { singleQuoted } from '../workflow/spans.ts'
import {
  type NodePair,
  nodeBelow,
  type Path,
  pairOf,
  positionAt,
  rangeOf,
  resolved,
} from '../workflow/yaml.ts'
import { parallelOf } from './calling-job.ts'
import { pathLines } from './on-job.ts'
import type { Plan } from './plan.ts'
import { jobsOf, listensTo, type SourceFile } from './source-file.ts'

/** `concurrency` of the workflow or of a job. */
interface Concurrency {
  readonly key: Node
  readonly settings: Node | undefined
  /** `undefined` if only a run knows. */
  readonly cancels: boolean | undefined
}

function ofWorkflow(file: SourceFile): Concurrency | undefined {
  const section = file.sections.get('concurrency')
  return section && concurrencyOf(file, section)
}

function ofJobs(file: SourceFile): Concurrency[] {
  return jobsOf(file).flatMap(({ pair: { value } }) => {
    const own = pairOf(value, 'concurrency')
    return own ? [concurrencyOf(file, own)] : []
  })
}

function concurrencyOf({ document }: SourceFile, { key, value }: NodePair): Concurrency {
  const settings = resolved(document, value)
  const says: unknown = (isMap(settings) && settings.get('cancel-in-progress')) ?? false
  return { key, settings, cancels: typeof says === 'boolean' ? says : undefined }
}

function everyConcurrency(file: SourceFile): Concurrency[] {
  const own = ofWorkflow(file)
  return [...(own ? [own] : []), ...ofJobs(file)]
}

/**
 * Changes the workflow's group if `repository_dispatch` starts the file, so that a webhook for
 * another workflow neither cancels a run nor waits for one. The group of a job needs no change,
 * because a skipped job does not enter it.
 */
export function concurrencyOperations(file: SourceFile, { starting, webhooks }: Plan): Operation[] {
  const found = starting === 'repository_dispatch' ? workflowGroup(file) : undefined
  // A group that reads "on" is an error, which is reported at the expression.
  const group = found && referencesInText(found.text, 'on').length === 0 ? found : undefined
  if (!group) return []
  const isCalled = listensTo(file, 'workflow_call')
  const text = conditionalGroup(group.text, {
    condition: pathLines({ starting, webhooks, file }).join(' '),
    ...(isCalled && { calledFile: `${file.name}.yml` }),
  })
  // The alias's anchor has other users, so a copy is changed here.
  if (group.shared) {
    return [
      { op: 'set', path: group.path, lines: [JSON.stringify({ ...group.shared, group: text })] },
    ]
  }
  const value = /: | #|^[^$]/.test(text) ? singleQuoted(text) : text
  return [{ op: 'set', path: group.path, lines: [value] }]
}

/** The string of the workflow's group, and its position; all settings, if they are an alias. */
function workflowGroup(
  file: SourceFile,
): { readonly text: string; readonly path: Path; readonly shared?: JsonObject } | undefined {
  const section = file.sections.get('concurrency')
  const { settings } = ofWorkflow(file) ?? {}
  if (!section || !settings) return undefined
  if (isScalar(settings)) {
    if (settings.value === null) return undefined
    return { text: String(settings.value), path: ['concurrency'] }
  }
  const group = nodeBelow(file.document, settings, 'group')
  if (!isMap(settings) || !isScalar(group) || group.value === null) return undefined
  const text = String(group.value)
  if (isAlias(section.value)) {
    const shared = settings.toJS(file.document) as JsonObject // YAML 1.2 core is JSON
    return { text, path: ['concurrency'], shared }
  }
  return { text, path: ['concurrency', 'group'] }
}

/** The errors and warnings about the group of the workflow and those of its jobs. */
export function concurrencyFindings(plan: Plan): Finding[] {
  const { file } = plan
  const every = everyConcurrency(file)
  const notices = [
    ...every.flatMap((one) => queueNotices(plan, one)),
    ...sharedNotices(plan),
    ...itemNotices(plan),
  ]
  const refused = every.flatMap((one) => queueProblems(file, one))
  return [...asFindings(refused, 'error'), ...asFindings(notices, 'warning')]
}

/** GitHub refuses a queue in which runs cancel each other. */
function queueProblems(file: SourceFile, { settings, cancels }: Concurrency): Mistake[] {
  const queue = nodeBelow(file.document, settings, 'queue')
  if (!isScalar(queue) || queue.value !== 'max' || cancels !== true) return []
  return [
    {
      code: 'queue-refused',
      message: '"queue: max" cannot be combined with "cancel-in-progress: true"',
      position: positionAt(file.source, ...rangeOf(queue)),
      hint: 'remove one of the two',
    },
  ]
}

/** If one event brings several items, each of them enters the group. */
function itemNotices(plan: Plan): Mistake[] {
  const { file } = plan
  if (plan.isOne || parallelOf(plan) === 1) return []
  return everyConcurrency(file)
    .filter(({ settings, cancels }) => {
      const group = isMap(settings) ? settings.get('group') : undefined
      return cancels !== false && referencesInText(String(group), 'on').length === 0
    })
    .map(({ key }) => ({
      code: 'group-cancels',
      message: 'the items of one event share this concurrency group and cancel each other',
      position: positionAt(file.source, ...rangeOf(key)),
      hint: 'write "max-parallel: 1" under "hookline:"',
    }))
}

/**
 * By default GitHub keeps only the newest waiting run. With `cancel-in-progress` that is intended.
 */
function queueNotices({ file, options }: Plan, { key, settings, cancels }: Concurrency): Mistake[] {
  if (!settings || (isMap(settings) && settings.has('queue')) || cancels !== false) return []
  return [
    {
      code: 'waiting-cancelled',
      message: 'a newer run cancels the run that waits for this concurrency group',
      position: positionAt(file.source, ...rangeOf(key)),
      // Other forges know no queue, and the compiler leaves it out for them.
      ...(options.forge === 'github' && { hint: 'add "queue: max"' }),
    },
  ]
}

/** Warns if the workflow's own webhooks share a group in which a newer run cancels an older one. */
function sharedNotices({ file, starting, webhooks }: Plan): Mistake[] {
  const own = ofWorkflow(file)
  const group = workflowGroup(file)
  const [webhook] = webhooks
  if (starting !== 'repository_dispatch' || !own || !group || !webhook || own.cancels === false) {
    return []
  }
  const heard = file.native.map(({ name }) => name)
  const sharing = eventsSharing(group.text, `${file.name}/${webhook.name}`, heard)
  if (sharing.length === 0) return []
  const events = sharing.join(' and ')
  return [
    {
      code: 'group-cancels',
      message: `a webhook for this workflow cancels its runs by ${events}, and they cancel those of webhooks: all are in one concurrency group`,
      position: positionAt(file.source, ...rangeOf(own.key)),
      hint: 'add ${{ github.event_name }} to the group, or give the jobs a "concurrency" of their own',
    },
  ]
}
