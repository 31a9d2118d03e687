import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Detail } from '../api.ts'
import { fetchDetail } from './connection.ts'
import { changes, type Difference } from './difference.ts'
import { Section } from './section.tsx'

/** The differences between a replay and its original: in the request, if it was edited, and in the result. */
export function Changes({ detail, of }: { detail: Detail; of: string }) {
  const original = useSignal<Detail | 'gone' | undefined>(undefined)
  useEffect(() => {
    const kept = fetchDetail(of).catch(() => undefined)
    void kept.then((found) => {
      original.value = found ?? 'gone'
    })
  }, [of])
  const before = original.value
  if (before === undefined) return null
  return (
    <Section
      name="changes"
      class="changes"
      title="Against the original"
      head={before !== 'gone' && <a href={`#${of}`}>Show the original</a>}
    >
      <div class="card">
        {before === 'gone' ? (
          <p>The original is no longer stored.</p>
        ) : (
          <Comparison before={before} after={detail} />
        )}
      </div>
    </Section>
  )
}

function Comparison({ before, after }: { before: Detail; after: Detail }) {
  const { request, result } = changes(before, after)
  if (request.length + result.length === 0) return <p>Request and result are the same.</p>
  return (
    <>
      {request.length > 0 && <ChangeList title="Request" changes={request} />}
      {result.length > 0 && <ChangeList title="Result" changes={result} />}
      {request.length === 0 && <p>The request is the same.</p>}
      {result.length === 0 && <p>The result is otherwise the same.</p>}
    </>
  )
}

function ChangeList({ title, changes }: { title: string; changes: readonly Difference[] }) {
  return (
    <>
      <h4>{title}</h4>
      <ul aria-label={title}>
        {changes.map(({ place, before, after }) => {
          const [was, is] = fromDifference(before, after)
          return (
            <li key={place} class="change">
              <code>{place}</code>
              <span>
                {was !== undefined && <del>{was}</del>}
                {was !== undefined && is !== undefined && <span class="unseen"> became </span>}
                {is !== undefined && <ins>{is}</ins>}
              </span>
            </li>
          )
        })}
      </ul>
    </>
  )
}

/** Characters of a value that are shown, and of what it has in common with the other one. */
const LENGTH = { shown: 160, common: 24 }

/** Cuts long values to the part where they begin to differ. */
function fromDifference(
  before: string | undefined,
  after: string | undefined,
): (string | undefined)[] {
  let common = 0
  if (before !== undefined && after !== undefined) {
    while (before[common] !== undefined && before[common] === after[common]) common++
  }
  const from = common > LENGTH.shown / 2 ? common - LENGTH.common : 0
  return [before, after].map((text) => {
    if (text === undefined) return undefined
    const part = text.slice(from, from + LENGTH.shown)
    return `${from > 0 ? '…' : ''}${part}${text.length > from + LENGTH.shown ? '…' : ''}`
  })
}
