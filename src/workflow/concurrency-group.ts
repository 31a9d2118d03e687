import type { JsonObject } from '../wire/json.ts'
import { EVENT_TYPE } from '../wire/payload.ts'
import { ExpressionMistake } from './expression-text.ts'
import { fillIn, textExpression } from './expressions.ts'

/**
 * The job condition for runs of this workflow, because `repository_dispatch` starts every listening
 * workflow.
 */
interface GroupCondition {
  /** The condition that a webhook is for this workflow, as one expression. */
  readonly condition: string
  /**
   * The workflow's file, if it can also be called; the group of a calling run remains unchanged.
   */
  readonly calledFile?: string | undefined
}

/**
 * The string of a `concurrency` group that gives a webhook for another workflow a group of its own.
 * A run enters its group before GitHub evaluates the `if:` of any job. So without this, a run that
 * skips all its jobs would still cancel the runs of the group, or queue behind them.
 */
export function conditionalGroup(group: string, { condition, calledFile }: GroupCondition): string {
  const isForeign = [
    `github.event_name == 'repository_dispatch'`,
    `github.event.action == '${EVENT_TYPE}'`,
    ...(calledFile === undefined ? [] : [`contains(github.workflow_ref, '/${calledFile}@')`]),
    `!(${condition})`,
  ]
  const own = textExpression(group).replaceAll(/\s*\n\s*/g, ' ')
  return `\${{ ${isForeign.join(' && ')} && github.run_id || (${own}) }}`
}

/** A webhook in the context `github`. */
function webhookTo(path: string): Sample {
  const client_payload = { path, method: 'POST', headers: { 'x-hookline-delivery': 'd' }, body: '' }
  return { name: 'repository_dispatch', event: { action: EVENT_TYPE, client_payload } }
}

interface Sample {
  readonly name: string
  readonly event: JsonObject
}

/** Native events on the default branch, on which webhooks also start workflows. */
const ON_DEFAULT_BRANCH: readonly Sample[] = [
  { name: 'push', event: { ref: 'refs/heads/main', after: 'c0ffee' } },
  { name: 'schedule', event: { schedule: '0 0 * * *' } },
  { name: 'workflow_dispatch', event: { inputs: {} } },
]

/**
 * The events of a workflow whose runs share a group with the runs of a webhook.
 *
 * @param path of the webhook: `<workflow>/<trigger>`
 * @param heard names of the events that the workflow listens to
 */
export function eventsSharing(group: string, path: string, heard: readonly string[]): string[] {
  const webhooks = evaluatedGroup(group, webhookTo(path), 1)
  if (webhooks === undefined) return []
  return ON_DEFAULT_BRANCH.filter(
    (sample) => heard.includes(sample.name) && evaluatedGroup(group, sample, 2) === webhooks,
  ).map(({ name }) => name)
}

/**
 * Whether a webhook for another workflow shares a group with runs of this workflow.
 *
 * @param path of a webhook for this workflow: `<workflow>/<trigger>`
 * @param heard names of the events that the workflow listens to
 */
export function isSharedWithOthers(group: string, path: string, heard: readonly string[]): boolean {
  const other = evaluatedGroup(group, webhookTo(`not-${path}`), 1)
  if (other === undefined) return false
  return (
    other === evaluatedGroup(group, webhookTo(path), 2) ||
    eventsSharing(group, `not-${path}`, heard).length > 0
  )
}

/** The group of a run; `undefined` if the expression reads a value that only a run knows. */
function evaluatedGroup(group: string, { name, event }: Sample, run: number): string | undefined {
  const github = {
    workflow: 'workflow',
    repository: 'owner/name',
    event_name: name,
    event,
    sha: 'c0ffee',
    ref: 'refs/heads/main',
    ref_name: 'main',
    head_ref: '',
    base_ref: '',
    actor: 'someone',
    run_id: `${run}`,
    run_number: `${run}`,
    run_attempt: '1',
  }
  try {
    return String(fillIn(group, { github, inputs: {}, vars: {} })).toLowerCase()
  } catch (error) {
    if (error instanceof ExpressionMistake) return undefined
    throw error
  }
}
