import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'
import type { Problem } from '../../wire/errors.ts'
import { positionAt } from '../../workflow/yaml.ts'
import { type FileExpression, fileExpressions } from '../file-expressions.ts'
import type { SourceFile } from '../source-file.ts'
import { asMap, child, type ScopedJob, scopedJobs, withEnv } from './scopes.ts'
import { isUntrusted, type Scope } from './taint.ts'

/** A step of a job, where text can be run. */
export interface JobStep {
  readonly job: ScopedJob
  readonly node: YAMLMap<Node, Node | null>
}

/** Text from outside that GitHub would paste into something that is run. */
export interface Finding {
  /** The key whose value it stands in. */
  readonly key: 'run' | 'script' | 'shell' | 'working-directory'
  /** The value as a node. */
  readonly node: Scalar
  readonly expression: FileExpression
  /** `undefined` for the defaults of a job or of the file. */
  readonly step: JobStep | undefined
  readonly problem: Problem
}

/** Every place of a file where the sender of an event could choose what is run. */
export function findUntrusted(file: SourceFile): Finding[] {
  const outer: Scope = withEnv(file.source.text, file.sections.get('env')?.value, NOTHING)
  return [
    ...inDefaults(file, file.sections.get('defaults')?.value, outer),
    ...scopedJobs(file).flatMap((job) => [
      ...inDefaults(file, child(job.node, 'defaults'), job.scope),
      ...stepsOf(job).flatMap((step) => inStep(file, step)),
    ]),
  ]
}

const NOTHING: Scope = { env: new Set(), needs: new Set(), matrix: false }

function stepsOf(job: ScopedJob): JobStep[] {
  const steps = child(job.node, 'steps')
  const nodes = isSeq(steps) ? steps.items : []
  return nodes.flatMap((node) => (isMap(node) ? [{ job, node: asMap(node) }] : []))
}

function inDefaults(file: SourceFile, defaults: Node | null | undefined, scope: Scope): Finding[] {
  const run = isMap(defaults) ? child(asMap(defaults), 'run') : undefined
  if (!isMap(run)) return []
  return (['shell', 'working-directory'] as const).flatMap((key) =>
    inValue(file, key, child(asMap(run), key), scope, undefined),
  )
}

function inStep(file: SourceFile, step: JobStep): Finding[] {
  const scope = withEnv(file.source.text, child(step.node, 'env'), step.job.scope)
  const inputs = child(step.node, 'with')
  return [
    ...(['run', 'shell', 'working-directory'] as const).flatMap((key) =>
      inValue(file, key, child(step.node, key), scope, step),
    ),
    ...inValue(file, 'script', isMap(inputs) ? child(asMap(inputs), 'script') : null, scope, step),
  ]
}

function inValue(
  file: SourceFile,
  key: Finding['key'],
  node: Node | null | undefined,
  scope: Scope,
  step: JobStep | undefined,
): Finding[] {
  if (!isScalar(node)) return []
  return fileExpressions(file.source.text, node, [key])
    .filter((expression) => isUntrusted(expression.text, scope))
    .map((expression) => ({ key, node, expression, step, problem: problem(file, key, expression) }))
}

const ADVICE: Readonly<Record<Finding['key'], string>> = {
  run: 'put it into "env:", and read the variable here',
  script: 'put it into "env:", and read the variable here',
  shell: 'name the shell itself here',
  'working-directory': 'choose among folders of your own, with a condition',
}

function problem({ source }: SourceFile, key: Finding['key'], expression: FileExpression): Problem {
  const { text } = expression
  const start = text.length - text.trimStart().length
  const { start: from, end } = expression.stretch(start, text.trimEnd().length)
  return {
    message: `untrusted text in "${key}": whoever sends the event could choose what runs`,
    position: positionAt(source, from, end),
    hint: ADVICE[key],
  }
}
