import { rangeOf } from '../workflow/yaml.ts'
import { entryTexts } from './entry-texts.ts'
import { eventLines } from './events.ts'
import type { WorkflowInput } from './inputs.ts'
import { actionInputLines, type Listening } from './listening-file.ts'
import { onJobEnv } from './on-job-env.ts'
import type { Plan } from './plan.ts'
import { entryKey } from './schedule.ts'
import type { SourceFile, SourceTrigger } from './source-file.ts'
import { namesIn } from './stand-ins.ts'
import type { Lines } from './yaml-lines.ts'

/** What the listening file of a workflow says. */
export function listeningOf(
  file: SourceFile,
  plan: Plan,
  inputs: readonly WorkflowInput[],
  { uses, state }: { readonly uses: string; readonly state: string },
): Listening {
  const { source, on, triggers, native } = file
  const keys = [...triggers, ...native]
    .map(({ nodes }) => nodes)
    .sort((one, other) => rangeOf(one.key)[0] - rangeOf(other.key)[0])
  const texts = entryTexts(source.text, on.value, keys)
  const entries = plan.polled.flatMap(({ schedule }) => schedule ?? [])
  const schedule = [...new Map(entries.map((entry) => [entryKey(entry), entry])).values()]
  const names = (context: string) => [
    ...new Set(triggers.flatMap(({ nodes }) => namesIn(source.text, nodes.options, context))),
  ]
  return {
    workflow: file.name,
    head: ['name', 'run-name'].flatMap((key) => sectionLines(file, key)),
    events: eventLines(file, texts, { webhooks: plan.webhooks.length > 0, schedule }),
    webhookTriggers: [...new Set(plan.webhooks.flatMap(namesInUrls))],
    ownDispatches: native.some(({ name }) => name === 'repository_dispatch'),
    env: onJobEnv(file),
    actionInputs: actionInputLines({
      on: triggers.flatMap(({ nodes }) => texts.find((text) => text.nodes === nodes)?.lines ?? []),
      secrets: names('secrets'),
      vars: names('vars'),
      state,
    }),
    uses,
    isSerial: plan.polled.length > 0 || state !== 'none',
    writesState: state.startsWith('branch:'),
    permissions: plan.permissions,
    inputs,
  }
}

/** Whatever name of a trigger a webhook URL has, the action takes it for this one. */
function namesInUrls({ name, definition }: SourceTrigger): string[] {
  return [name, definition.name, ...definition.aliases]
}

function sectionLines({ source, sections }: SourceFile, key: string): Lines {
  const section = sections.get(key)
  if (!section) return []
  return source.text.slice(section.start, section.end).replace(/\n$/, '').split('\n')
}
