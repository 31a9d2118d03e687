import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { keep, setting } from './state.ts'

export interface Shortcut {
  readonly keys: readonly string[]
  readonly label: string
  run(): void
}

export const isHelpOpen = signal(false)
/** A speech user's words are keys to a page, so these can be switched off (WCAG 2.1.4). */
const enabled = signal(setting('shortcuts') !== 'off')

export function listenForKeys(shortcuts: readonly Shortcut[]): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event
    if (!enabled.value || ctrlKey || metaKey || altKey || isTyping(target)) return
    if (isHelpOpen.value) return
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key))
    if (!shortcut || belongsTo(target, key)) return
    event.preventDefault()
    shortcut.run()
  })
}

export function Help({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isHelpOpen.value) dialog.current?.showModal()
  }, [isHelpOpen.value])
  return (
    <dialog
      ref={dialog}
      id="help"
      class="dialog"
      aria-labelledby="help-title"
      onClose={() => {
        isHelpOpen.value = false
      }}
    >
      <form method="dialog">
        <h2 id="help-title">Shortcuts</h2>
        <dl class="shortcuts">
          {shortcuts.map(({ keys, label }) => (
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
        <p class="hint">
          Within a tree: arrow keys to move, open and close, Enter to copy the expression.
        </p>
        <label class="toggle">
          <input
            type="checkbox"
            checked={enabled}
            onChange={({ currentTarget }) => {
              enabled.value = currentTarget.checked
              keep('shortcuts', enabled.value ? 'on' : 'off')
            }}
          />{' '}
          Single-key shortcuts
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Close
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** Enter presses what has the focus, and arrows scroll what is read. */
function belongsTo(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false
  if (key === 'Enter') return target.matches('a, button')
  return key.startsWith('Arrow') && !target.closest('.list')
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select')
  )
}
