import { http } from '../../src/action/http-client.ts'
import { writtenOutputs } from '../../src/action/outputs.ts'
import type { EnginePorts, WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { type Effect, type Evaluation, runEffects } from '../../src/engine/evaluation.ts'
import { scripts } from '../../src/engine/scripts.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import type { Item, TriggerPorts } from '../../src/triggers/trigger.ts'
import type { JsonObject } from '../../src/wire/json.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { BOT_TOKEN } from './telegram.ts'

export const SCHEDULE = { name: 'schedule', payload: { schedule: '*/5 * * * *' } }

/** A minimal `on:` section that polls; options may follow, indented by two. */
export const POLL = `messaging_bot:
  token: \${{ secrets.BOT }}
`

/** The outside world of a bot's run; pauses are recorded, but do not wait. */
export interface BotPorts extends EnginePorts {
  readonly masked: string[]
  readonly pauses: number[]
}

/** The real HTTP client against a stand-in, with a clock and pauses that a test can read. */
export function botPorts(messagingApiUrl: string, own: Partial<TriggerPorts> = {}): BotPorts {
  const masked: string[] = []
  const pauses: number[] = []
  const triggers: TriggerPorts = {
    http,
    now: () => Date.now(),
    sleep: async (duration) => void pauses.push(duration),
    messagingApiUrl,
    mask: (text) => void masked.push(text),
    ...own,
  }
  const run = { id: '1', at: Date.now() }
  return { triggers, scripts, store: undefined, run, folder: '', masked, pauses }
}

/** The workflow `bot` with an `on:` section, in which `secrets.BOT` is the token. */
export function botWorkflow(on: string, secrets: JsonObject = { BOT: BOT_TOKEN }): WorkflowSource {
  const source = { name: 'input "on"', text: on, file: '.github/workflows/bot.yml' }
  return {
    calling: 'bot',
    names: () => ['bot'],
    find: (name) =>
      name === 'bot'
        ? readOnSection('bot', source, { contexts: { secrets }, triggers: TRIGGERS })
        : undefined,
  }
}

/** Does what the step does on a schedule: polls, and creates the outputs. */
export async function runMain(
  workflows: WorkflowSource,
  ports: EnginePorts,
  event = SCHEDULE,
): Promise<Evaluation & { readonly outputs: ReadonlyMap<string, string> }> {
  const evaluation = await evaluate(event, workflows, ports)
  return Object.assign(evaluation, { outputs: writtenOutputs(evaluation) })
}

/** Does what the end of a successful job does. */
export function runPost(
  effects: readonly Effect[],
  workflows: WorkflowSource,
  ports: EnginePorts,
): Promise<void> {
  const saved = JSON.parse(JSON.stringify(effects)) as Effect[] // as it passes through GITHUB_STATE
  return runEffects(saved, (name) => workflows.find(name), ports)
}

export function updateIds(items: readonly Item[]): unknown[] {
  return items.map(({ update_id }) => update_id)
}
