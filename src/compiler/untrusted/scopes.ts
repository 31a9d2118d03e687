import { isMap, type Node, type Pair, type YAMLMap } from 'yaml'
import { fileExpressions, keyOf } from '../expressions.ts'
import type { SourceFile } from '../source-file.ts'
import { isUntrusted, type Scope } from './taint.ts'

/** A job of a file, with what came into it from outside. */
export interface ScopedJob {
  readonly id: string
  readonly node: YAMLMap<Node, Node | null>
  readonly scope: Scope
}

/** Every job with its scope; an untrusted value is followed through `env`, `outputs` and `matrix`. */
export function scopedJobs({ source: { text }, sections }: SourceFile): ScopedJob[] {
  const jobs = pairsOf(sections.get('jobs')?.value).flatMap(({ key, value }) =>
    isMap(value) ? [{ id: keyOf({ key, value } as Pair), node: asMap(value) }] : [],
  )
  const workflowEnv = sections.get('env')?.value
  const scopesGiven = (needs: ReadonlySet<string>) =>
    jobs.map((job) => {
      const outer = withEnv(text, workflowEnv, { env: new Set(), needs, matrix: false })
      const matrix = taints(text, child(job.node, 'strategy'), outer)
      return { ...job, scope: withEnv(text, child(job.node, 'env'), { ...outer, matrix }) }
    })
  return fixedPoint(scopesGiven, (scoped) => taintedOutputs(text, scoped))
}

/** An output can come from the output of another job, so this is asked until nothing is new. */
function fixedPoint(
  scopesGiven: (needs: ReadonlySet<string>) => ScopedJob[],
  outputs: (scoped: readonly ScopedJob[]) => ReadonlySet<string>,
): ScopedJob[] {
  let needs: ReadonlySet<string> = new Set()
  for (;;) {
    const scoped = scopesGiven(needs)
    const found = outputs(scoped)
    if (found.size === needs.size) return scoped
    needs = found
  }
}

function taintedOutputs(text: string, scoped: readonly ScopedJob[]): ReadonlySet<string> {
  const tainted = scoped.flatMap(({ id, node, scope }) =>
    pairsOf(child(node, 'outputs'))
      .filter(({ value }) => taints(text, value, scope))
      .map((pair) => `${id}.${keyOf(pair)}`.toLowerCase()),
  )
  return new Set(tainted)
}

/** A scope within which the variables of one more `env:` stand; a nearer one hides a farther. */
export function withEnv(text: string, env: Node | null | undefined, scope: Scope): Scope {
  const tainted = new Set(scope.env)
  for (const pair of pairsOf(env)) {
    const name = keyOf(pair).toLowerCase()
    if (taints(text, pair.value, scope)) tainted.add(name)
    else tainted.delete(name)
  }
  return { ...scope, env: tainted }
}

function taints(text: string, node: Node | null | undefined, scope: Scope): boolean {
  return fileExpressions(text, node, []).some((expression) => isUntrusted(expression.text, scope))
}

export function child(node: YAMLMap<Node, Node | null>, key: string): Node | null | undefined {
  return node.items.find((pair) => keyOf(pair) === key)?.value
}

export function pairsOf(node: Node | null | undefined): readonly Pair<Node, Node | null>[] {
  return isMap(node) ? asMap(node).items : []
}

/** A parsed document holds nodes only. */
export function asMap(node: YAMLMap): YAMLMap<Node, Node | null> {
  return node as YAMLMap<Node, Node | null>
}
