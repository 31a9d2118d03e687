/** Workflows in the styles that people write: each is made of the choices that its number stands for. */

/** A small generator of even numbers: the same seed, the same file. */
class Choices {
  #state: number

  constructor(seed: number) {
    this.#state = (seed + 1) * 0x9e3779b9
  }

  /** Below `count`. */
  next(count: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) + 0x3d4d51cb) | 0
    const mixed = this.#state ^ (this.#state >>> 13)
    return (mixed >>> 0) % count
  }

  of<One>(...all: readonly One[]): One {
    return all[this.next(all.length)] as One // `next` is below their count
  }

  often(): boolean {
    return this.next(3) > 0
  }

  seldom(): boolean {
    return this.next(4) === 0
  }
}

class Writer {
  readonly #choices: Choices
  readonly #step: string
  readonly #lines: string[] = []
  #comments = 0

  constructor(choices: Choices) {
    this.#choices = choices
    this.#step = ' '.repeat(choices.of(2, 2, 4))
  }

  line(depth: number, text: string): Writer {
    if (this.#choices.seldom())
      this.#lines.push(`${this.#step.repeat(depth)}# above ${this.#tag()}`)
    const beside = this.#choices.seldom() && !/[|>]-?$/.test(text) ? ` # beside ${this.#tag()}` : ''
    this.#lines.push(`${this.#step.repeat(depth)}${text}${beside}`)
    return this
  }

  /** As it stands, as the lines of a script do. */
  plain(depth: number, text: string): Writer {
    this.#lines.push(`${this.#step.repeat(depth)}${text}`)
    return this
  }

  gap(): void {
    if (this.#choices.often()) this.#lines.push('')
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`
  }

  #tag(): number {
    this.#comments += 1
    return this.#comments
  }
}

/** A valid workflow that listens for events of GitHub. */
export function generatedWorkflow(seed: number): string {
  const choices = new Choices(seed)
  const writer = new Writer(choices)
  if (choices.often())
    writer.line(0, choices.of('name: build', "name: 'It''s built'", 'name: "CI: all"'))
  writer.gap()
  writeEvents(writer, choices)
  writer.gap()
  if (choices.seldom()) writer.line(0, choices.of('permissions: {}', 'permissions: read-all'))
  if (choices.seldom()) {
    writer.line(0, 'concurrency:')
    writer.line(1, `group: ${choices.of('ci', '${{ github.workflow }}-${{ github.ref }}')}`)
    writer.line(1, 'cancel-in-progress: true')
  }
  if (choices.seldom()) {
    writer.line(0, 'env:')
    writer.line(1, 'LEVEL: info')
    writer.line(1, "QUOTED: 'a: b # no comment'")
  }
  if (choices.seldom()) {
    writer.line(0, 'defaults: {')
    writer.line(1, 'run: {shell: bash}')
    writer.line(1, '}')
  }
  writer.gap()
  writer.line(0, 'jobs:')
  const names = ['build', 'test', 'deploy_all', 'report'].slice(0, 1 + choices.next(4))
  names.forEach((name, at) => {
    writeJob(writer, choices, name, names.slice(0, at))
    writer.gap()
  })
  return writer.text()
}

function writeEvents(writer: Writer, choices: Choices): Writer {
  const form = choices.next(7)
  if (form === 6) {
    writer.line(0, 'on: {')
    writer.line(1, 'push: {branches: [main]},')
    writer.line(1, 'workflow_dispatch: {}')
    writer.line(1, '}')
    return choices.often() ? writer.plain(1, '# below on') : writer
  }
  if (form === 0) return writer.line(0, 'on: push')
  if (form === 1) return writer.line(0, 'on: [push, pull_request]')
  if (form === 2) return writer.line(0, 'on: {push: {branches: [main]}, workflow_dispatch: {}}')
  if (form === 3) {
    writer.line(0, 'on:')
    // Two comments in a row, beside `on` and above this, would be one: whose, nobody can tell.
    writer.plain(1, '- push')
    return writer.line(1, '- pull_request')
  }
  writer.line(0, choices.of('on:', '"on":'))
  writer.line(1, 'push:')
  if (choices.often()) writer.line(2, choices.of('branches: [main]', "tags: ['v*']"))
  if (form === 5) {
    writer.line(1, 'schedule:')
    writer.line(2, "- cron: '17 3 * * *'")
  }
  return writer
}

function writeJob(
  writer: Writer,
  choices: Choices,
  name: string,
  before: readonly string[],
): Writer {
  writer.line(1, `${name}:`)
  if (choices.seldom()) writer.line(2, 'name: ${{ matrix.os }} of it')
  const [first, second] = before
  if (first && choices.often()) writeNeeds(writer, choices, second ? [first, second] : [first])
  if (choices.often()) writeCondition(writer, choices, first)
  writer.line(2, choices.of('runs-on: ubuntu-latest', 'runs-on: [self-hosted, linux]'))
  writeStrategy(writer, choices, before)
  if (choices.seldom()) writer.line(2, 'timeout-minutes: 5')
  writeVariables(writer, choices, before)
  if (choices.seldom()) {
    writer.line(2, 'outputs:')
    writer.line(3, 'version: ${{ steps.version.outputs.value }}')
  }
  writer.line(2, 'steps:')
  const steps = 1 + choices.next(4)
  for (let at = 0; at < steps; at++) writeStep(writer, choices, at)
  return writer
}

/** Of others than the first job, in braces over lines. */
function writeVariables(writer: Writer, choices: Choices, before: readonly string[]): void {
  if (before.length === 0 || !choices.seldom()) return
  writer.line(2, 'env: {')
  writer.line(3, 'A: &one 1,')
  writer.line(3, 'B: *one')
  writer.line(3, '}')
}

/** Of the first job, with an anchor; of others, sometimes as its alias. */
function writeStrategy(writer: Writer, choices: Choices, before: readonly string[]): void {
  if (before.length > 0 && choices.seldom()) {
    writer.line(2, 'strategy: *shared')
    return
  }
  writer.line(2, before.length > 0 ? 'strategy:' : 'strategy: &shared')
  writer.line(3, choices.of('matrix: {os: [a, b]}', 'matrix: { "os": ["a"] }'))
}

function writeNeeds(writer: Writer, choices: Choices, names: readonly string[]): Writer {
  const form = choices.next(3)
  if (form === 0 && names.length === 1) return writer.line(2, `needs: ${names[0]}`)
  if (form === 1) return writer.line(2, `needs: [${names.join(', ')}]`)
  writer.line(2, 'needs:')
  for (const name of names) writer.line(3, `- ${name}`)
  return writer
}

function writeCondition(writer: Writer, choices: Choices, first: string | undefined): Writer {
  const form = choices.next(5)
  if (form === 0) return writer.line(2, "if: github.ref == 'refs/heads/main'")
  if (form === 1) return writer.line(2, 'if: ${{ always() }}')
  if (form === 2) return writer.line(2, `if: "github.actor != 'bot' && !cancelled()"`)
  if (form === 3 && first) return writer.line(2, `if: success() || github.event_name == 'push'`)
  writer.line(2, 'if: >-')
  writer.plain(3, "github.event_name == 'push' ||")
  writer.plain(3, 'failure()')
  return writer
}

function writeStep(writer: Writer, choices: Choices, at: number): Writer {
  const form = choices.next(5)
  if (form === 0) return writer.line(3, '- uses: actions/checkout@v4')
  if (form === 1) return writer.line(3, `- { name: 'Say', run: "echo ${at}" }`)
  if (form === 2) {
    writer.line(3, `- name: Set up ${at}`)
    writer.plain(3, '  uses: actions/setup-node@v4')
    writer.plain(3, '  with:')
    return writer.plain(3, `    node-version: "24"${choices.seldom() ? ' # the one' : ''}`)
  }
  writer.line(3, `- run: ${choices.of('|', '>', '|-')}`)
  writer.plain(3, '    # of the script, and no comment')
  writer.plain(3, '    echo "$A: ${{ github.sha }}"')
  if (form === 4) {
    writer.plain(3, '  env:')
    writer.plain(3, "    A: '1'")
  }
  return writer
}
