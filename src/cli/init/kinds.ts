import { existsSync } from 'node:fs'
import { stringify } from 'yaml'
import type { Sender } from '../../triggers/sender.ts'
import { type DispatchMode, dispatchEvent, WORKFLOW_INPUT } from '../../wire/payload.ts'
import type { Forge } from '../../wire/settings.ts'
import { VERSION } from '../../wire/version.ts'
import { runNameLine } from '../../workflow/run-name.ts'
import { type EventSource, inBraces, safeForm } from '../../workflow/safe-form.ts'
import { ownAction } from '../own-action.ts'
import { formStep, onSection, secretsOf, triggerOf } from './sender-workflow.ts'

/** The native workflow contains the triggers: one file, and no checkout. */
const webhookKind: Kind = {
  name: 'webhook',
  workflow: 'hook',
  trigger: 'webhook',
  files: (answers) => [
    { path: `.github/workflows/${answers.name}.yml`, text: webhookText(answers) },
  ],
}

/** A bot that polls for messages on a schedule, without a relay and without a URL. */
const botKind: Kind = {
  name: 'bot',
  workflow: 'bot',
  trigger: 'messaging_bot',
  secret: 'BOT_TOKEN',
  files: (answers) => [{ path: `.github/workflows/${answers.name}.yml`, text: botText(answers) }],
}

/** A workflow file with triggers under `on:`, which `hookline build` compiles to native workflows. */
const compiledKind: Kind = {
  name: 'compiled',
  workflow: 'hook',
  trigger: 'webhook',
  compile: 'hookline build',
  files: (answers) => [{ path: `workflows/${answers.name}.yml`, text: compiledText(answers) }],
}

/** By name; the first one is the default. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [webhookKind, botKind, compiledKind].map((kind) => [kind.name, kind]),
)

/** The answers that a first workflow depends on. */
export interface Answers {
  /** Name of the workflow, and of its file without the extension. */
  readonly name: string
  /** Dispatch mode of the relay. Default: `repository`. */
  readonly dispatch?: DispatchMode | undefined
  /** The `uses` value of the action. Default: the version of this package. */
  readonly uses?: string | undefined
  /** The forge of the repository, if it is not GitHub. */
  readonly forge?: Forge | undefined
  /** The sender of the requests; any sender if absent. */
  readonly sender?: Sender | undefined
}

export interface NewFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Kind {
  readonly name: string
  /** Default name of the workflow. */
  readonly workflow: string
  readonly trigger: string
  /** Repository secret for polling. Such a workflow has no URL and needs no relay. */
  readonly secret?: string
  files(answers: Answers): readonly NewFile[]
  /** The command that compiles its files to native workflows. */
  readonly compile?: string
}

/** Begins an expression for the action. GitHub evaluates expressions in inputs first, so it is escaped. */
const ESCAPED = "${{ '${{' }}"

const SECRETS_REASON =
  '# The action inserts secrets into `on` itself, so that they cannot change the YAML.'

/** The inputs of the action's step: the triggers, and the secrets that they read. */
export function actionInputs({ sender }: Pick<Answers, 'sender'>): string {
  const on = sender ? onSection(sender, ESCAPED) : stringify({ webhook: { method: 'post' } })
  const secrets = sender ? secretsOf(sender) : []
  const given = secrets.map((secret) => `"${secret}": \${{ toJSON(secrets.${secret}) }}`)
  const inputs = given.length > 0 ? [SECRETS_REASON, `secrets: '{${given.join(', ')}}'`] : []
  return [...inputs, 'on: |', indented(on.trimEnd(), 2)].join('\n')
}

function webhookText(answers: Answers): string {
  const { sender, uses } = answers
  const { head, condition } = workflowHead(answers)
  return `${head}
permissions:
  contents: read

jobs:
  react:
${indented(condition, 4)}
    runs-on: ubuntu-latest
    steps:
${indented(usesLine(uses), 6)}
        id: hookline
        with:
${indented(actionInputs(answers), 10)}

      - if: steps.hookline.outputs.triggered == 'true'
${indented(showingStep(triggerOf(sender ?? {}), { kind: 'on', output: 'steps.hookline.outputs.on' }), 8)}
${indented(sender ? formStep(sender, FIRST_ITEM, IS_TRIGGERED) : '', 6)}`
}

/** The outputs of the trigger in a later step. They are empty if nothing fired. */
const FIRST_ITEM = safeForm({ kind: 'on', output: 'steps.hookline.outputs.on' }, [
  'webhook',
  'outputs',
])

const IS_TRIGGERED = "steps.hookline.outputs.triggered == 'true'"

/** The keys of a step that shows the event. The runner obeys commands in the log, so the job summary shows it. */
function showingStep(trigger: string, source: EventSource): string {
  const [variable, ...field] = trigger === 'webhook' ? ['BODY', 'body'] : ['ITEM']
  const value = safeForm(source, [trigger, 'outputs', ...field])
  return `# Pass untrusted input by env:, never inside the script, and do not print it in the log.
env:
  ${variable}: ${inBraces(`toJSON(${value})`)}
run: echo "$${variable}" >> "$GITHUB_STEP_SUMMARY"`
}

/** The head of a workflow that a webhook starts, up to its `on:`, and the `if:` of its first job. */
function workflowHead({ name, sender, dispatch }: Answers) {
  const { listens, condition } =
    dispatch === 'workflow' ? DIRECT : dispatched(`${name}/${triggerOf(sender ?? {})}`)
  const head = `name: ${stringify(name).trim()}
${runNameLine(name, dispatch && dispatchEvent(dispatch))}
on:
${indented(listens, 2)}
`
  return { head, condition }
}

/** The relay starts the workflow by its name, so an empty input means a manual run. */
const DIRECT = {
  listens: `workflow_dispatch:
  inputs:
    ${WORKFLOW_INPUT}:
      description: The relay sets this input. Leave it empty for a manual run.
      type: string`,
  condition: `# The input is empty in a manual run.
if: inputs.${WORKFLOW_INPUT} != ''`,
}

function dispatched(path: string): typeof DIRECT {
  return {
    listens: `repository_dispatch:
  types: [webhook]`,
    condition: `if: startsWith(github.event.client_payload.path, '${path}')`,
  }
}

function usesLine(uses = ownAction()): string {
  return `- uses: ${uses}`
}

export function indented(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width))
}

function botText({ name, uses }: Answers): string {
  return `name: ${stringify(name).trim()}
on:
  schedule:
    # Each hour, because a poll costs a minute in a private repository. In a public one, it is free: '*/5 * * * *'.
    - cron: '17 * * * *'
  workflow_dispatch:

permissions: {}

# Concurrent polls would get the same messages, so runs wait for each other.
concurrency:
  group: ${stringify(name).trim()}
  queue: max

jobs:
  poll:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    outputs:
      items: \${{ steps.hookline.outputs.items }}
    steps:
${indented(usesLine(uses), 6)}
        id: hookline
        with:
          on: |
            messaging_bot:
              token: \${{ secrets.BOT_TOKEN }}
              event: text

  # Runs once for each message.
  answer:
    needs: poll
    if: needs.poll.outputs.items != '[]'
    runs-on: ubuntu-latest
    timeout-minutes: 5
    strategy:
      fail-fast: false
      max-parallel: 1
      matrix:
        on: \${{ fromJSON(needs.poll.outputs.items) }}
    steps:
      # Replace the text by your own, such as an output of an earlier step.
      - uses: ${replyAction(uses)}
        with:
          to: \${{ toJSON(matrix.on) }}
          token: \${{ secrets.BOT_TOKEN }}
          text: 'You wrote: \${{ matrix.on.messaging_bot.outputs.text }}'
`
}

/** The action `reply` of the same version: `hookline/hookline/reply@v1`. */
function replyAction(uses = ownAction()): string {
  return uses.replace('@', '/reply@')
}

const PACKAGED = 'node_modules/hookline/schema/hookline-workflow.json'

function compiledText({ name, sender, dispatch, uses, forge }: Answers): string {
  const trigger = triggerOf(sender ?? {})
  const on = sender ? onSection(sender) : stringify({ webhook: { method: 'post' } })
  // Editors complete and check the file by this schema. A local copy works without the network.
  const schema = existsSync(PACKAGED)
    ? `../${PACKAGED}`
    : `https://raw.githubusercontent.com/hookline/hookline/v${VERSION}/schema/hookline-workflow.json`
  return `# yaml-language-server: $schema=${schema}
name: ${stringify(name).trim()}
${runNameLine(name, dispatch && dispatchEvent(dispatch))}
${settingsText({ dispatch, uses, forge })}on:
${indented(on.trimEnd(), 2)}

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      - name: Show the event
${indented(showingStep(trigger, { kind: 'source' }), 8)}
${indented(sender ? formStep(sender, `on.${trigger}.outputs`, '') : '', 6)}`
}

/** The settings that differ from the defaults of `hookline build`. */
function settingsText({
  dispatch,
  uses,
  forge,
}: Pick<Answers, 'dispatch' | 'uses' | 'forge'>): string {
  const lines = [
    ...(forge === undefined ? [] : [`forge: ${forge}`]),
    ...(dispatch === 'workflow' ? [`dispatch: ${dispatch}`] : []),
    ...(uses === undefined ? [] : [`uses: ${uses}`]),
  ]
  return lines.length === 0 ? '' : `hookline:\n${indented(lines.join('\n'), 2)}\n`
}
