import { actionSteps } from '../../compiler/native.ts'
import type { Problem, Source } from '../../wire/errors.ts'
import { childOf, type Entry, entriesOf, textAt, textOf } from '../../workflow/nodes.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

/** The job of README with a store on a branch, and these permissions. */
function storing(permissions: string): string {
  return workflow(DONE)
    .replace('jobs:', () => `${permissions}\njobs:`)
    .replace('          on: |', '          state: branch:hookline-state\n          on: |')
}

export const statePermissions: Rule = {
  id: 'state-permissions',
  level: 'warning',
  isStrict: false,
  finds: 'state on a branch in a job that may not write it, or not read runs',
  why: 'Without `contents: write` the step fails; without `actions: read` what a failed run had claimed is held for `config.lease` minutes.',
  fix: 'Give the job both.',
  red: 'permissions: {contents: write}',
  green: 'permissions: {contents: write, actions: read}',
  around: storing,
  check: (file) => (file.native ? statePermissionProblems(file) : []),
}

const NEEDED = [
  ['contents', ['write'], 'else the step fails'],
  [
    'actions',
    ['read', 'write'],
    'else what a failed run had claimed is held until its lease is over',
  ],
] as const

/** Where nothing is said, the repository's own settings decide, which no file tells. */
function statePermissionProblems({ top, file }: RuleFile): Problem[] {
  return entriesOf(childOf(top, 'jobs')).flatMap((job) => {
    const permissions = childOf(job.value, 'permissions') ?? childOf(top, 'permissions')
    const all = textOf(permissions)
    if (!permissions || all === 'write-all') return []
    const given = (name: string) =>
      all === 'read-all' ? 'read' : textOf(childOf(permissions, name))
    const missing = NEEDED.filter(([name, wanted]) => {
      return !wanted.some((access) => access === given(name))
    })
    return missing.length === 0
      ? []
      : statesOn(job, file.source).map((node) => ({
          message: `the job keeps state on a branch without ${missing.map(([name, [access]]) => `\`${name}: ${access}\``).join(' and ')}`,
          position: positionAt(file.source, ...rangeOf(node)),
          hint: `give them to the job: permissions: {${NEEDED.map(([name, [access]]) => `${name}: ${access}`).join(', ')}}`,
          notes: missing.map(([name, [access], why]) => `${name}: ${access}, ${why}`),
        }))
  })
}

/** Where steps of a job name a branch as their store, and use the job's own token. */
function statesOn(job: Entry, source: Source) {
  return actionSteps(job, source).flatMap((step) => {
    const state = textAt(childOf(step, 'with', 'state'))
    const token = textOf(childOf(step, 'with', 'github-token'))
    const isOwn = token === undefined || /github\.token|secrets\.GITHUB_TOKEN/i.test(token)
    return state && isOwn && /^\s*branch:/.test(state.node.value) ? [state.node] : []
  })
}
