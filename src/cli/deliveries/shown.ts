import { listOf } from '../../wire/github-api.ts'
import { isObject } from '../../wire/json.ts'
import type { AdminAnswer } from '../relay-client.ts'

const MARKS: Readonly<Record<string, string>> = {
  ok: 'ok',
  failed: 'FAILED',
  waiting: 'waiting',
  skipped: '-',
  unknown: 'unknown',
}

/**
 * One delivery as text: what it is, its stages, and its request.
 *
 * @param answer of the admin API: `delivery`, `request` and `stages`
 * @param relay value of --relay, which the commands that cure a fault need as well
 */
export function deliveryText(answer: AdminAnswer, relay: string | undefined): string {
  const { delivery, request, stages } = answer
  const shown = listOf(stages)
  const about = isObject(delivery) ? aboutText(delivery) : ''
  const way = shown.map((stage) => stageText(stage, relay)).join('\n')
  const isFine = isObject(delivery) && delivery.state === 'delivered' && !shown.some(hasCure)
  const next = isFine ? withRelay(nextText(delivery), relay) : ''
  return [about, way, next, requestText(request)].filter(Boolean).join('\n\n')
}

function aboutText(delivery: AdminAnswer): string {
  const { id, request, endpoint, endpointDeleted, owner, repository, path, state } = delivery
  const { replayOf, batch } = delivery
  const deleted = endpointDeleted ? ' (deleted)' : ''
  const lines = [
    ['delivery', String(id)],
    ...(request === id ? [] : [['request', String(request)]]),
    ...(replayOf === undefined ? [] : [['replays', String(replayOf)]]),
    ...(batch === undefined ? [] : [['batch', String(batch)]]),
    ['endpoint', endpoint === null ? 'none (a token URL)' : `${owner}/${endpoint}${deleted}`],
    ['starts', `${repository} ${path}`],
    ['state', String(state)],
  ]
  return lines.map(([name = '', value]) => `${name.padEnd(WIDTH)}${value}`).join('\n')
}

/** Columns of the names. */
const WIDTH = 11

function hasCure({ cure }: AdminAnswer): boolean {
  return typeof cure === 'string'
}

/** The commands for an event that GitHub accepted. */
function nextText({ id, request, owner, endpoint, repository }: AdminAnswer): string {
  const again = `To run it again: hookline deliveries replay ${id}`
  // With several targets, each delivery has an id of its own.
  if (endpoint === null || request !== id) return again
  const target = `--target ${repository}:<workflow>`
  return `${again}\nTo start another workflow, too: hookline endpoint update ${owner}/${endpoint} ${target}`
}

function stageText(stage: AdminAnswer, relay: string | undefined): string {
  const { stage: name, state, at, found, wanted, cure } = stage
  const time = typeof at === 'string' ? at : ''
  const mark = MARKS[String(state)] ?? String(state)
  const head = `${String(name).padEnd(WIDTH)}  ${mark.padEnd(7)}  ${time.padEnd(24)}`
  const isFault = state === 'failed' || state === 'waiting'
  const details = [
    ...(isFault && typeof wanted === 'string' ? [`wanted: ${wanted}`] : []),
    ...(typeof cure === 'string' ? [`cure:   ${withRelay(cure, relay)}`] : []),
  ]
  const line = `${head}  ${typeof found === 'string' ? found : ''}`.trimEnd()
  return [line, ...details.map((text) => `${' '.repeat(WIDTH + 2)}${text}`)].join('\n')
}

/** The commands of a cure, for the relay that was asked. */
export function withRelay(cure: string, relay: string | undefined): string {
  if (relay === undefined) return cure
  return cure.replace(/hookline (?:endpoint|deliveries) (?:[a-z]+ )?[^\s,;]+/g, (command) => {
    return `${command} --relay ${relay}`
  })
}

function requestText(request: unknown): string {
  if (!isObject(request)) return 'the relay stores no request of this delivery'
  const { method, path, query, headers, body, bodyEncoding, isCut, bodyUrl } = request
  const search = query ? `?${query}` : ''
  const lines = isObject(headers)
    ? Object.entries(headers).map(([name, value]) => (value === null ? name : `${name}: ${value}`))
    : []
  const notes = [
    ...(bodyEncoding === 'base64' ? ['(base64)'] : []),
    ...(isCut ? ['(only the beginning is stored)'] : []),
    ...(typeof bodyUrl === 'string' ? [`(stored at ${bodyUrl})`] : []),
  ]
  const text = typeof body === 'string' ? body : ''
  const content = [notes.join(' '), text].filter(Boolean).join('\n')
  return [`${method} ${path}${search}`, ...lines, '', content].join('\n').trimEnd()
}
