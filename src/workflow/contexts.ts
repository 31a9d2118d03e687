import { isMap, isScalar, isSeq, type Node } from 'yaml'
import type { Source } from '../wire/errors.ts'
import { RESERVED_OUTPUTS } from '../wire/output-names.ts'
import { typed } from './expression-types.ts'
import { expressionSpans, hasExpression } from './expressions.ts'
import { type FileExpression, isFault, parseExpression } from './file-expressions.ts'
import { githubShape, SAME_EVERYWHERE } from './github-contexts.ts'
import {
  childOf,
  type Entry,
  entriesOf,
  itemsOf,
  type ParsedFile,
  type Place,
  textOf,
  textsAt,
  topOf,
} from './nodes.ts'
import type { SourceTrigger } from './on.ts'
import {
  ANY,
  BOOLEAN,
  type NameFault,
  NUMBER,
  objectShape,
  type Shape,
  TEXT,
  unionOf,
  unknownNameFault,
} from './shapes.ts'
import { HOOKLINE_ACTION, localPathOf, stepsOf, usesOf } from './steps.ts'
import { didYouMean, nearestName } from './suggestion.ts'

/** Reads a called file: `.github/workflows/called.yml`, `.github/actions/made`. */
export type ReadCalled = (path: string) => ParsedFile | undefined

/**
 * The values of GitHub's contexts at each position of a file, as far as the file determines them.
 */
export class FileContexts {
  readonly #source: Source
  readonly #top: Place
  readonly #jobs: ReadonlyMap<string, Entry>
  readonly #read: ReadCalled
  /** Contexts that are the same at every position. */
  readonly #shared: ReadonlyMap<string, Shape>
  readonly #hookline: Shape
  readonly #ofJobs = new Map<string, Shape>()
  /** True for a source of Hookline; the compiler adds a job before its jobs. */
  readonly #isSource: boolean

  /** @param triggers of the steps that use the action; none if not all of them are known */
  constructor(
    file: ParsedFile,
    isSource: boolean,
    read: ReadCalled,
    triggers: readonly SourceTrigger[],
  ) {
    this.#source = file.source
    this.#top = topOf(file.document)
    this.#isSource = isSource
    this.#read = read
    const jobs = entriesOf(childOf(this.#top, 'jobs'))
    this.#jobs = new Map(jobs.map((job) => [job.name.toLowerCase(), job]))
    this.#hookline = hooklineOutputs(triggers)
    const inputs = this.#inputsOf()
    this.#shared = new Map([
      ...SAME_EVERYWHERE,
      ['github', githubShape(this.#inputsOfEvent())],
      ...(inputs ? [['inputs', inputs] as const] : []),
    ])
  }

  /** The contexts that an expression can read. */
  at({ path }: Pick<FileExpression, 'path'>): ReadonlyMap<string, Shape> {
    const shapes = new Map<string, Shape>(this.#shared)
    const job = path[0] === 'jobs' ? this.#jobs.get(String(path[1]).toLowerCase()) : undefined
    if (this.#isSource) shapes.set('on', ON)
    if (path[0] === 'on') shapes.set('jobs', this.#outputsOfJobs())
    if (path[1] === 'workflow_call' && path[4] === 'default') {
      shapes.set('inputs', this.#inputsBefore(String(path[3])))
    }
    if (!job) return shapes
    shapes.set('needs', this.#needsOf(job, path[2] === 'if'))
    shapes.set('matrix', matrixShape(job.value))
    const section = path[2]
    const isBehind = section === 'outputs' || section === 'environment'
    if (section === 'steps' || isBehind) {
      shapes.set('steps', this.#stepsOf(job, isBehind ? undefined : Number(path[3])))
    }
    return shapes
  }

  #inputsOf(): Shape | undefined {
    const on = childOf(this.#top, 'on')
    const declared = [...STARTING].flatMap(([event, types]) =>
      entriesOf(childOf(on, event, 'inputs')).map(({ name, value }) => {
        return [name, types.get(textOf(childOf(value, 'type')) ?? '') ?? ANY] as const
      }),
    )
    // Without a declared output, the file may be a fallback for other files of the same kind.
    if (declared.length === 0 || this.#isSource) return undefined
    const byName = new Map<string, Shape[]>()
    for (const [name, shape] of declared) byName.set(name, [...(byName.get(name) ?? []), shape])
    return objectShape(
      [...byName].map(([name, shapes]) => [name, unionOf(shapes)]),
      unknownInput,
    )
  }

  /** The default of an input can read the inputs declared before it. */
  #inputsBefore(input: string): Shape {
    const all = entriesOf(childOf(this.#top, 'on', 'workflow_call', 'inputs'))
    const before = all.slice(
      0,
      Math.max(
        0,
        all.findIndex(({ name }) => name === input),
      ),
    )
    return objectShape(
      before.map(({ name }) => [name, ANY]),
      unknownInput,
    )
  }

  /** `github.event.inputs`; in a called workflow these are the inputs of the caller's event. */
  #inputsOfEvent(): Shape {
    const on = childOf(this.#top, 'on')
    const names = entriesOf(childOf(on, 'workflow_dispatch', 'inputs')).map(({ name }) => name)
    const isOpen = names.length === 0 || this.#isSource || childOf(on, 'workflow_call')
    return objectShape(
      names.map((name) => [name, TEXT]),
      isOpen ? undefined : unknownInput,
      TEXT,
    )
  }

  /**
   * @param isCondition for the `if` of the job itself, in which GitHub also knows indirect needs
   */
  #needsOf(job: Entry, isCondition: boolean): Shape {
    const named = neededIds(job)
    if (named.some((name) => name.includes('${{'))) return ANY
    const names = isCondition ? this.#before(named) : named
    const shapes = names.map((name) => [name, this.#shapeOfJob(name)] as const)
    const own: (readonly [string, Shape])[] = this.#isSource ? [...shapes, ['on', ANY]] : shapes
    return objectShape(own, (name) => {
      const there = this.#jobs.get(name.toLowerCase())?.name
      if (there !== undefined) {
        const message = `the job "${there}" is not in "needs" of "${job.name}"`
        return {
          code: 'unknown-need',
          message,
          hint: `write needs: [${[...named, there].join(', ')}]`,
        }
      }
      return unknownJob(
        name,
        [...this.#jobs.values()].map((one) => one.name),
      )
    })
  }

  /** The jobs that have ended before the given jobs run. */
  #before(names: readonly string[]): string[] {
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

  #outputsOfJobs(): Shape {
    const jobs = [...this.#jobs.values()]
    return objectShape(
      jobs.map(({ name }) => [name, this.#shapeOfJob(name)]),
      unknownJob,
    )
  }

  #shapeOfJob(name: string): Shape {
    const key = name.toLowerCase()
    const known = this.#ofJobs.get(key)
    if (known) return known
    const job = this.#jobs.get(key)
    const outputs = job ? this.#outputsOf(job) : ANY
    const shape = objectShape(
      [
        ['outputs', outputs],
        ['result', TEXT],
      ],
      (field, fields) => fieldFault(`needs.${name}`, field, fields, 'outputs'),
    )
    this.#ofJobs.set(key, shape)
    return shape
  }

  #outputsOf(job: Entry): Shape {
    const uses = textOf(childOf(job.value, 'uses'))
    if (uses === undefined) {
      const declared = childOf(job.value, 'outputs')
      if (textOf(declared) !== undefined) return ANY
      const names = entriesOf(declared).map(({ name }) => name)
      return outputsShape(names, `the job "${job.name}"`, 'declared')
    }
    const path = localPathOf(uses)
    const called = path === undefined ? undefined : this.#read(path)
    if (!called) return texts()
    const declared = childOf(topOf(called.document), 'on', 'workflow_call', 'outputs')
    return outputsShape(
      entriesOf(declared).map(({ name }) => name),
      uses,
      'declared',
    )
  }

  /** @param before index of the step that reads them; without it, the end of the job */
  #stepsOf(job: Entry, before: number | undefined): Shape {
    const steps = itemsOf(childOf(job.value, 'steps'))
    // The outputs of parallel steps can be read by all later steps.
    const isSimple = steps.every(
      (step) => !childOf(step, 'parallel') && !childOf(step, 'background'),
    )
    const all = stepsOf(job.value)
    const known = isSimple && before !== undefined ? all.slice(0, before) : all
    const idOf = (step: Place) => textOf(childOf(step, 'id'))
    const shapes = known.flatMap((step): (readonly [string, Shape])[] => {
      const id = idOf(step)
      return id === undefined ? [] : [[id, this.#stepShape(id, step)]]
    })
    const later = new Set(all.flatMap((step) => idOf(step)?.toLowerCase() ?? []))
    return objectShape(shapes, (name, ids) => {
      if (later.has(name.toLowerCase())) {
        const message = `the step "${name}" runs later: nothing of it is known here`
        return { code: 'unknown-step', message, hint: 'put this step behind it' }
      }
      const message = `no step of the job "${job.name}" has the id "${name}"`
      const unnamed = all.find((step) => idOf(step) === undefined && childOf(step, 'uses'))
      const fault = unknownNameFault('unknown-step', message, name, ids, 'ids')
      if (fault.hint || !unnamed || ids.length > 0) return fault
      return { ...fault, hint: `give the step that you mean "id: ${name}"` }
    })
  }

  #stepShape(id: string, step: Place): Shape {
    const outputs = this.#outputsOfStep(usesOf(step, this.#source))
    return objectShape(
      [
        ['outputs', outputs],
        ['outcome', TEXT],
        ['conclusion', TEXT],
      ],
      (field, fields) => fieldFault(`steps.${id}`, field, fields, 'outputs'),
    )
  }

  #outputsOfStep(uses: string): Shape {
    const path = localPathOf(uses)
    if (path !== undefined) {
      const called = this.#read(path)
      const isProgram = called && entriesOf(childOf(topOf(called.document), 'runs')).length > 0
      if (!called || !isProgram) return texts()
      // A program may set outputs that its action does not declare.
      if (textOf(childOf(topOf(called.document), 'runs', 'using')) !== 'composite') return texts()
      const names = entriesOf(childOf(topOf(called.document), 'outputs')).map(({ name }) => name)
      return outputsShape(names, `the action ${uses}`, 'declared')
    }
    return HOOKLINE_ACTION.test(uses) ? this.#hookline : texts()
  }
}

function neededIds({ value }: Entry): string[] {
  return textsAt(childOf(value, 'needs')).map(({ node }) => node.value)
}

const OBJECT = objectShape([], undefined, ANY)

/** The triggers of a source; the compiler reports unknown names. */
const ON = objectShape(
  [],
  undefined,
  objectShape(
    [
      [
        'outputs',
        objectShape(
          ['headers', 'query', 'params'].map((name) => [name, OBJECT]),
          undefined,
          ANY,
        ),
      ],
    ],
    undefined,
    ANY,
  ),
)

/** Types of inputs, by the event that sets them. */
const STARTING: ReadonlyMap<string, ReadonlyMap<string, Shape>> = new Map([
  [
    'workflow_dispatch',
    new Map([
      ['', TEXT],
      ['string', TEXT],
      ['choice', TEXT],
      ['environment', TEXT],
      ['number', NUMBER],
      ['boolean', BOOLEAN],
    ]),
  ],
  [
    'workflow_call',
    new Map([
      ['string', TEXT],
      ['number', NUMBER],
      ['boolean', BOOLEAN],
    ]),
  ],
])

function unknownInput(name: string, known: readonly string[]): NameFault {
  return unknownNameFault(
    'unknown-input',
    `the workflow has no input "${name}"`,
    name,
    known,
    'inputs',
  )
}

function unknownJob(name: string, jobs: readonly string[]): NameFault {
  const message = `the workflow has no job "${name}"`
  return unknownNameFault('unknown-need', message, name, jobs, 'jobs')
}

function fieldFault(
  whole: string,
  field: string,
  fields: readonly string[],
  behind: string,
): NameFault {
  const near = didYouMean(field, fields)
  return {
    code: 'unknown-output',
    message: `"${whole}" has no "${field}"`,
    hint: near ?? `did you mean "${behind}.${field}"?`,
    notes: [`it has: ${fields.join(', ')}`],
  }
}

/** Outputs whose names only the program knows; each value is a string. */
function texts(): Shape {
  return objectShape([], undefined, TEXT)
}

function outputsShape(names: readonly string[], whose: string, kind: string): Shape {
  return objectShape(
    names.map((name) => [name, TEXT]),
    (name, known) =>
      unknownNameFault('unknown-output', `${whose} has no output "${name}"`, name, known, kind),
  )
}

/**
 * Outputs of the steps that use the action. Another field of an item is allowed only if not all
 * triggers are known.
 */
function hooklineOutputs(triggers: readonly SourceTrigger[]): Shape {
  const own: readonly string[] = RESERVED_OUTPUTS
  const isKnown =
    triggers.length > 0 &&
    triggers.every(({ config: { format, filterOutputs, outputsMode, exportOutputs } }) => {
      const isShaped = format !== undefined || filterOutputs !== undefined || exportOutputs
      return !isShaped && outputsMode !== 'combine'
    })
  const fields = triggers.flatMap(({ definition }) => Object.keys(definition.outputs))
  const names = [...new Set([...own, ...fields])]
  const unknown = (name: string) => {
    if (!isKnown && nearestName(name, names) === undefined) return undefined
    const message = `the action has no output "${name}"`
    return unknownNameFault('unknown-output', message, name, names, 'outputs')
  }
  return objectShape(
    names.map((name) => [name, TEXT]),
    unknown,
    TEXT,
  )
}

/** The keys of a matrix, if the file itself contains all of them. */
function matrixShape(job: Place): Shape {
  const strategy = childOf(job, 'strategy')
  const matrix = childOf(strategy, 'matrix')
  const include = childOf(matrix, 'include')
  const rows = itemsOf(include)
  const isOpen = (node: Node | null | undefined) => node !== undefined && !isMap(node)
  if (isOpen(strategy?.node) || isOpen(matrix?.node) || rows.some(({ node }) => isOpen(node)))
    return ANY
  if (textOf(include) !== undefined) return ANY
  const keys = entriesOf(matrix).filter(({ name }) => name !== 'include' && name !== 'exclude')
  const values = keys.map(({ name, value }) => {
    const shape = shapeOfNode(value)
    return [name, shape.kind === 'list' ? shape.item : ANY] as const
  })
  const included = rows.flatMap(entriesOf).map(({ name, value }) => {
    return [name, shapeOfNode(value)] as const
  })
  const byName = new Map<string, Shape[]>()
  for (const [name, shape] of [...values, ...included]) {
    byName.set(name, [...(byName.get(name) ?? []), shape])
  }
  return objectShape(
    [...byName].map(([name, shapes]) => [name, unionOf(shapes, unknownKey)]),
    unknownKey,
  )
}

/** The shape of a string that is one expression; only a run knows the value. */
function shapeOfWhole(text: string): Shape {
  const [only, ...more] = expressionSpans(text.trim())
  if (!only || more.length > 0 || only.start !== 3 || only.end !== text.trim().length - 2)
    return ANY
  const inside = text.trim().slice(only.start, only.end)
  const tree = parseExpression(inside)
  return isFault(tree) ? ANY : typed(tree, inside, new Map()).shape
}

function unknownKey(name: string, known: readonly string[]): NameFault {
  return unknownNameFault(
    'unknown-matrix-key',
    `the matrix has no key "${name}"`,
    name,
    known,
    'keys',
  )
}

/** The shape of a written value of a matrix; an expression in it can have any shape. */
function shapeOfNode(place: Place): Shape {
  const { node } = place
  if (isMap(node)) {
    const entries = entriesOf(place).map(({ name, value }) => [name, shapeOfNode(value)] as const)
    const isOpen = entries.some(([name]) => hasExpression(name) || name === '<<')
    return isOpen ? ANY : objectShape(entries, unknownKey)
  }
  if (isSeq(node))
    return { kind: 'list', item: unionOf(itemsOf(place).map(shapeOfNode), unknownKey) }
  if (!isScalar(node)) return ANY
  const { value } = node
  if (typeof value === 'string') return hasExpression(value) ? shapeOfWhole(value) : TEXT
  if (typeof value === 'number') return NUMBER
  return typeof value === 'boolean' ? BOOLEAN : ANY
}
