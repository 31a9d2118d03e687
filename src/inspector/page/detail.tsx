import { MESSAGE_LEVELS, textsAtLevel } from '../../wire/messages.ts'
import { counted } from '../../wire/printable.ts'
import {
  type Detail,
  type SentResponse,
  type ShownPlace,
  type ShownProblem,
  type ShownRequest,
  VERIFYING,
} from '../api.ts'
import { compose, isComposing } from './compose.tsx'
import { failureMessage, sendToDev } from './connection.ts'
import { Jobs } from './jobs.tsx'
import {
  dayAndTime,
  JobsLabel,
  Method,
  newerCount,
  OutcomeLabel,
  replayMarked,
  shownMilliseconds,
  shownPath,
  WAYS,
} from './list.tsx'
import { OutputsView } from './outputs.tsx'
import { fixtureName, fixtureText, pretty, replayLine } from './request-text.ts'
import { Preformatted, Section, ValueList } from './section.tsx'
import { Stages, Values } from './stages.tsx'
import { announce, choose, copy, loaded, localBase, marked, send } from './state.ts'

/** The actions on a request, by their keys: each with its label and its function. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  r: {
    label: 'Replay',
    isPrimary: true,
    run: ({ id, relay }, request) => {
      if (relay) replayMarked()
      else void announceSent(send(request, id), (status) => `Sent again, response ${status}`)
    },
  },
  d: {
    label: 'Open in dev',
    source: 'relay',
    run: ({ id }) =>
      void announceSent(
        sendToDev(id),
        (status) => `Sent to ${localBase()}, response ${status}: see the inspector of hookline dev`,
      ),
  },
  e: {
    label: 'Edit and replay',
    source: 'dev',
    run: ({ id }, request) => compose(request, id),
  },
  c: {
    label: 'Copy as curl',
    run: (_, request) => void copy(replayLine(request, localBase()), 'the command'),
  },
  s: {
    label: 'Save as fixture',
    run: (_, request) => save(fixtureName(request), fixtureText(request)),
  },
}

interface Action {
  readonly label: string
  /** The one that stands out. */
  readonly isPrimary?: boolean
  /** The source that has the action; without it, both have it. */
  readonly source?: 'dev' | 'relay'
  run(detail: Detail, request: ShownRequest): void
}

/** The actions that a request has: nothing can be sent of which only a part is stored. */
function actionsOf({ request, missing, relay }: Detail): [key: string, action: Action][] {
  if (!request && !relay?.canReplay) return []
  const isHere = ({ source }: Action) =>
    source === undefined || source === (relay ? 'relay' : 'dev')
  return Object.entries(ACTIONS).filter(
    ([key, action]) => isHere(action) && (missing === null || (key === 'r' && relay?.canReplay)),
  )
}

/** Does something with the request that is chosen, as soon as it is here. */
export async function act(key: string): Promise<void> {
  // The one that is shown may be a refused one, which cannot be replayed.
  if (key === 'r' && marked.value.size > 0) return replayMarked()
  const chosen = await loaded()
  const [, action] = (chosen ? actionsOf(chosen) : []).find(([name]) => name === key) ?? []
  if (chosen) action?.run(chosen, chosen.request ?? NO_REQUEST)
}

/** Only a replay needs none: the relay has the event. */
const NO_REQUEST: ShownRequest = { method: '', path: '', headers: {}, body: '', encoding: 'text' }

/** Copies the body of the request that is chosen, byte for byte. */
export async function copyBody(): Promise<void> {
  const body = (await loaded())?.request?.body
  if (body) void copy(body, 'the body')
}

async function announceSent(
  sending: Promise<SentResponse>,
  words: (status: number) => string,
): Promise<void> {
  try {
    announce(words((await sending).status))
  } catch (error) {
    announce(`Not sent: ${failureMessage(error)}`)
  }
}

function save(name: string, text: string): void {
  const link = document.createElement('a')
  link.download = name
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
  announce(`Saved ${name}`)
}

/** All that is known of one event. */
export function DetailView({ detail: shown }: { detail: Detail }) {
  const { request, items, found, missing } = shown
  const actions = actionsOf(shown)
  return (
    <>
      <a class="back" href="/inspector/#">
        ← {shown.relay ? 'All deliveries' : 'All requests'}
      </a>
      <Heading detail={shown} />
      {actions.length > 0 && (
        <div class="actions">
          {actions.map(([key, { label, isPrimary }]) => (
            <button
              key={key}
              type="button"
              class={isPrimary && !isComposing.value ? 'primary' : undefined}
              onClick={() => void act(key)}
            >
              {label}
              <kbd>{key}</kbd>
            </button>
          ))}
        </div>
      )}
      {shown.relay ? <Stages stages={shown.stages} /> : <Decisions detail={shown} />}
      {shown.relay && <Values values={shown.values} />}
      {items.length > 0 && <OutputsView detail={shown} />}
      {shown.jobs.length > 0 && <Jobs files={shown.jobs} />}
      {isPrepared(shown) && <Found found={found} />}
      {request && <Request request={request} missing={missing} />}
      {!request && missing !== null && <p class="missing-request">{missing}</p>}
    </>
  )
}

function Heading({ detail: shown }: { detail: Detail }) {
  const { time, milliseconds, delivery, origin, event, of } = shown
  const newer = newerCount()
  return (
    <header class="heading">
      <h2>
        <Method summary={shown} /> <span class="path">{shownPath(shown)}</span>
      </h2>
      <p class="facts">
        <OutcomeLabel summary={shown} />
        <JobsLabel summary={shown} />
        {event !== null && <span class="event">{event}</span>}
        <time dateTime={time}>{dayAndTime(time)}</time>
        {milliseconds !== null && <span>{shownMilliseconds(milliseconds)}</span>}
        {WAYS[origin] !== '' && <span>{WAYS[origin]}</span>}
        {of !== null && <a href={`#${of}`}>Show the original</a>}
        {delivery && (
          <span class="delivery">
            delivery <code>{delivery}</code>
          </span>
        )}
        {newer > 0 && (
          <button type="button" class="small" onClick={() => choose('')}>
            {newer} newer
          </button>
        )}
      </p>
    </header>
  )
}

/** The worst first; the class of each, and what stands before it. */
const LEVELS = { error: 'Error', warning: 'Warning', notice: 'Notice' } as const

function Decisions({ detail: shown }: { detail: Detail }) {
  const { decisions, reason, problems, messages } = shown
  return (
    <Section name="decision" title="Decision">
      {reason && !problems.some(({ text }) => text === reason) && (
        <p class="reason">{asSentence(reason)}</p>
      )}
      {problems.map((problem) => (
        <ProblemView key={problem} problem={problem} />
      ))}
      {MESSAGE_LEVELS.map((level) =>
        textsAtLevel(messages, level).map((text) => (
          <p key={`${level} ${text}`} class={`message ${level}s`}>
            {LEVELS[level]}: {text}
          </p>
        )),
      )}
      {decisions.length > 0 && (
        <ul class="decisions card">
          {decisions.map((decision) => (
            <DecisionView key={decision.trigger} decision={decision} />
          ))}
        </ul>
      )}
    </Section>
  )
}

/**
 * A mistake of a workflow file. Its line keeps its columns and scrolls; what would do stands below
 * it and breaks its lines, so that nothing of it is cut off.
 */
export function ProblemView({ problem: { text, place, notes } }: { problem: ShownProblem }) {
  return (
    <div class="problem">
      <p>{text}</p>
      {place && (
        <Preformatted label={`${place.file}:${place.line}`}>{framedLine(place)}</Preformatted>
      )}
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </div>
  )
}

/** The line with its number, and a mark below what is wrong in it. */
function framedLine({ file, line, column, length, text }: ShownPlace): string {
  const margin = ' '.repeat(String(line).length + 1)
  return [
    `${margin}--> ${file}:${line}:${column}`,
    ` ${line} | ${text}`,
    `${margin} | ${' '.repeat(column - 1)}${'^'.repeat(length)}`,
  ].join('\n')
}

const VERDICTS = { fired: 'Fired', unverified: 'Not verified', skipped: 'Skipped' } as const

function DecisionView({ decision }: { decision: Detail['decisions'][number] }) {
  const { trigger, fired, reason, checks, tally } = decision
  const isUnverified = checks.some(({ option, held }) => !held && VERIFYING.has(option))
  const verdict = fired ? 'fired' : isUnverified ? 'unverified' : 'skipped'
  // Nothing to tell of the one item that went straight through.
  const shownTally = tally && (tally.found !== 1 || tally.steps.length > 0) ? tally : undefined
  return (
    <li>
      <p class="verdict">
        <code>{trigger}</code>
        <span class={`outcome ${verdict}`}>{VERDICTS[verdict]}</span>
        {checks.length === 0 && !shownTally && <span>{reason}</span>}
      </p>
      {checks.length > 0 && (
        <ul class="checks">
          {checks.map(({ option, held, found }) => (
            <li key={option} class={held ? 'held' : 'missed'}>
              <span class="unseen">{held ? 'held: ' : 'did not hold: '}</span>
              <code>{option}</code> {found}
            </li>
          ))}
        </ul>
      )}
      {shownTally && (
        <div class="account">
          <p>{`${counted(shownTally.found, 'item')} found, ${shownTally.passedOn} passed on`}</p>
          {shownTally.steps.length > 0 && (
            <ul aria-label="config">
              {shownTally.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ul>
          )}
        </div>
      )}
    </li>
  )
}

/** Whether `config` changed anything. */
function isPrepared({ found, items }: Detail): boolean {
  const outputs = items.flatMap((context) =>
    Object.values(context).flatMap((one) => (one.outcome === 'success' ? [one.outputs] : [])),
  )
  return found.length > 0 && JSON.stringify(found) !== JSON.stringify(outputs)
}

function Found({ found }: Pick<Detail, 'found'>) {
  return (
    <Section name="found" title={`Before config: ${counted(found.length, 'item')}`}>
      <Preformatted label="Items before config" body>
        {JSON.stringify(found, null, 2)}
      </Preformatted>
    </Section>
  )
}

function Request({ request, missing }: { request: ShownRequest; missing: string | null }) {
  const { headers, body, encoding } = request
  return (
    <Section
      name="request"
      title="Request"
      head={
        <>
          {encoding === 'base64' && (
            <span class="label">no text: base64 of {base64Size(body)}</span>
          )}
          {body !== '' && (
            <button type="button" class="quiet" onClick={() => void copyBody()}>
              Copy body <kbd>b</kbd>
            </button>
          )}
        </>
      }
    >
      {missing !== null && <p class="missing-request">{missing}</p>}
      {body !== '' && (
        <Preformatted label="Body" body>
          {encoding === 'text' ? pretty(body) : body}
        </Preformatted>
      )}
      <ValueList values={Object.entries(headers).map(([name, value]) => ({ name, value }))} />
    </Section>
  )
}

/** How many bytes a base64 text stands for. */
function base64Size(base64: string): string {
  const { length } = base64.replaceAll('=', '')
  return counted(Math.floor((length * 3) / 4), 'byte')
}

function asSentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
