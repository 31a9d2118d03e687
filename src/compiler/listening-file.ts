import { guard } from './guard.ts'
import type { WorkflowInput } from './inputs.ts'
import { handOnLine } from './inputs.ts'
import type { Permissions } from './permissions.ts'
import { indent, type Lines, quoted } from './yaml-lines.ts'

/** What the listening file is made of; lines stand at column 0. */
export interface Listening {
  readonly workflow: string
  /** `name:` and `run-name:` as the source has them. */
  readonly head: Lines
  /** The events, as keys of `on:`. */
  readonly events: Lines
  /** The triggers that webhooks reach; none when it only polls. */
  readonly webhookTriggers: readonly string[]
  /** Whether it listens to `repository_dispatch` of other types too. */
  readonly ownDispatches: boolean
  /** `env:` of the source, as it stands. */
  readonly env: Lines
  /** The inputs of the action, as keys of `with:`. */
  readonly actionInputs: Lines
  /** The action to run: `hookline/hookline@v1`. */
  readonly uses: string
  /** Runs of the listening job wait for each other. */
  readonly isSerial: boolean
  readonly writesState: boolean
  readonly permissions: Permissions | undefined
  readonly inputs: readonly WorkflowInput[]
}

/** The workflow that GitHub starts: it asks the action for items, and calls the jobs file for each. */
export function listeningFile(listening: Listening): string {
  const { head, events } = listening
  const lines = [
    ...head,
    'on:',
    ...indent(events, 2),
    '',
    'jobs:',
    ...indent(onJob(listening), 2),
    '',
    ...indent(eachJob(listening), 2),
  ]
  return `${lines.join('\n')}\n`
}

function onJob(listening: Listening): string[] {
  return [
    'on:',
    ...indent(
      [
        'runs-on: ubuntu-latest',
        ...condition(listening),
        'timeout-minutes: 10',
        'permissions:',
        `  contents: ${listening.writesState ? 'write' : 'read'}`,
        ...concurrency(listening),
        ...listening.env,
        'outputs:',
        `  items: \${{ steps.on.outputs.items }}`,
        'steps:',
        '  - id: on',
        `    uses: ${listening.uses}`,
        '    with:',
        ...indent(listening.actionInputs, 6),
      ],
      2,
    ),
  ]
}

/** Only a webhook can be another's: what is not listened to needs no guard. */
function condition({ workflow, webhookTriggers, ownDispatches }: Listening): string[] {
  if (webhookTriggers.length === 0) return []
  const parts = guard(workflow, webhookTriggers, ownDispatches)
  return [
    'if: >-',
    ...indent(
      parts.map((part, at) => (at < parts.length - 1 ? `${part} ||` : part)),
      2,
    ),
  ]
}

/** `queue: max`, since by default GitHub cancels a waiting run for a newer one, and its event is lost. */
function concurrency({ workflow, isSerial }: Listening): string[] {
  return isSerial ? ['concurrency:', `  group: hookline-${workflow}`, '  queue: max'] : []
}

function eachJob({ workflow, permissions, inputs }: Listening): string[] {
  return [
    'each:',
    `  name: item \${{ strategy.job-index }}`,
    '  needs: on',
    `  if: needs.on.outputs.items != '[]'`,
    '  strategy:',
    '    fail-fast: false',
    '    matrix:',
    `      on: \${{ fromJSON(needs.on.outputs.items) }}`,
    ...indent(permissionLines(permissions), 2),
    `  uses: ./.github/workflows/${workflow}.jobs.yml`,
    '  with:',
    `    on: \${{ toJSON(matrix.on) }}`,
    ...indent(inputs.map(handOnLine), 4),
    '  secrets: inherit',
  ]
}

function permissionLines(permissions: Permissions | undefined): string[] {
  if (permissions === undefined) return []
  if (typeof permissions === 'string') return [`permissions: ${permissions}`]
  const scopes = Object.entries(permissions).filter(([, access]) => access !== 'none')
  if (scopes.length === 0) return ['permissions: {}']
  return ['permissions:', ...scopes.map(([scope, access]) => `  ${scope}: ${access}`)]
}

/**
 * The inputs of the action: the triggers inline, so that it needs no checkout, and by name what
 * their expressions read. GitHub must not fill in these itself, so each `${{` is written as a text.
 */
export function actionInputLines(options: {
  readonly on: Lines
  readonly secrets: readonly string[]
  readonly vars: readonly string[]
  readonly state: string
}): string[] {
  const { on, secrets, vars, state } = options
  const escaped = on.map((line) => line.replaceAll('${{', `\${{ '\${{' }}`))
  return [
    'on: |',
    ...indent(escaped, 2),
    ...jsonInput('secrets', secrets),
    ...jsonInput('vars', vars),
    ...(state === 'none' ? [] : [`state: ${quoted(state)}`]),
  ]
}

function jsonInput(context: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const members = names.map((name) => `"${name}": \${{ toJSON(${context}.${name}) }}`)
  return [`${context}: '{${members.join(', ')}}'`]
}
