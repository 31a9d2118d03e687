import type { ShownStage, ShownValue } from '../api.ts'
import { dayAndTime } from './list.tsx'
import { Section, ValueList } from './section.tsx'
import { copy } from './state.ts'

/** The words for a stage's state, beside its name. */
const WORDS = {
  ok: 'ok',
  failed: 'Failed',
  waiting: 'Waiting',
  skipped: 'not used',
  unknown: 'not known',
} as const

/** No other scheme may become a link: `javascript:` would run in the page. */
const RUN_ADDRESS = /^https?:\/\/\S+$/

/** Explains a delivery stage by stage, with the cure of a fault. */
export function Stages({ stages }: { stages: readonly ShownStage[] }) {
  return (
    <Section name="stages" title="Explanation">
      <ol class="stages card">
        {stages.map((stage) => (
          <StageView key={stage.stage} stage={stage} />
        ))}
      </ol>
    </Section>
  )
}

function StageView({ stage: { stage, state, at, found, wanted, cure } }: { stage: ShownStage }) {
  const isFault = state === 'failed' || state === 'waiting'
  return (
    <li class={`stage ${state}`}>
      <p class="stage-head">
        <strong>{stage}</strong>
        <span class="stage-state">{WORDS[state]}</span>
        {at !== null && <time dateTime={at}>{dayAndTime(at)}</time>}
      </p>
      {found !== null && (
        <p class="stage-found">
          {RUN_ADDRESS.test(found) ? (
            <a href={found} target="_blank" rel="noreferrer noopener">
              {found}
            </a>
          ) : (
            found
          )}
        </p>
      )}
      {isFault && wanted !== null && (
        <p class="stage-found">
          <span class="stage-name">wanted</span> {wanted}
        </p>
      )}
      {cure !== null && (
        <div class="cure">
          <p>{cure}</p>
          <button
            type="button"
            class="small"
            onClick={() => void copy(commandIn(cure), 'the cure')}
          >
            Copy
          </button>
        </div>
      )}
    </li>
  )
}

const COMMAND = /(?:HOOKLINE_\w+=\S+ )?\b(?:hookline|gh) .+?(?=, then: |, or |$)/g

/** The commands of a cure such as `Find the reason: hookline doctor`; without any, the whole text. */
function commandIn(cure: string): string {
  return cure.match(COMMAND)?.join(' && ') ?? cure
}

/** Attempts, and where the event came from and went. */
export function Values({ values }: { values: readonly ShownValue[] }) {
  return (
    <Section name="values" title="Attempts and endpoint">
      <ValueList values={values} />
    </Section>
  )
}
