import { effect, signal } from '@preact/signals'
import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import type { SentResponse, ShownRequest } from '../api.ts'
import { failureMessage } from './connection.ts'
import { showCurrentLine } from './list.tsx'
import {
  headerLines,
  isJson,
  parsed,
  pretty,
  readHeaders,
  readPath,
  replayLine,
} from './request-text.ts'
import { announce, copy, detail, send, welcome } from './state.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** A request as a person writes it. */
interface Draft {
  readonly method: string
  readonly path: string
  readonly headers: string
  readonly body: string
  readonly encoding: ShownRequest['encoding']
  /** Event whose hidden headers are put in again; `null` for one of our own. */
  readonly of: string | null
  /** Signed anew, as the sender would, where the trigger's secret is known. */
  readonly sign: boolean
  /** The body as it came, and as it is shown: unchanged, it is sent byte for byte. */
  readonly original: { readonly body: string; readonly shown: string }
}

const NOTHING: Draft = {
  method: 'POST',
  path: '',
  headers: 'content-type: application/json',
  body: '{}',
  encoding: 'text',
  of: null,
  sign: true,
  original: { body: '{}', shown: '{}' },
}

/** The request in the composer. It stays when the composer is closed, so that no input is lost. */
const draft = signal<Draft>(NOTHING)
export const isComposing = signal(false)
const answer = signal<SentResponse | { readonly failure: string } | undefined>(undefined)

/** Opens the composer with a request, or with what was in it last. */
export function compose(request?: ShownRequest, of: string | null = null): void {
  const begun = request ?? sampleOfChosen()
  if (begun) draft.value = draftOf(begun, of)
  answer.value = undefined
  isComposing.value = true
  // Behind what Preact renders, and before the next key. A field would bring up a keyboard of the screen.
  queueMicrotask(() => {
    const field = isNarrow()
      ? 'composer'
      : draft.value.of === null
        ? 'compose-path'
        : 'compose-body'
    document.getElementById(field)?.focus()
  })
}

/** The sample of the trigger whose request is looked at, as long as nothing was written. */
function sampleOfChosen(): ShownRequest | undefined {
  const shown = detail.value
  if (!shown || draft.value !== NOTHING) return undefined
  return welcome.value?.triggers.find(
    ({ workflow, trigger }) => workflow === shown.workflow && trigger === shown.trigger,
  )?.request
}

/** As the keyboard of the machine names it; both send. */
const SEND_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ ↵' : 'Ctrl ↵'

function isNarrow(): boolean {
  return matchMedia('(max-width: 760px)').matches
}

// The triggers may become known only when the composer is open already.
effect(() => {
  const [first] = welcome.value?.triggers ?? []
  if (isComposing.value && draft.value === NOTHING && first) {
    draft.value = draftOf(first.request, null)
  }
})

function set(change: Partial<Draft>): void {
  draft.value = { ...draft.value, ...change }
}

function draftOf(request: ShownRequest, of: string | null): Draft {
  const { method, path, headers, body, encoding } = request
  const shown = encoding === 'text' ? pretty(body) : body
  const original = { body, shown }
  // A received request is signed already; a new one is not.
  const sign = of === null
  return { method, path, headers: headerLines(headers), body: shown, encoding, of, sign, original }
}

function requestOf({ method, path, headers, body, encoding, original }: Draft): ShownRequest {
  const sent = body === original.shown ? original.body : body
  return { method, path: readPath(path), headers: readHeaders(headers), body: sent, encoding }
}

async function submit(): Promise<void> {
  const { of, sign } = draft.value
  const request = requestOf(draft.value)
  try {
    answer.value = await send(request, of, sign && signingScheme(request.path) !== null)
    // A narrow screen shows one part at a time: after sending, the result.
    if (!isNarrow()) return
    isComposing.value = false
    announce(`Sent, response ${answer.value.status}`)
  } catch (error) {
    answer.value = { failure: failureMessage(error) }
  }
}

/** A request of one's own, beside what becomes of it. */
export function Composer() {
  const { method, path, headers, body, encoding, of } = draft.value
  const isJsonGiven = encoding === 'text' && /json/i.test(headers) && body !== ''
  const isBroken = isJsonGiven && parsed(body) === undefined
  const plain = { spellcheck: false, autocomplete: 'off' } as const
  return (
    <form
      id="composer"
      class="composer"
      tabIndex={-1}
      aria-labelledby="composer-title"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
      onKeyDown={onFormKey}
    >
      <div class="title">
        <h2 id="composer-title">{of === null ? 'New request' : 'Edit and replay'}</h2>
        <button type="button" class="quiet" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <div class="address">
        <Field label="Method" id="compose-method">
          <select
            id="compose-method"
            value={method}
            onChange={({ currentTarget }) => set({ method: currentTarget.value })}
          >
            {METHODS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        <Field label="Path" id="compose-path">
          <input
            id="compose-path"
            required
            list="compose-paths"
            placeholder="hook/webhook"
            value={path}
            onInput={({ currentTarget }) => set({ path: currentTarget.value })}
            {...plain}
          />
          <datalist id="compose-paths">
            {welcome.value?.triggers.map(({ request }) => (
              <option key={request.path} value={request.path} />
            ))}
          </datalist>
        </Field>
      </div>
      <Field
        label="Headers"
        id="compose-headers"
        hint={
          of === null ? 'One a line.' : 'One header a line. *** is replaced by the hidden value.'
        }
      >
        <textarea
          id="compose-headers"
          rows={4}
          value={headers}
          aria-describedby="compose-headers-hint"
          onInput={({ currentTarget }) => set({ headers: currentTarget.value })}
          {...plain}
        />
      </Field>
      <Field
        label={encoding === 'text' ? 'Body' : 'Body, as base64'}
        id="compose-body"
        hint={isBroken ? 'The body is not JSON, but the content type is.' : ''}
        grows
      >
        <textarea
          id="compose-body"
          rows={5}
          value={body}
          aria-describedby={isBroken ? 'compose-body-hint' : undefined}
          onInput={({ currentTarget }) => set({ body: currentTarget.value })}
          {...plain}
        />
      </Field>
      <Sign />
      <Answer />
      <Buttons />
    </form>
  )
}

/** How the sender signs to whom a path leads; `null` where nothing has to be signed. */
function signingScheme(path: string): string | null {
  const [, address = ''] = /^([^/?]+\/[^/?]+)/.exec(readPath(path)) ?? []
  const trigger = welcome.value?.triggers.find(({ request }) =>
    `${request.path}/`.startsWith(`${address}/`),
  )
  return address === '' ? null : (trigger?.scheme ?? null)
}

function Sign() {
  const { path, sign } = draft.value
  const scheme = signingScheme(path)
  if (scheme === null) return null
  return (
    <label class="sign">
      <input
        type="checkbox"
        checked={sign}
        onChange={({ currentTarget }) => set({ sign: currentTarget.checked })}
      />{' '}
      Sign it now as <code>{scheme}</code>, with the secret of the trigger
    </label>
  )
}

function Buttons() {
  return (
    <div class="buttons">
      <button
        type="button"
        class="quiet"
        onClick={() =>
          void copy(replayLine(requestOf(draft.value), location.origin), 'the command')
        }
      >
        Copy as curl
      </button>
      <button type="submit" class="primary">
        Send <kbd>{SEND_KEYS}</kbd>
      </button>
    </div>
  )
}

interface FieldProps {
  label: string
  id: string
  hint?: string
  /** Takes what height there is. */
  grows?: boolean
  children: ComponentChildren
}

function Field({ label, id, hint, grows, children }: FieldProps) {
  return (
    <div class={`field${grows ? ' grows' : ''}`}>
      <label for={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

/** The response that the sender would get; for a refusal, the fault and the fix. */
function Answer() {
  const given = answer.value
  if (!given) return <p class="answer" role="status" />
  if ('failure' in given) {
    return (
      <p class="answer refused" role="status">
        Not sent: {given.failure}
      </p>
    )
  }
  const { status, body } = given
  // The relay's own form of an error; `JSON.parse` gives any.
  const { error } = isJson(body) ? JSON.parse(body) : {}
  const texts = [error?.message, error?.hint].filter((text) => typeof text === 'string')
  return (
    <p class={`answer ${status < 400 ? 'taken' : 'refused'}`} role="status">
      Response <strong>{status}</strong> {texts.join(' ') || <code>{body}</code>}
    </p>
  )
}

function close(): void {
  isComposing.value = false
  showCurrentLine(true)
}

function onFormKey(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, ctrlKey, metaKey, currentTarget } = event
  if (key === 'Enter' && (ctrlKey || metaKey)) currentTarget.requestSubmit()
  else if (key === 'Escape') close()
  else return
  event.preventDefault()
  event.stopPropagation()
}
