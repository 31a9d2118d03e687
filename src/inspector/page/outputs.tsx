import { computed, signal } from '@preact/signals'
import type { Detail, OutputReader } from '../api.ts'
import { DEFAULT_STEP, type Offer, type OutputPath, offers } from './expression.ts'
import { Section } from './section.tsx'
import { choose, copy, detail, item, keep, picked, setting } from './state.ts'
import { Tree } from './tree.tsx'

/** The offer that a click copies, by its key; the first one where there is no such. */
const preferred = signal(setting('form') ?? '')

const place = computed(() => {
  const shown = detail.value
  if (!shown || !picked.value) return undefined
  const { trigger, path } = picked.value
  return outputPath(shown, trigger, path)
})

/** The expressions that read the selected value, for every workflow file that can read it. */
const offered = computed(() => (place.value ? offersFor(place.value) : []))

function outputPath(
  { items, fields }: Detail,
  trigger: string,
  path: readonly (string | number)[],
): OutputPath | undefined {
  const context = items[item.value]?.[trigger]
  const value = path.reduce<unknown>((parent, key) => {
    if (typeof parent !== 'object' || parent === null) return undefined
    return Object.hasOwn(parent, key) ? Reflect.get(parent, key) : undefined
  }, context?.outputs)
  return value === undefined ? undefined : { trigger, path, value, item: item.value, fields }
}

function offersFor(place: OutputPath): Offer[] {
  return offers(place, readersOf(detail.value?.readers ?? []))
}

/** The readers of the known files; if no file runs the action, the readers of a file to be written. */
function readersOf(readers: readonly OutputReader[]): readonly OutputReader[] {
  if (readers.some(({ kind }) => kind !== 'source')) return readers
  const source = readers.length > 0 ? readers : [{ kind: 'source', file: '' } as const]
  return [...source, { kind: 'steps', file: '', job: '', step: { id: DEFAULT_STEP } }]
}

function preferredOf(all: readonly Offer[]): Offer | undefined {
  return all.find(({ key }) => key === preferred.value) ?? all[0]
}

/** The next form of expression is the one that a click copies. */
export function switchForm(): void {
  const all = offered.value
  const current = preferredOf(all)
  const next = current && all[(all.indexOf(current) + 1) % all.length]
  if (next) prefer(next)
}

function prefer({ key }: Offer): void {
  preferred.value = key
  keep('form', key)
}

/** Copies what stands at the picked place, as it is. */
export function copyPicked(): void {
  if (place.value) void copy(displayText(place.value.value), 'the value')
}

function displayText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** The outputs as a tree in which every value, when clicked, gives the expression that reads it. */
export function OutputsView({ detail: shown }: { detail: Detail }) {
  const context = shown.items[item.value] ?? {}
  const fired = Object.entries(context).filter(([, { outcome }]) => outcome === 'success')
  return (
    <Section
      name="outputs"
      title="Outputs"
      head={
        <>
          {shown.items.length > 1 && <ItemChoice count={shown.items.length} />}
          <button
            type="button"
            class="quiet"
            onClick={() => void copy(displayText(context), 'the outputs')}
          >
            Copy as JSON
          </button>
        </>
      }
    >
      <div class="card">
        <Picker />
        {fired.map(([trigger, { outputs }]) => (
          <Tree
            key={`${shown.id} ${item.value} ${trigger}`}
            root={outputs}
            label={`Outputs of ${trigger}`}
            picked={picked.value?.trigger === trigger ? JSON.stringify(picked.value.path) : ''}
            pick={(path, value) => {
              picked.value = { trigger, path }
              // New events do not replace the event that the user looks at.
              choose(shown.id)
              const at = { trigger, path, value, item: item.value, fields: shown.fields }
              const offer = preferredOf(offersFor(at))
              if (offer) void copy(offer.expression, 'the expression')
            }}
          />
        ))}
      </div>
    </Section>
  )
}

function ItemChoice({ count }: { count: number }) {
  return (
    <select
      aria-label="Item"
      onChange={({ currentTarget }) => {
        item.value = currentTarget.selectedIndex
      }}
    >
      {Array.from({ length: count }, (_, at) => (
        <option key={at} selected={at === item.value}>{`Item ${at + 1} of ${count}`}</option>
      ))}
    </select>
  )
}

/** Every expression for the picked value, with who can write it; stays while others come. */
function Picker() {
  if (!place.value) return <p class="preview">Click a value to copy its expression</p>
  const { trigger, path, value } = place.value
  const current = preferredOf(offered.value)
  return (
    <section class="picker" aria-label="Expressions">
      <header>
        <code class="place">{[trigger, ...path].join(' › ')}</code>
        <button
          type="button"
          class="small"
          onClick={() => void copy(displayText(value), 'the value')}
        >
          Copy value <kbd>v</kbd>
        </button>
        <button
          type="button"
          class="small quiet"
          aria-label="Close the expressions"
          onClick={() => {
            picked.value = undefined
          }}
        >
          ✕
        </button>
      </header>
      <ul>
        {offered.value.map((offer) => (
          <OfferLine key={offer.key} offer={offer} isCurrent={offer === current} />
        ))}
      </ul>
    </section>
  )
}

function OfferLine({ offer, isCurrent }: { offer: Offer; isCurrent: boolean }) {
  const { key, file, where, expression, missing } = offer
  return (
    <li class={`offer${isCurrent ? ' current' : ''}${missing ? ' lacking' : ''}`}>
      <p class="where">
        <strong>{key === 'on' ? 'for hookline build' : where}</strong>
        <span>{file}</span>
      </p>
      <code>{expression}</code>
      <button
        type="button"
        class="small"
        aria-label={`Copy ${expression}`}
        onClick={() => {
          prefer(offer)
          void copy(expression, 'the expression')
        }}
      >
        Copy
      </button>
      {missing && (
        <p class="missing">
          {missing.why}{' '}
          <button type="button" class="line" onClick={() => void copy(missing.line, 'the line')}>
            <code>{missing.line}</code>
          </button>
        </p>
      )}
    </li>
  )
}
