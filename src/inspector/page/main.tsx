import { effect } from '@preact/signals'
import { render } from 'preact'
import { Composer, compose, isComposing } from './compose.tsx'
import { act, copyBody, DetailView, Problem } from './detail.tsx'
import { Empty } from './empty.tsx'
import { Help, isHelpOpen, listenForKeys, type Shortcut } from './keys.tsx'
import { List, shownPath } from './list.tsx'
import { copyPicked, switchForm } from './outputs.tsx'
import * as state from './state.ts'

const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['j', 'ArrowDown'], label: 'Next request', run: () => step(1) },
  { keys: ['k', 'ArrowUp'], label: 'Request before', run: () => step(-1) },
  { keys: ['Enter', 'o'], label: 'Open it', run: open },
  { keys: ['Escape', 'h'], label: 'Back to the list, follow the newest', run: back },
  { keys: ['n'], label: 'New request', run: () => compose() },
  { keys: ['r'], label: 'Replay', run: () => act('r') },
  { keys: ['e'], label: 'Edit and replay', run: () => act('e') },
  { keys: ['c'], label: 'Copy as curl', run: () => act('c') },
  { keys: ['s'], label: 'Save as fixture', run: () => act('s') },
  { keys: ['b'], label: 'Copy the body', run: copyBody },
  { keys: ['v'], label: 'Copy the picked value', run: copyPicked },
  { keys: ['x'], label: 'Next form of expression', run: switchForm },
  { keys: ['/'], label: 'Filter', run: () => element('filter')?.focus() },
  {
    keys: ['?'],
    label: 'This help',
    run() {
      isHelpOpen.value = true
    },
  },
]

function step(by: 1 | -1): void {
  const inList = element('rows')?.contains(document.activeElement)
  state.step(by)
  requestAnimationFrame(() => {
    const line = currentLine()
    line?.scrollIntoView({ block: 'nearest' })
    if (inList) line?.focus()
  })
}

function open(): void {
  if (state.detail.value) state.choose(state.detail.value.id)
  element('detail')?.focus()
}

/** Back to the list, where the newest is shown again. */
function back(): void {
  if (isComposing.value) isComposing.value = false
  else state.choose('')
  requestAnimationFrame(() => currentLine()?.focus())
}

function element(id: string): HTMLElement | null {
  return document.getElementById(id)
}

function currentLine(): HTMLElement | null {
  return document.querySelector('#rows [aria-current]')
}

function App() {
  return (
    <>
      <button type="button" class="skip" onClick={() => element('detail')?.focus()}>
        Skip to the request
      </button>
      <Bar />
      <Mistakes />
      <main class="panes">
        {isComposing.value ? <Composer /> : <List />}
        <article id="detail" class="detail" aria-label="Request" tabIndex={-1}>
          <Shown />
        </article>
      </main>
      <div id="toast" class={`toast${state.toast.value ? ' shown' : ''}`} role="status">
        {state.toast.value?.text} {state.toast.value?.code && <code>{state.toast.value.code}</code>}
      </div>
      <Help shortcuts={SHORTCUTS} />
    </>
  )
}

const CONNECTION = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
} as const

function Bar() {
  const { value } = state.connection
  return (
    <header class="bar">
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M20 5v13a7 7 0 0 1-14 0v-3m0 0-3 3m3-3 3 3" />
          <circle cx="20" cy="4" r="2.5" />
        </svg>
        Hookline <span>dev</span>
      </h1>
      <p id="connection" class="connection" role="status" data-state={value}>
        {CONNECTION[value]}
      </p>
      <button type="button" onClick={() => compose()}>
        New request <kbd>n</kbd>
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          isHelpOpen.value = true
        }}
      >
        Shortcuts <kbd>?</kbd>
      </button>
    </header>
  )
}

/** What is wrong with the workflow files as they are saved now; before the first request it is shown at length. */
function Mistakes() {
  const problems = state.welcome.value?.problems ?? []
  if (problems.length === 0 || state.summaries.value.size === 0) return null
  return (
    <aside aria-label="Mistakes in workflow files">
      <details class="mistakes">
        <summary>
          <span role="status">
            {problems.length === 1 ? 'A mistake' : `${problems.length} mistakes, the first`} in{' '}
            <code>{place(problems[0] ?? '')}</code>
          </span>
        </summary>
        {problems.map((problem) => (
          <Problem key={problem} text={problem} />
        ))}
      </details>
    </aside>
  )
}

function place(problem: string): string {
  const [, where] = /--> (.+)/.exec(problem) ?? []
  return where ?? problem.split('\n')[0] ?? ''
}

function Shown() {
  const shown = state.shown.value
  if (typeof shown === 'object') return <DetailView detail={shown} />
  if (shown === 'gone') return <p>This request is no longer kept.</p>
  if (shown === 'unreachable') {
    return <p>hookline dev does not answer. Is it still running?</p>
  }
  if (state.current.value !== '') return null
  if (state.summaries.value.size > 0) return <p>No request matches the filter.</p>
  return state.welcome.value ? <Empty welcome={state.welcome.value} /> : null
}

effect(() => {
  const { body } = document
  body.dataset.view = isComposing.value ? 'compose' : state.chosen.value ? 'detail' : 'list'
  body.dataset.empty = String(state.summaries.value.size === 0)
  const shown = state.detail.value
  document.title = shown ? `${shown.method} ${shownPath(shown)} · Hookline dev` : 'Hookline dev'
})

addEventListener('hashchange', () => {
  element('detail')?.scrollTo(0, 0)
  // On a narrow screen the list gives way to the request: the focus goes with it.
  if (location.hash.length > 1 && element('rows')?.offsetParent === null) element('detail')?.focus()
})

const root = element('app')
if (root) render(<App />, root)
listenForKeys(SHORTCUTS)
state.start()
