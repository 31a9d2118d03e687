import { existsSync } from 'node:fs'
import { stringify } from 'yaml'
import type { Sender } from '../../triggers/sender.ts'
import { type DispatchMode, dispatchEvent, WORKFLOW_INPUT } from '../../wire/payload.ts'
import { runNameLine } from '../run-name.ts'
import { ownAction, ownVersion } from '../version.ts'
import { onSection, secretsOf, triggerOf } from './sender.ts'

/** The triggers stand in the native workflow itself: one file, and no checkout. */
const webhookKind: Kind = {
  name: 'webhook',
  title: 'a request to a URL, in a workflow of one file',
  workflow: 'hook',
  trigger: 'webhook',
  files: (answers) => [
    { path: `.github/workflows/${answers.name}.yml`, text: webhookText(answers) },
  ],
}

/** A bot that is asked for new messages on a schedule: no relay, and no URL. */
const botKind: Kind = {
  name: 'bot',
  title: 'a message to a bot, which is polled on a schedule',
  workflow: 'bot',
  trigger: 'messaging_bot',
  secret: 'BOT_TOKEN',
  files: (answers) => [{ path: `.github/workflows/${answers.name}.yml`, text: botText(answers) }],
}

/** A workflow file with triggers under `on:`, from which `hookline build` makes native ones. */
const compiledKind: Kind = {
  name: 'compiled',
  title: 'a request to a URL, in a workflow file with jobs for each request',
  workflow: 'hook',
  trigger: 'webhook',
  compile: 'hookline build',
  files: (answers) => [{ path: `workflows/${answers.name}.yml`, text: compiledText(answers) }],
}

/** By name; the first one is the default. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  [webhookKind, botKind, compiledKind].map((kind) => [kind.name, kind]),
)

/** What a first workflow depends on. */
export interface Answers {
  /** Name in `KINDS`. */
  readonly kind: string
  /** Name of the workflow, and of its file without the extension. */
  readonly name: string
  /** `owner/name`; empty where none is known. */
  readonly repository: string
  /** Address of the relay. */
  readonly relay: string
  /** What the relay starts it by; `repository_dispatch` when left out. */
  readonly dispatch?: DispatchMode | undefined
  /** The action, with its version; that of this package when left out. */
  readonly uses?: string | undefined
  /** Whose requests it is for; anyone's when left out. */
  readonly sender?: Sender | undefined
}

/** A file that is to be written. */
export interface NewFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** A kind of first workflow. */
export interface Kind {
  readonly name: string
  /** For a person who chooses among the kinds. */
  readonly title: string
  /** Default name of the workflow. */
  readonly workflow: string
  readonly trigger: string
  /** Secret of the repository that it polls with: it has no URL, and needs no relay. */
  readonly secret?: string
  /** Secrets of the repository that its jobs read besides. */
  readonly secrets?: readonly string[]
  files(answers: Answers): readonly NewFile[]
  /** Makes the native workflows of its files. */
  readonly compile?: string
}

/** What begins an expression that the action evaluates, where GitHub fills in the inputs before. */
const ESCAPED = "${{ '${{' }}"

/** What the step of the action is given: the triggers, and the secrets that they read. */
export function actionInputs({ sender }: Pick<Answers, 'sender'>, config?: object): string {
  const on = sender
    ? onSection(sender, ESCAPED, config)
    : stringify({ webhook: { method: 'post', ...(config && { config }) } })
  const secrets = sender ? secretsOf(sender) : []
  const given = secrets.map((secret) => `"${secret}": \${{ toJSON(secrets.${secret}) }}`)
  const inputs = given.length > 0 ? [`secrets: '{${given.join(', ')}}'`] : []
  return [...inputs, 'on: |', indented(on.trimEnd(), 2)].join('\n')
}

function webhookText(answers: Answers): string {
  const { sender, uses } = answers
  const [variable, output] = triggerOf(sender ?? {}) === 'webhook' ? ['BODY', 'body'] : ['ON', 'on']
  const { head, guard } = startOf(answers)
  return `${head}
permissions:
  contents: read

jobs:
  react:
${indented(guard, 4)}
    runs-on: ubuntu-latest
    steps:
${indented(usesLine(uses), 6)}
        id: hookline
        with:
${indented(actionInputs(answers), 10)}

      # Text from outside goes through env:, never into the script.
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          ${variable}: \${{ steps.hookline.outputs.${output} }}
        run: echo "$${variable}"
`
}

/** How a workflow begins that a webhook starts, up to its `on:`, and the `if:` of its first job. */
export function startOf({ name, sender, dispatch }: Answers) {
  const { listens, guard } =
    dispatch === 'workflow' ? DIRECT : dispatched(`${name}/${triggerOf(sender ?? {})}`)
  const head = `name: ${stringify(name).trim()}
${runNameLine(name, dispatch && dispatchEvent(dispatch))}
on:
${indented(listens, 2)}
`
  return { head, guard }
}

/** The relay starts it by name, so an empty input is a run by hand. */
const DIRECT = {
  listens: `workflow_dispatch:
  inputs:
    ${WORKFLOW_INPUT}:
      description: Filled in by the relay; leave it empty to run by hand
      type: string`,
  guard: `# Empty in a run by hand: no webhook came.
if: inputs.${WORKFLOW_INPUT} != ''`,
}

export function dispatched(path: string): typeof DIRECT {
  return {
    listens: `repository_dispatch:
  types: [webhook]`,
    guard: `if: startsWith(github.event.client_payload.path, '${path}')`,
  }
}

export function usesLine(uses = ownAction()): string {
  return `- uses: ${uses}`
}

export function indented(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width))
}

function botText({ name, uses }: Answers): string {
  return `name: ${stringify(name).trim()}
on:
  schedule:
    - cron: '*/5 * * * *'
  workflow_dispatch:

permissions: {}

# One poll after the other: two at once would get the same messages. A run waits its turn.
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

  # Once for each message.
  react:
    needs: poll
    if: needs.poll.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        on: \${{ fromJSON(needs.poll.outputs.items) }}
    steps:
      # Text from outside goes through env:, never into the script.
      - env:
          NAME: \${{ matrix.on.messaging_bot.outputs.from.first_name }}
          TEXT: \${{ matrix.on.messaging_bot.outputs.text }}
        run: echo "$NAME wrote $TEXT"
`
}

const PACKAGED = 'node_modules/hookline/schema/hookline-workflow.json'

function compiledText({ name, sender, dispatch, uses }: Answers): string {
  const trigger = triggerOf(sender ?? {})
  const on = sender ? onSection(sender) : stringify({ webhook: { method: 'post' } })
  const [variable, field] = trigger === 'webhook' ? ['BODY', '.body'] : ['ITEM', '']
  const version = ownVersion()
  const ref = version === 'unknown' ? 'main' : `v${version}`
  // With it an editor completes and checks the file: without the network where the package is at hand.
  const schema = existsSync(PACKAGED)
    ? `../${PACKAGED}`
    : `https://raw.githubusercontent.com/hookline/hookline/${ref}/schema/hookline-workflow.json`
  return `# yaml-language-server: $schema=${schema}
name: ${stringify(name).trim()}
${runNameLine(name, dispatch && dispatchEvent(dispatch))}
${settingsOf({ dispatch, uses })}on:
${indented(on.trimEnd(), 2)}

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      # Text from outside goes through env:, never into the script.
      - env:
          ${variable}: \${{ toJSON(on.${trigger}.outputs${field}) }}
        run: echo "$${variable}"
`
}

/** How it is to be compiled, where that is not as by default: so that every build knows. */
function settingsOf({ dispatch, uses }: Pick<Answers, 'dispatch' | 'uses'>): string {
  const lines = [
    ...(dispatch === 'workflow' ? [`dispatch: ${dispatch}`] : []),
    ...(uses === undefined ? [] : [`uses: ${uses}`]),
  ]
  return lines.length === 0 ? '' : `hookline:\n${indented(lines.join('\n'), 2)}\n`
}
