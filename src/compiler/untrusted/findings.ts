import type { Scalar } from 'yaml'
import type { Position, Problem, Source } from '../../wire/errors.ts'
import { WORKFLOW_INPUT } from '../../wire/payload.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import { ScalarText, type Span } from '../spans.ts'
import {
  actionOf,
  type Flow,
  flowOf,
  HOOKLINE_ACTION,
  type JobFlow,
  type LintedFile,
  type StepFlow,
  taints,
} from './flow.ts'
import { childOf, entriesOf, type Place, type TextPlace, textOf, textsOf } from './nodes.ts'
import { scriptOf } from './script.ts'
import type { Scope } from './taint.ts'

/** Text from outside that is pasted into something that is run, or written where it is obeyed. */
export interface Finding {
  /** The key whose value it stands in: `run`, `container.image`. */
  readonly key: string
  /** The text in which it stands. */
  readonly text: TextPlace
  /** Where in the value: the inside of one `${{ }}`, unless a variable of the script brings it. */
  readonly at: Span
  readonly isExpression: boolean
  readonly step: StepFlow | undefined
  readonly job: JobFlow | undefined
  readonly problem: Problem
}

/**
 * Every place of a file where the sender of an event could choose what is run, in the file's order.
 *
 * @param inputs the inputs of this workflow that a sender worded, in lower case
 * @throws UserError when the file has more steps than a workflow can have
 */
export function findUntrusted(
  file: LintedFile,
  inputs: ReadonlySet<string> = NO_INPUTS,
): Finding[] {
  const flow = flowOf(file, new Set([...OWN_INPUTS, ...inputs]))
  const texts = new Texts(file.source)
  const sinks = [
    ...defaultsOf(flow.top, flow.scope),
    ...environment(childOf(flow.top, 'env'), flow.scope),
    ...flow.jobs.flatMap(sinksOfJob),
  ]
  // An alias shows the same text in several places; it is found once for each of them.
  const found = new Map(
    sinks
      .flatMap((sink) => inSink(flow, texts, sink))
      .map((one) => [`${offsetIn(one.text)}:${one.at.start}:${one.key}`, one]),
  )
  return [...found.values()].sort((one, other) => offsetOf(one) - offsetOf(other))
}

/** A webhook that a relay handed on as an input, and the events that a compiled workflow gets. */
const OWN_INPUTS: ReadonlySet<string> = new Set([WORKFLOW_INPUT, 'on'])

const NO_INPUTS: ReadonlySet<string> = new Set()

/** Problems of one file that are shown; of a file that has more, that it has. */
const MOST_SHOWN = 100

/** What `findUntrusted` finds, for people to read. */
export function untrustedProblems(file: LintedFile, inputs = NO_INPUTS): Problem[] {
  const findings = findUntrusted(file, inputs)
  const shown = findings.slice(0, MOST_SHOWN).map(({ problem }) => problem)
  const last = shown.at(-1)
  if (!last || findings.length === shown.length) return shown
  return shown.with(-1, {
    ...last,
    notes: [`and ${findings.length - shown.length} more in this file`],
  })
}

/** A workflow or an action of the same repository, with the inputs for which it gets such text. */
export interface UntrustedCall {
  /** As `uses` names it, without `./`: `.github/workflows/called.yml`, `.github/actions/made`. */
  readonly file: string
  /** In lower case. */
  readonly inputs: readonly string[]
}

export function untrustedCalls(file: LintedFile, inputs = NO_INPUTS): UntrustedCall[] {
  const { jobs, expressions } = flowOf(file, new Set([...OWN_INPUTS, ...inputs]))
  return jobs
    .flatMap(({ place, scope, steps }) => [{ place, scope }, ...steps])
    .flatMap(({ place, scope }) => {
      const uses = textOf(childOf(place, 'uses')) ?? ''
      const given = entriesOf(childOf(place, 'with')).filter(({ value }) =>
        taints(value, scope, expressions),
      )
      const names = given.map(({ name }) => name.toLowerCase())
      return /^\.\/./.test(uses) && names.length > 0 ? [{ file: uses.slice(2), inputs: names }] : []
    })
}

function offsetIn({ alias, node }: TextPlace): number {
  return rangeOf(alias ?? node)[0]
}

function offsetOf({ text, at }: Finding): number {
  return offsetIn(text) + at.start
}

/** A value that is run, or decides what is. */
interface Sink {
  readonly key: string
  readonly place: Place | undefined
  readonly scope: Scope
  readonly advice: string
  readonly step?: StepFlow
  readonly job?: JobFlow
}

const ADVICE = {
  script: 'put it into "env:", and read the variable here',
  shell: 'name the shell itself here',
  folder: 'choose among folders of your own, with a condition',
  image: 'choose among images of your own, with a condition',
  runner: 'choose among runners of your own, with a condition',
  arguments: 'hand it on in "env:", and let the program read it there',
  checkout: 'check out what this repository names; code that a sender chose runs as yours',
  variable: 'give it a name of your own: this one decides what programs do',
  environment:
    'read it from "env:" in the step that needs it: a line break in it sets any variable',
}

function defaultsOf(place: Place, scope: Scope): Sink[] {
  const run = childOf(place, 'defaults', 'run')
  return [
    { key: 'shell', place: childOf(run, 'shell'), scope, advice: ADVICE.shell },
    {
      key: 'working-directory',
      place: childOf(run, 'working-directory'),
      scope,
      advice: ADVICE.folder,
    },
  ]
}

function sinksOfJob(job: JobFlow): Sink[] {
  const { place, scope } = job
  const services = childOf(place, 'services')
  const containers = [
    ['container', childOf(place, 'container')] as const,
    ...entriesOf(services).map(({ value }) => ['services', value] as const),
    ...(textOf(services) === undefined ? [] : [['services', services] as const]),
  ]
  const sinks = [
    ...defaultsOf(place, scope),
    ...environment(childOf(place, 'env'), scope),
    { key: 'runs-on', place: childOf(place, 'runs-on'), scope, advice: ADVICE.runner },
    ...containers.flatMap(([key, container]) => inContainer(key, container, scope)),
  ]
  return [
    ...sinks.map((sink) => ({ ...sink, job })),
    ...job.steps.flatMap((step) => sinksOfStep(job, step)),
  ]
}

/** Parts of a container that choose what runs in it, and what of the machine it gets. */
const OF_CONTAINERS = ['image', 'options', 'volumes', 'entrypoint', 'command']

function inContainer(key: string, container: Place | undefined, scope: Scope): Sink[] {
  if (textOf(container) !== undefined)
    return [{ key, place: container, scope, advice: ADVICE.image }]
  const parts = OF_CONTAINERS.map((part) => ({
    key: `${key}.${part}`,
    place: childOf(container, part),
    scope,
    advice: ADVICE.image,
  }))
  return [...parts, ...environment(childOf(container, 'env'), scope)]
}

/** Variables that decide what other programs do. */
const GOVERNING = new Set(
  `ACTIONS_ALLOW_UNSECURE_COMMANDS BASH_ENV BROWSER CDPATH CLASSPATH COMSPEC DOTNET_STARTUP_HOOKS EDITOR
  ENV GCONV_PATH GITHUB_ENV GITHUB_PATH IFS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS LESSOPEN LUA_INIT MAKEFLAGS
  MAVEN_OPTS NODE_OPTIONS NODE_PATH OPENSSL_CONF PAGER PATH PERL5DB PERL5LIB PERL5OPT PERLLIB
  PROMPT_COMMAND PS1 PS2 PS4 PSMODULEPATH PYTHONHOME PYTHONPATH PYTHONSTARTUP RUBYLIB RUBYOPT SHELL
  SHELLOPTS BASHOPTS SSH_ASKPASS VISUAL _JAVA_OPTIONS`.split(/\s+/),
)

/** True for a variable that decides what programs do: no text from outside may stand in it. */
export function isGoverning(name: string): boolean {
  const upper = name.toUpperCase()
  return GOVERNING.has(upper) || /^(?:DYLD_|GIT_|LD_|NPM_CONFIG_)/.test(upper)
}

function environment(env: Place | undefined, scope: Scope, step?: StepFlow): Sink[] {
  const governing = entriesOf(env).filter(({ name }) => isGoverning(name))
  // A whole mapping from outside may hold any name.
  const places = textOf(env) === undefined ? governing.map(({ value }) => value) : [env]
  return places.map((place) => ({
    key: 'env',
    place,
    scope,
    advice: ADVICE.variable,
    ...(step && { step }),
  }))
}

function sinksOfStep(job: JobFlow, step: StepFlow): Sink[] {
  const { place, scope, uses } = step
  const inputs = entriesOf(childOf(place, 'with'))
  const sinks = [
    { key: 'run', place: childOf(place, 'run'), scope, advice: ADVICE.script },
    { key: 'shell', place: childOf(place, 'shell'), scope, advice: ADVICE.shell },
    {
      key: 'working-directory',
      place: childOf(place, 'working-directory'),
      scope,
      advice: ADVICE.folder,
    },
    ...environment(childOf(place, 'env'), scope),
    ...inputs.flatMap(({ name, value }) => {
      const advice = adviceOn(uses, name.toLowerCase())
      return advice ? [{ key: name, place: value, scope, advice }] : []
    }),
  ]
  return sinks.map((sink) => ({ ...sink, job, step }))
}

/** Inputs that run what they are given, whatever the action is called. */
const RUNNING = new Set('script inlinescript inline-script run command commands cmd'.split(' '))

/**
 * Inputs of well-known actions that run what they are given, or fill it into a template that runs.
 *
 * Sources: the sinks of code injection in zizmor and in CodeQL's models; the actions' own pages
 */
const RUNNING_INPUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['8398a7/action-slack', ['custom_payload']],
  ['addnab/docker-run-action', ['options', 'run', 'shell']],
  ['cardinalby/js-eval-action', ['expression']],
  ['changesets/action', ['publish', 'version']],
  ['cypress-io/github-action', ['build', 'command', 'install-command', 'start', 'wait-on']],
  ['gautamkrishnar/blog-post-workflow', ['item_exec']],
  [
    'imjohnbo/issue-bot',
    ['body', 'linked-comments-new-issue-text', 'linked-comments-previous-issue-text'],
  ],
  ['lucasbento/auto-close-issues', ['issue-close-message']],
  ['nick-fields/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
  ['nick-invision/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
  ['roots/issue-closer-action', ['issue-close-message', 'pr-close-message']],
  ['skitionek/notify-microsoft-teams', ['overwrite']],
  ['tibdex/backport', ['body_template', 'head_template', 'labels_template', 'title_template']],
])

function adviceOn(uses: string, input: string): string | undefined {
  const action = actionOf(uses)
  if (RUNNING.has(input) || RUNNING_INPUTS.get(action)?.includes(input)) return ADVICE.script
  if (input === 'args' || input === 'entrypoint') return ADVICE.arguments
  if (action === 'actions/checkout' && ['ref', 'repository'].includes(input)) return ADVICE.checkout
  return input === 'on' && HOOKLINE_ACTION.test(uses) ? ADVICE.script : undefined
}

function inSink({ expressions }: Flow, texts: Texts, sink: Sink): Finding[] {
  const found = textsOf(sink.place).flatMap((text) => {
    const spans = expressions.untrusted(text.node.value, sink.scope)
    return spans.map((at) => finding(texts, sink, text, at, true))
  })
  const [text] = textsOf(sink.place)
  const isScript = sink.key === 'run' || sink.key === 'script'
  if (!isScript || !sink.step || !text || found.length > 0) return found
  const script = scriptOf(text.node.value, expressions.spansOf(text.node.value))
  return sink.step.writes.unbounded.map(({ start, end }) => {
    const at = { start: script.toValue(start), end: script.toValue(end) }
    return finding(texts, { ...sink, advice: ADVICE.environment }, text, at, false)
  })
}

function finding(
  texts: Texts,
  { key, advice, step, job }: Sink,
  text: TextPlace,
  at: Span,
  isExpression: boolean,
): Finding {
  const message = isExpression
    ? `untrusted text in "${key}": whoever sends the event could choose what runs`
    : 'untrusted text is written where every later step obeys it'
  return {
    ...{ key, text, at, isExpression, step, job },
    // Only of those that are shown the place is looked up.
    get problem() {
      return { message, position: texts.positionOf(text, at), hint: advice }
    },
  }
}

/** The texts of a file; each is held against its source once. */
class Texts {
  readonly #source: Source
  readonly #written = new Map<Scalar, ScalarText>()

  constructor(source: Source) {
    this.#source = source
  }

  /** Of an alias, the alias itself. */
  positionOf({ alias, node }: TextPlace, { start, end }: Span): Position {
    if (alias) return positionAt(this.#source, ...rangeOf(alias))
    const written = this.#written.get(node) ?? new ScalarText(this.#source.text, node)
    this.#written.set(node, written)
    const inside = node.value.slice(start, end)
    const from = start + inside.length - inside.trimStart().length
    const span = written.span(from, Math.max(from + 1, start + inside.trimEnd().length))
    return positionAt(this.#source, span.start, span.end)
  }
}
