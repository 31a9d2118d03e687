import { isMap } from 'yaml'
import { NATIVE_EVENTS } from '../../wire/events.ts'
import { EVENT_TYPE, WORKFLOW_INPUT } from '../../wire/payload.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import {
  childOf,
  entriesOf,
  itemsOf,
  type MappingEntry,
  type Place,
  textOf,
  textsAt,
} from '../../workflow/nodes.ts'
import { eventNames, type SourceTrigger, typesOfDispatch } from '../../workflow/on.ts'
import { actionSteps, type Job } from '../../workflow/steps.ts'
import { didYouMean, nearestName } from '../../workflow/suggestion.ts'
import { RESULTS } from '../evaluate-expression.ts'
import {
  bindOutputs,
  dispatchShape,
  ENDED,
  eventRead,
  eventShape,
  outputNames,
  outputsOfStep,
} from './outputs.ts'
import {
  ANY,
  EVENT_TEXT,
  EVENT_VALUE,
  eventText,
  hasUntrusted,
  type NameFault,
  objectShape,
  ownObject,
  ownText,
  type Shape,
  textOfShape,
  unknownNameFault,
} from './shapes.ts'
import { type ContextShapes, typed } from './typed.ts'

/** The shapes of GitHub's contexts at each position of a file, as far as Hookline's outputs decide them. */
export class FileContexts {
  readonly #top: Place
  readonly #jobs: ReadonlyMap<string, Job>
  readonly #triggers: readonly SourceTrigger[]
  /** The expressions of the file by their text. */
  readonly #expressions: ReadonlyMap<string, FileExpression>
  /** True for a source of Hookline; the compiler adds a job before its jobs. */
  readonly #isSource: boolean
  /** The contexts that are the same at every position. */
  readonly #shared: ContextShapes
  /** The contexts by position, since many expressions share one. */
  readonly #contexts = new Map<string, ContextShapes>()
  readonly #jobShapes = new Map<string, Shape>()
  readonly #matrices = new Map<string, Shape>()
  readonly #hooklineIds: readonly string[]

  /** @param triggers that the file declares; none if not all of them are known */
  constructor(
    top: Place,
    jobs: readonly Job[],
    isSource: boolean,
    triggers: readonly SourceTrigger[],
    expressions: readonly FileExpression[],
  ) {
    this.#top = top
    this.#isSource = isSource
    this.#triggers = triggers
    this.#expressions = new Map(expressions.map((one) => [one.text, one]))
    this.#jobs = new Map(jobs.map((job) => [job.name.toLowerCase(), job]))
    this.#hooklineIds = jobs.flatMap((job) => actionSteps(job).flatMap(({ id }) => id ?? []))
    this.#shared = lazily({
      github: () => this.#github(),
      inputs: () => this.#inputs(),
      on: () => (isSource ? eventShape(triggers) : ANY),
    })
  }

  at({ path }: Pick<FileExpression, 'path'>): ContextShapes {
    const place = path[2] === 'steps' ? path.slice(0, 5) : path.slice(0, 3)
    const key = place.join('\n')
    const known = this.#contexts.get(key) ?? this.#contextsAt(path)
    this.#contexts.set(key, known)
    return known
  }

  #contextsAt(path: FileExpression['path']): ContextShapes {
    const job = path[0] === 'jobs' ? this.#jobs.get(String(path[1]).toLowerCase()) : undefined
    if (path[0] === 'on') return lazily({ jobs: () => this.#allJobs() }, this.#shared)
    if (!job) return this.#shared
    const isCondition = path[2] === 'if'
    const ofJob = {
      needs: () => this.#needsOf(job, isCondition),
      matrix: () => (isCondition ? ANY : this.#matrixOf(job)),
    }
    const isAfter = path[2] === 'outputs' || path[2] === 'environment'
    if (path[2] !== 'steps' && !isAfter) return lazily(ofJob, this.#shared)
    const step = isAfter ? undefined : Number(path[3])
    const ofStep = { ...ofJob, steps: () => this.#stepsOf(job, step) }
    const contexts = lazily(ofStep, this.#shared)
    // The variables of a step cannot read each other.
    const reader = path[4] === 'env' ? undefined : step
    return lazily({ env: () => this.#envOf(job, reader, contexts) }, contexts)
  }

  /** Only the input `hookline`, in which a relay passes the event. */
  #inputs(): Shape {
    const on = childOf(this.#top, 'on')
    const isDeclared = ['workflow_dispatch', 'workflow_call'].some(
      (event) => childOf(on, event, 'inputs', WORKFLOW_INPUT) !== undefined,
    )
    const others = ['workflow_dispatch', 'workflow_call'].flatMap((event) =>
      entriesOf(childOf(on, event, 'inputs')).map(({ name }) => name.toLowerCase()),
    )
    const hookline = eventText(dispatchShape(true))
    return objectShape(
      isDeclared ? [[WORKFLOW_INPUT, hookline]] : [],
      (name) => {
        if (others.includes(name.toLowerCase())) return undefined
        if (nearestName(name, [WORKFLOW_INPUT]) === undefined) return undefined
        if (this.#isSource) {
          // A build can declare the input itself.
          if (name.toLowerCase() === WORKFLOW_INPUT) return undefined
          return {
            ...this.#inSource('unknown-input', `input "${name}"`),
            whole: (rest) => `toJSON(on)${rest}`,
          }
        }
        const message = `the workflow has no input "${name}"`
        const hint = isDeclared ? didYouMean(name, [WORKFLOW_INPUT]) : undefined
        const declare = `declare it: workflow_dispatch: {inputs: {${WORKFLOW_INPUT}: {type: string}}}`
        return { code: 'unknown-input', message, hint: hint ?? declare }
      },
      ANY,
    )
  }

  #github(): Shape {
    const events = eventNames(this.#top).map(({ name }) => name)
    const types = typesOfDispatch(this.#top)
    const listens = events.includes('repository_dispatch')
    // Without types, or with others, other programs send events too.
    const isOnly = listens ? types.length > 0 : this.#isSource
    const isOwn = types.every(({ node }) => node.value === EVENT_TYPE)
    const payload = dispatchShape(isOnly && isOwn)
    const actions = types.map(({ node }) => node.value)
    const hasOwnActions = events.every((one) => !NATIVE_EVENTS.has(one) || HAS_NO_ACTION.has(one))
    const action: Shape =
      isOnly && hasOwnActions
        ? { kind: 'text', values: [...actions, ...(this.#isSource ? [EVENT_TYPE] : []), ''] }
        : ANY
    const event = objectShape(
      [
        ['client_payload', payload],
        ['inputs', this.#inputs()],
        ['action', action],
      ],
      (name) => {
        const hint = didYouMean(name, ['client_payload'])
        if (hint === undefined || (!listens && !this.#isSource)) return undefined
        return { code: 'unknown-output', message: `the event has no field "${name}"`, hint }
      },
      ANY,
    )
    const name = { kind: 'text', values: [...NATIVE_EVENTS, 'dynamic'] } as const
    return objectShape([['event', event] as const, ['event_name', name]], undefined, ANY)
  }

  /** The fault of an access to an output of the action in a source, which reads the event as `on`. */
  #inSource(code: string, what: string): NameFault {
    const message = `the source has no ${what}: it reads the event as "on"`
    return { code, message, whole: (rest) => eventRead(this.#triggers, rest) }
  }

  /** @param isCondition for the `if` of the job itself, in which GitHub also knows indirect needs */
  #needsOf(job: Job, isCondition: boolean): Shape {
    const named = neededIds(job)
    if (named.some((name) => name.includes('${{'))) return ANY
    const names = isCondition ? this.#indirect(named) : named
    const shapes = names.map((name) => [name, this.#jobShape(name)] as const)
    return objectShape(shapes, (name) => {
      if (this.#isSource && name.toLowerCase() === 'on')
        return this.#inSource('unknown-need', 'job "on"')
      const ofHookline = [...this.#jobs.values()].filter((one) => this.#passesEvents(one.name))
      const there = ofHookline.find((one) => one.name.toLowerCase() === name.toLowerCase())?.name
      if (there !== undefined) {
        const message = `the job "${there}" is not in "needs" of "${job.name}"`
        const hint = `write needs: [${[...named, there].join(', ')}]`
        return { code: 'unknown-need', message, hint }
      }
      const known = ofHookline.map((one) => one.name)
      const isOther = this.#jobs.has(name.toLowerCase())
      const isMeant =
        nearestName(name, known) !== undefined ||
        names.some((one) => known.some((own) => own.toLowerCase() === one.toLowerCase()))
      if (isOther || !isMeant) return undefined
      const message = `the workflow has no job "${name}"`
      const needed = known.find((one) => names.includes(one))
      const hint = needed === undefined ? didYouMean(name, known) : `did you mean "${needed}"?`
      return { code: 'unknown-need', message, ...(hint && { hint }) }
    })
  }

  /** Whether an output of a job comes from Hookline. */
  #passesEvents(name: string): boolean {
    const job = this.#jobs.get(name.toLowerCase())
    if (!job) return false
    return actionSteps(job).length > 0 || hasUntrusted(this.#jobShape(name))
  }

  /** The jobs that have ended before the given jobs run. */
  #indirect(names: readonly string[]): string[] {
    const all = new Map(names.map((name) => [name.toLowerCase(), name]))
    // Iterating over a map also visits keys that are added during the iteration.
    for (const key of all.keys()) {
      const job = this.#jobs.get(key)
      for (const name of job ? neededIds(job) : []) {
        if (!all.has(name.toLowerCase())) all.set(name.toLowerCase(), name)
      }
    }
    return [...all.values()]
  }

  #allJobs(): Shape {
    return objectShape(
      [...this.#jobs.values()].map(({ name }) => [name, this.#jobShape(name)]),
      undefined,
      ANY,
    )
  }

  #jobShape(name: string): Shape {
    const key = name.toLowerCase()
    const known = this.#jobShapes.get(key)
    if (known) return known
    this.#jobShapes.set(key, ANY) // for a circle of needs, which GitHub rejects
    const job = this.#jobs.get(key)
    const declared = childOf(job?.value, 'outputs')
    if (!job || childOf(job.value, 'uses') || textOf(declared) !== undefined) return ANY
    const hasAction = actionSteps(job).length > 0
    const outputs = this.#outputsOf(job, declared, hasAction)
    if (!hasAction && !hasUntrusted(outputs)) return ANY
    const shape = ownObject(
      [
        ['outputs', outputs],
        ['result', hasAction ? ownText(RESULTS) : ownText()],
      ],
      (field, fields) => fieldFault(`needs.${name}`, field, fields, outputs),
    )
    this.#jobShapes.set(key, shape)
    return shape
  }

  #outputsOf(job: Job, declared: Place | undefined, hasAction: boolean): Shape {
    const entries = entriesOf(declared).map(({ name, value }) => {
      const text = textOf(value)
      const at = { path: ['jobs', job.name, 'outputs', name] }
      const shape = text === undefined ? ANY : textOfShape(this.shapeOfText(text, this.at(at)))
      return [name, shape] as const
    })
    const own = entries.filter(([, shape]) => shape.isHookline).map(([name]) => name)
    const bound = bindOutputs(job.name, entries)
    const step = hasAction ? actionSteps(job)[0] : undefined
    return ownObject(bound, (name, known) => {
      if (!hasAction && nearestName(name, own) === undefined) return undefined
      const message = `the job "${job.name}" has no output "${name}"`
      const id = step?.id
      const isOutput = id !== undefined && outputNames(this.#triggers).includes(name.toLowerCase())
      const add = `add to the outputs of "${job.name}": ${name}: \${{ steps.${id}.outputs.${name} }}`
      return unknownNameFault(message, name, known, 'declared', isOutput ? add : undefined)
    })
  }

  /** @param before index of the step that reads them; without it, the end of the job */
  #stepsOf(job: Job, before: number | undefined): Shape {
    const steps = itemsOf(childOf(job.value, 'steps'))
    // The outputs of parallel steps can be read by all later steps.
    const isSimple = steps.every(
      (step) => !childOf(step, 'parallel') && !childOf(step, 'background'),
    )
    const all = job.steps
    const known = isSimple && before !== undefined ? all.slice(0, before) : all
    const shapes = known.flatMap(({ id, isAction, place }): (readonly [string, Shape])[] => {
      if (id === undefined) return []
      return [[id, isAction ? this.#stepShape(id, place) : ANY]]
    })
    const own = actionSteps(job)
    const ids = own.flatMap(({ id }) => id ?? [])
    const isIn = (names: readonly string[], name: string) =>
      names.some((one) => one.toLowerCase() === name.toLowerCase())
    return objectShape(shapes, (name): NameFault | undefined => {
      const code = 'unknown-step'
      const isOfSource = this.#isSource && /^(?:hookline|on)$/i.test(name)
      const hasStep = all.some(({ id }) => id?.toLowerCase() === name.toLowerCase())
      if (isOfSource && !hasStep) return this.#inSource(code, `step "${name}"`)
      if (isIn(ids, name)) {
        const message = `the step "${name}" runs later: its outputs are empty here`
        return { code, message, hint: 'move this step after it' }
      }
      const message = `no step of the job "${job.name}" has the id "${name}"`
      if (hasStep) return undefined
      if (own.some(({ id }) => id === undefined)) {
        return { code, message, hint: `give the step that uses the action "id: ${name}"` }
      }
      const near = didYouMean(name, ids)
      if (near) return { code, message, hint: near }
      const isOnly = ids.length > 0 && all.every(({ id, isAction }) => !id || isAction)
      if (isOnly) return { code, message, hint: `did you mean "${ids[0]}"?` }
      if (!isIn(this.#hooklineIds, name)) return undefined
      const of = [...this.#jobs.values()].find((one) =>
        actionSteps(one).some(({ id }) => id?.toLowerCase() === name.toLowerCase()),
      )
      const hint = `the step is in the job "${of?.name}": read needs.${of?.name}.outputs here`
      return { code, message, hint }
    })
  }

  #stepShape(id: string, step: Place): Shape {
    const outputs = outputsOfStep(this.#triggers, id, step)
    return ownObject([['outputs', outputs], ...ENDED], (field, fields) =>
      fieldFault(`steps.${id}`, field, fields, outputs),
    )
  }

  /** The keys of a matrix over the items. */
  #matrixOf(job: Job): Shape {
    const known = this.#matrices.get(job.name)
    if (known) return known
    const matrix = childOf(job.value, 'strategy', 'matrix')
    let shape = ANY
    if (isMap(matrix?.node)) shape = this.#matrixShape(job, matrix)
    else if (!matrix && this.#isSource) shape = objectShape([], (name) => this.#ofMatrix(name), ANY)
    this.#matrices.set(job.name, shape)
    return shape
  }

  #matrixShape(job: Job, matrix: Place): Shape {
    const contexts = lazily({ needs: () => this.#needsOf(job, false) }, this.#shared)
    const shapeAt = (place: Place | undefined): Shape => {
      const text = textOf(place)
      return text === undefined ? ANY : this.shapeOfText(text, contexts)
    }
    const items = (place: Place | undefined): Shape | undefined => {
      const shape = shapeAt(place)
      if (shape.kind === 'list' && shape.isHookline) return shape.item
      // A list in the event, such as its commits, or a list with a value of the event.
      return [shape, ...itemsOf(place).map(shapeAt)].some(hasUntrusted) ? EVENT_VALUE : undefined
    }
    const include = childOf(matrix, 'include')
    const included = items(include)
    if (included) return included
    const isOpen = textOf(include) !== undefined
    const rows = entriesOf(matrix).filter(({ name }) => name !== 'include' && name !== 'exclude')
    const entries = rows.map(({ name, value }) => [name, items(value) ?? ANY] as const)
    const more = itemsOf(include).flatMap((row) =>
      entriesOf(row).map(({ name, value }) => [name, items(value) ?? ANY] as const),
    )
    const own = entries.filter(([, shape]) => shape.isHookline).map(([name]) => name)
    const all = [...more, ...entries]
    if (own.length === 0)
      return objectShape(all, isOpen ? undefined : (name) => this.#ofMatrix(name), ANY)
    return objectShape(all, (name, keys) => {
      if (isOpen) return undefined
      const message = `the matrix has no key "${name}"`
      const notes = [`keys: ${keys.join(', ')}`]
      return { code: 'unknown-matrix-key', message, hint: `did you mean "${own[0]}"?`, notes }
    })
  }

  /** In a source, the event is no key of a matrix. */
  #ofMatrix(name: string): NameFault | undefined {
    if (!this.#isSource || name.toLowerCase() !== 'on') return undefined
    const message = 'the matrix has no key "on": a source reads the event as "on"'
    return { code: 'unknown-matrix-key', message, whole: (rest) => `on${rest}` }
  }

  /** Variables whose values are expressions of the event. */
  #envOf(job: Job, step: number | undefined, contexts: ContextShapes): Shape {
    const own = step === undefined ? undefined : job.steps[step]?.place
    const places = [this.#top, job.value, own]
    const entries = places.flatMap((place) => entriesOf(childOf(place, 'env')))
    const shapes = entries.flatMap(({ name, value }): (readonly [string, Shape])[] => {
      const text = textOf(value)
      const shape = text === undefined ? ANY : this.shapeOfText(text, contexts)
      return [[name, shape.isUntrusted ? textOfShape(shape) : ANY]]
    })
    return objectShape(shapes, undefined, ANY)
  }

  shapeOfText(text: string, contexts: ContextShapes): Shape {
    const spans = expressionSpans(text)
    const shapes = spans.map(({ start, end }) => {
      const inside = text.slice(start, end)
      const tree = this.#expressions.get(inside)?.tree
      return tree ? typed(tree, inside, contexts).shape : ANY
    })
    const [only] = spans
    const trimmed = text.trim()
    const isWhole =
      spans.length === 1 && trimmed.startsWith('${{') && only?.end === text.lastIndexOf('}}')
    if (isWhole && trimmed.endsWith('}}')) return shapes[0] ?? ANY
    return shapes.some((shape) => textOfShape(shape).isUntrusted) ? EVENT_TEXT : { kind: 'text' }
  }
}

/** The action of a `repository_dispatch` is its type, and the other events here have none. */
const HAS_NO_ACTION: ReadonlySet<string> = new Set([
  'push',
  'repository_dispatch',
  'schedule',
  'workflow_dispatch',
])

/** Most expressions read few contexts, so each context waits for its first reader. */
function lazily(own: Readonly<Record<string, () => Shape>>, outer?: ContextShapes): ContextShapes {
  const shapes = new Map<string, Shape>()
  return {
    get(name) {
      if (!Object.hasOwn(own, name)) return outer?.get(name)
      const shape = shapes.get(name) ?? own[name]?.() ?? ANY
      shapes.set(name, shape)
      return shape
    },
  }
}

function neededIds({ value }: MappingEntry): string[] {
  return textsAt(childOf(value, 'needs')).map(({ node }) => node.value)
}

/** `steps.hookline.body`, `needs.on.output.body` */
function fieldFault(
  whole: string,
  field: string,
  fields: readonly string[],
  outputs: Shape,
): NameFault {
  const isOutput = outputs.kind === 'object' && outputs.names.has(field.toLowerCase())
  const hint = isOutput ? `did you mean "outputs.${field}"?` : undefined
  return unknownNameFault(`"${whole}" has no "${field}"`, field, fields, 'it has', hint)
}
