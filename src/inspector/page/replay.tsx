import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { MOST_REPLAYED } from '../api.ts'
import { failureMessage, sendReplay } from './connection.ts'
import {
  announce,
  choose,
  deliveryCount,
  mark,
  marked,
  showWhenListed,
  summaries,
  visibleRequests,
} from './state.ts'

/** The open question: the ids to replay, and how many of them were sent again so far. */
const question = signal<{ readonly ids: readonly string[]; readonly done: number } | undefined>(
  undefined,
)
const isSending = signal(false)

/** Asks with the number of deliveries before anything is replayed. */
export function askReplay(ids: readonly string[]): void {
  const possible = ids.filter((id) => summaries.value.get(id)?.relay?.canReplay)
  if (possible.length === 0) {
    announce('Not replayed: a refused request has no stored payload')
    return
  }
  question.value = { ids: possible, done: 0 }
}

/** The number of marked deliveries, and what can be done with them. */
export function Marks() {
  const count = marked.value.size
  const all = visibleRequests.value.filter(({ relay }) => relay?.canReplay)
  return (
    <div class="marks">
      {count === 0 ? (
        <button
          type="button"
          class="small quiet"
          disabled={all.length === 0}
          onClick={() =>
            mark(
              all.map(({ id }) => id),
              true,
            )
          }
        >
          Select all {all.length.toLocaleString('en')} <kbd>a</kbd>
        </button>
      ) : (
        <>
          <button type="button" class="small" onClick={() => askReplay([...marked.value])}>
            Replay {deliveryCount(count)}…
          </button>
          <button
            type="button"
            class="small quiet"
            onClick={() => {
              marked.value = new Set()
            }}
          >
            Clear the selection
          </button>
        </>
      )}
    </div>
  )
}

/** Asks before it replays: the number first, and what a replay of an accepted event means. */
export function ReplayDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  const asked = question.value
  useLayoutEffect(() => {
    if (asked && !dialog.current?.open) dialog.current?.showModal()
    if (!asked) dialog.current?.close()
  }, [asked !== undefined])
  const ids = asked?.ids ?? []
  const accepted = ids.filter((id) => summaries.value.get(id)?.outcome === 'delivered').length
  return (
    <dialog
      id="replay"
      class="dialog"
      ref={dialog}
      aria-labelledby="replay-title"
      onClose={({ currentTarget }) => {
        // The event comes late: the next question may be open already.
        if (!currentTarget.open && !isSending.value) question.value = undefined
      }}
      onCancel={(event) => {
        if (isSending.value) event.preventDefault()
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void replayAll(ids)
        }}
      >
        <h2 id="replay-title">Replay {deliveryCount(ids.length)}?</h2>
        {accepted > 0 && (
          <p>
            GitHub accepted{' '}
            {accepted < ids.length
              ? `${accepted} of the events`
              : accepted === 1
                ? 'the event'
                : 'the events'}{' '}
            already. Each is sent again as a new delivery, and starts a run of its own.
          </p>
        )}
        <p class="hint" role="status">
          {isSending.value && `${asked?.done ?? 0} of ${ids.length} sent`}
        </p>
        <div class="buttons">
          <button
            type="button"
            class="quiet"
            disabled={isSending.value}
            onClick={() => {
              question.value = undefined
            }}
          >
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isSending.value}>
            Replay {ids.length.toLocaleString('en')}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** Sends them in parts, so that a page that is closed stops a long replay. */
async function replayAll(ids: readonly string[]): Promise<void> {
  isSending.value = true
  const replayed: string[] = []
  const failures: string[] = []
  let failed = 0
  let done = 0
  try {
    while (done < ids.length) {
      const part = ids.slice(done, done + MOST_REPLAYED)
      const result = await sendReplay({ ids: part })
      replayed.push(...result.ids)
      failures.push(...result.failures)
      failed += result.failed
      done += part.length
      question.value = { ids, done }
    }
  } catch (error) {
    failures.push(failureMessage(error))
    failed += ids.length - done
  }
  isSending.value = false
  question.value = undefined
  marked.value = new Set()
  const why = failures[0] === undefined ? '' : `; ${failed} not replayed: ${failures[0]}`
  announce(`${deliveryCount(ids.length - failed)} replayed${why}`)
  const [only, ...others] = replayed
  if (only === undefined || others.length > 0) return
  if (summaries.value.has(only)) choose(only)
  else showWhenListed(only)
}
