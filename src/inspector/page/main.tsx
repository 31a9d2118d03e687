import { effect, signal } from '@preact/signals'
import { render } from 'preact'
import type { ShownProblem, Welcome } from '../api.ts'
import { Composer, compose, isComposing } from './compose.tsx'
import { ACTIONS, act, copyBody, DetailView, ProblemView } from './detail.tsx'
import { List, showCurrentLine, shownPath, toggleAllMarks, toggleMark } from './list.tsx'
import { copyPicked, switchForm } from './outputs.tsx'
import { ReplayDialog } from './replay.tsx'
import { Preformatted } from './section.tsx'
import * as state from './state.ts'

interface Shortcut {
  readonly keys: readonly string[]
  readonly label: string
  /** The source for which the shortcut has an effect; without it, both. */
  readonly source?: 'dev' | 'relay'
  run(): void
}

const SHORTCUTS: readonly Shortcut[] = [
  { keys: ['j', 'ArrowDown'], label: 'Next request', run: () => stepTo(1) },
  { keys: ['k', 'ArrowUp'], label: 'Request before', run: () => stepTo(-1) },
  { keys: ['Enter', 'o'], label: 'Open it', run: openChosen },
  { keys: ['Escape', 'h'], label: 'Back to the list, follow the newest', run: back },
  { keys: ['n'], label: 'New request', source: 'dev', run: () => compose() },
  { keys: ['m'], label: 'Select for a replay', source: 'relay', run: toggleMark },
  { keys: ['a'], label: 'Select all, or none', source: 'relay', run: toggleAllMarks },
  ...Object.entries(ACTIONS).map(([key, { label, source }]) => ({
    ...{ keys: [key], label },
    ...(source && { source }),
    run: () => void act(key),
  })),
  { keys: ['b'], label: 'Copy the body', run: () => void copyBody() },
  { keys: ['v'], label: 'Copy the selected value', run: copyPicked },
  { keys: ['x'], label: 'Next form of expression', run: switchForm },
  { keys: ['/'], label: 'Filter', run: () => elementById('filter')?.focus() },
  { keys: ['?'], label: 'This help', run: showHelp },
]

/** Before the page knows its source, only the shortcuts of both sources. */
function shortcutsHere(): readonly Shortcut[] {
  const welcome = state.welcome.value
  const here = welcome && (welcome.relay ? 'relay' : 'dev')
  return SHORTCUTS.filter(({ source }) => source === undefined || source === here)
}

function stepTo(by: 1 | -1): void {
  const inList = elementById('rows')?.contains(document.activeElement)
  state.step(by)
  showCurrentLine(inList === true)
}

function openChosen(): void {
  // What is shown may still be the request before, while this one comes.
  state.choose(state.current.value)
  elementById('detail')?.focus()
}

/** Back to the list, where the newest is shown again. */
function back(): void {
  if (isComposing.value) isComposing.value = false
  else state.choose('')
  showCurrentLine(true)
}

/** An event that arrives does not replace what is read or selected with the mouse. */
function hold(): void {
  const id = state.detail.value?.id
  if (id !== undefined && id === state.current.value && !state.chosen.value) state.choose(id)
}

function elementById(id: string): HTMLElement | null {
  return document.getElementById(id)
}

function App() {
  return (
    <>
      <button type="button" class="skip" onClick={() => elementById('detail')?.focus()}>
        Skip to the request
      </button>
      <Bar />
      <Mistakes />
      <main class="panes">
        {isComposing.value ? <Composer /> : <List />}
        <article
          id="detail"
          class="detail"
          aria-label="Request"
          tabIndex={-1}
          onPointerDown={hold}
          onWheel={hold}
        >
          <Shown />
        </article>
      </main>
      <div id="toast" class={`toast${state.toast.value ? ' shown' : ''}`} role="status">
        {state.toast.value?.text} {state.toast.value?.code && <code>{state.toast.value.code}</code>}
      </div>
      <Help />
      <ReplayDialog />
    </>
  )
}

const CONNECTION = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Connection lost, trying again',
  closed: 'Restarted: open the address that the command printed',
} as const

function Bar() {
  const welcome = state.welcome.value
  const relay = welcome?.relay
  // Before the page knows its source, the shortcuts of one source have no effect.
  const isReady = welcome !== undefined || state.connection.value !== 'live'
  const value = isReady ? state.connection.value : 'connecting'
  const isFaulty = value === 'live' && relay?.fault != null
  return (
    <header class="bar">
      <h1>
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M20 5v13a7 7 0 0 1-14 0v-3m0 0-3 3m3-3 3 3" />
          <circle cx="20" cy="4" r="2.5" />
        </svg>
        Hookline <span>{welcome && (relay ? relay.host : 'dev')}</span>
      </h1>
      <p id="connection" class="connection" role="status" data-state={isFaulty ? 'lost' : value}>
        {isFaulty ? relay.fault : CONNECTION[value]}
      </p>
      {welcome && !relay && (
        <button type="button" onClick={() => compose()}>
          New request <kbd>n</kbd>
        </button>
      )}
      <button type="button" class="quiet" onClick={showHelp}>
        Shortcuts <kbd>?</kbd>
      </button>
    </header>
  )
}

/** The mistakes in the saved workflow files; in full before the first request. */
function Mistakes() {
  const problems = state.welcome.value?.problems ?? []
  if (problems.length === 0 || state.summaries.value.size === 0) return null
  return (
    <aside aria-label="Mistakes in workflow files">
      <details class="mistakes">
        <summary>
          <span role="status">
            {problems.length === 1 ? 'A mistake' : `${problems.length} mistakes, the first`} in{' '}
            <code>{place(problems[0])}</code>
          </span>
        </summary>
        {problems.map((problem) => (
          <ProblemView key={problem.text} problem={problem} />
        ))}
      </details>
    </aside>
  )
}

function place(problem: ShownProblem | undefined): string {
  if (!problem?.place) return problem?.text ?? ''
  const { file, line, column } = problem.place
  return `${file}:${line}:${column}`
}

function Shown() {
  const shown = state.shown.value
  if (typeof shown === 'object') return <DetailView detail={shown} />
  if (shown === 'gone') return <p>This request is no longer stored.</p>
  if (shown === 'unreachable') {
    return <p>{state.fault.value}</p>
  }
  if (state.current.value !== '') return null
  const {
    welcome: { value: welcome },
  } = state
  if (state.summaries.value.size > 0) {
    return <p>{welcome?.relay ? 'No delivery' : 'No request'} matches the filter.</p>
  }
  if (welcome?.relay) return <NoDelivery host={welcome.relay.host} />
  return welcome ? <Empty welcome={welcome} /> : null
}

const EXAMPLE = `# workflows/hook.yml
on:
  webhook:
    method: post
jobs:
  greet:
    runs-on: ubuntu-latest
    steps:
      - run: echo "A request has arrived."
`

/** The page of a relay before the first delivery. */
function NoDelivery({ host }: { host: string }) {
  return (
    <div class="empty">
      <h2>Waiting for the first delivery</h2>
      <p>
        {host} has no deliveries yet. Requests to an endpoint appear here. To print the URL of an
        endpoint, run <code>hookline endpoint show &lt;name&gt; --url</code>.
      </p>
    </div>
  )
}

/** The page before the first request: the addresses to send one to. */
function Empty({ welcome: { triggers, polled, polling, problems } }: { welcome: Welcome }) {
  const [first] = triggers
  const awaited = first ? 'request' : polling && polled.length > 0 ? 'message' : undefined
  const curl = triggers.find((trigger) => trigger.curl !== null)?.curl
  return (
    <div class="empty">
      <h2>{awaited ? `Waiting for the first ${awaited}` : 'No trigger is waiting'}</h2>
      {first ? curl && <FirstSteps curl={curl} /> : polled.length === 0 && <NoTrigger />}
      {first && (
        <p>
          Or write one here:{' '}
          <button type="button" onClick={() => compose()}>
            New request <kbd>n</kbd>
          </button>
        </p>
      )}
      {triggers.length > 0 && <Addresses triggers={triggers} />}
      {polled.length > 0 && (
        <p>
          {polling ? 'Polled: ' : 'Polled with hookline dev --poll: '}
          <code>{polled.join(', ')}</code>
        </p>
      )}
      {problems.map((problem) => (
        <ProblemView key={problem.text} problem={problem} />
      ))}
    </div>
  )
}

function FirstSteps({ curl }: { curl: string }) {
  return (
    <>
      <p>Run this command in a terminal; the request appears here:</p>
      <div class="curl">
        <Preformatted label="Command">{curl}</Preformatted>
        <button type="button" onClick={() => void state.copy(curl, 'the command')}>
          Copy
        </button>
      </div>
    </>
  )
}

function NoTrigger() {
  return (
    <>
      <p>Add a workflow file to the folder workflows, for example:</p>
      <Preformatted label="Workflow" body>
        {EXAMPLE}
      </Preformatted>
      <p>Changes take effect when you save the file.</p>
    </>
  )
}

function Addresses({ triggers }: Pick<Welcome, 'triggers'>) {
  return (
    <div>
      <h3>Addresses</h3>
      <ul class="addresses">
        {triggers.map(({ method, url, curl, request }) => (
          <li key={`${method} ${url}`}>
            <span class="method">{method}</span>
            <code>{url}</code>
            <button
              type="button"
              class="quiet"
              aria-label={`Compose a request for ${method} ${url}`}
              onClick={() => compose(request)}
            >
              Compose
            </button>
            {curl !== null && (
              <button
                type="button"
                class="quiet"
                aria-label={`Copy curl for ${method} ${url}`}
                onClick={() => void state.copy(curl, 'the command')}
              >
                Copy curl
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Dictated words are characters to a page, so these shortcuts can be switched off (WCAG 2.1.4). */
const hasCharacterKeys = signal(state.setting('shortcuts') !== 'off')

function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (ctrlKey || metaKey || altKey) return
    // The names of other keys, such as Escape, are longer.
    if (key.length === 1 && !hasCharacterKeys.value) return
    // The `close` event of a dialog comes later than the next key may, so this asks the dialog itself.
    if (document.querySelector('dialog[open]')) return
    const shortcut = shortcutsHere().find(({ keys }) => keys.includes(key))
    if (!shortcut) return
    if (target instanceof Element) {
      if (target.matches('input:not([type=checkbox]), textarea, select')) return
      // Enter presses what has the focus, and arrows scroll what is read.
      if (key === 'Enter' && target.matches('a, button, summary')) return
      if (key.startsWith('Arrow') && !target.closest('.list')) return
    }
    event.preventDefault()
    shortcut.run()
  })
}

const help = () => document.querySelector<HTMLDialogElement>('#help')

function showHelp(): void {
  help()?.showModal()
}

function Help() {
  return (
    <dialog id="help" class="dialog" aria-labelledby="help-title">
      <form method="dialog">
        <h2 id="help-title">Shortcuts</h2>
        <dl class="shortcuts">
          {shortcutsHere().map(({ keys, label }) => (
            <div key={label}>
              <dt>
                {keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
        </dl>
        <p>The arrow keys work while the list has the focus.</p>
        <label class="toggle">
          <input
            type="checkbox"
            checked={hasCharacterKeys}
            onChange={({ currentTarget }) => {
              hasCharacterKeys.value = currentTarget.checked
              state.keep('shortcuts', currentTarget.checked ? 'on' : 'off')
            }}
          />{' '}
          Single-character shortcuts
        </label>
        <div class="buttons">
          {/* Not the box that comes first: a Space, to go on, would switch the shortcuts off. */}
          <button type="submit" class="primary" autofocus>
            Close
          </button>
        </div>
      </form>
    </dialog>
  )
}

effect(() => {
  const { body } = document
  body.dataset.view = isComposing.value ? 'compose' : state.chosen.value ? 'detail' : 'list'
  body.dataset.empty = String(state.summaries.value.size === 0)
  const shown = state.detail.value
  const { value: welcome } = state.welcome
  const name = welcome ? (welcome.relay ? 'Hookline deliveries' : 'Hookline dev') : 'Hookline'
  document.title = shown ? `${shown.method} ${shownPath(shown)} · ${name}` : name
})

// Two lines would look chosen: the one that has the focus, and the one that is shown.
effect(() => {
  if (state.current.value === '') return
  requestAnimationFrame(() => {
    if (elementById('rows')?.contains(document.activeElement)) showCurrentLine(true)
  })
})

const root = elementById('app')
if (root) render(<App />, root)
listenForKeys()
state.start()

// After the listener of `state`, so that the page shows already what is chosen.
addEventListener('hashchange', () => {
  // A click on a value chooses the request that is shown already: what is read stays in its place.
  if (state.detail.value?.id !== location.hash.slice(1)) elementById('detail')?.scrollTo(0, 0)
  // On a narrow screen the list gives way to the request: the focus goes with it.
  if (location.hash.length > 1 && elementById('rows')?.offsetParent === null)
    elementById('detail')?.focus()
})
