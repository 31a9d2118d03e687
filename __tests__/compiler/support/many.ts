import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { generatedWorkflow } from './generator.ts'

/** As people write them. */
export const MANY_WORKFLOWS: readonly { readonly name: string; readonly text: string }[] =
  Array.from({ length: 400 }, (_, seed) => ({
    name: `number ${seed}`,
    text: generatedWorkflow(seed),
  }))

/** What a workflow is to react to besides. */
export interface Added {
  readonly name: string
  /** Its options, in braces. */
  readonly options: string
}

/** Of every event one item, and of every poll many. */
export const WEBHOOK: Added = { name: 'webhook', options: '{path: /x}' }
export const BOT: Added = { name: 'messaging_bot', options: '{token: "${{ secrets.BOT }}"}' }

/** A workflow with a trigger among its events, in its own style; with comments, where it has lines. */
export function withTrigger(text: string, { name, options }: Added): string {
  const on = parseDocument(text).get('on', true)
  if (isMap(on) && !on.flow) {
    const [start] = on.range ?? [0]
    const lineStart = text.lastIndexOf('\n', start - 1) + 1
    const column = ' '.repeat(start - lineStart)
    const lines = [`# above ${name}`, `${name}: # beside ${name}`, `  ${options.slice(1, -1)}`]
    const added = lines.map((line) => `${column}${line}\n`).join('')
    return `${text.slice(0, lineStart)}${added}${text.slice(lineStart)}`
  }
  const range = isMap(on) || isSeq(on) || isScalar(on) ? on.range : undefined
  const [start, end] = range ?? [0, 0]
  const before = text.slice(0, start)
  const column = start - before.lastIndexOf('\n') - 1
  const written = text.slice(start, end)
  const changed = () => {
    // Behind the last entry, whatever comments follow it.
    const last = isMap(on) ? on.items.at(-1)?.value : undefined
    const [, at = 0] = isMap(last) && last.range ? last.range : []
    if (isMap(on)) return `${text.slice(start, at)}, ${name}: ${options}${text.slice(at, end)}`
    const names = (isSeq(on) ? on.items : [on]).map(String)
    if (name !== WEBHOOK.name) return `{${names.join(': , ')}: , ${name}: ${options}}`
    if (!isSeq(on)) return `[${written}, ${name}]`
    if (on.flow) return written.replace(/,?\s*\]$/, `, ${name}]`)
    return written.replace(/\n?$/, `\n${' '.repeat(column)}- ${name} # beside ${name}\n`)
  }
  const isList = isSeq(on) && !on.flow && name !== WEBHOOK.name
  return `${before}${changed()}${isList ? '\n' : ''}${text.slice(end)}`
}

/** With a job, and a setting of the workflow, that read the context `on`; with comments. */
export function withReader(text: string, { name }: Added): string {
  const document = parseDocument(text)
  const jobs = document.get('jobs', true)
  if (!isMap(jobs) || jobs.flow || !text.endsWith('\n')) return text
  const value = `\${{ on.${name}.outcome }}`
  // Where no job can have it, a setting goes with its comments.
  const areCalls = jobs.items.every(({ value: job }) => isMap(job) && job.has('uses'))
  if (document.has('env') || areCalls) return text
  if (text.length % 3 === 0)
    return `${text}\nenv: { # of env\n  MOVED: "${value}", # beside MOVED\n  # of KEPT\n  KEPT: 1 # beside KEPT\n  }\n`
  return `${text}\n# of env\nenv:\n  # of MOVED\n  MOVED: ${value} # beside MOVED\n  KEPT: 1 # beside KEPT\n`
}
