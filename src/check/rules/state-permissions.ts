import type { Problem } from '../../wire/errors.ts'
import { childOf, textAt, textOf } from '../../workflow/nodes.ts'
import { actionSteps } from '../../workflow/steps.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

export const statePermissions: Rule = {
  id: 'state-permissions',
  level: 'warning',
  page: {
    title: '`state: branch:…` in a job that may not write contents or read runs',
    reason:
      'Without `contents: write` the step fails. Without `actions: read` the action cannot see that an earlier run failed, so items of that run stay reserved for `config.lease` minutes.',
    remedy: 'Give the job both permissions.',
    before: 'permissions: {contents: write}',
    after: 'permissions: {contents: write, actions: read}',
    workflow: (permissions) =>
      workflow(OTHER_JOB)
        .replace('jobs:', () => `${permissions}\njobs:`)
        .replace('          on: |', '          state: branch:hookline-state\n          on: |'),
  },
  check: (file) => (file.native ? missingPermissions(file) : []),
}

const NEEDED: readonly {
  readonly scope: string
  readonly access: string
  readonly else: string
}[] = [
  { scope: 'contents', access: 'write', else: 'the step fails' },
  { scope: 'actions', access: 'read', else: 'items of a failed run stay reserved' },
]

/** If the file sets no permissions, the settings of the repository decide, which no file contains. */
function missingPermissions({ top, file, jobs }: RuleFile): Problem[] {
  return jobs.flatMap((job) => {
    const permissions = childOf(job.value, 'permissions') ?? childOf(top, 'permissions')
    const all = textOf(permissions)
    if (!permissions || all === 'write-all') return []
    const granted = (scope: string) =>
      all === 'read-all' ? 'read' : textOf(childOf(permissions, scope))
    const missing = NEEDED.filter(({ scope, access }) => {
      return granted(scope) !== access && granted(scope) !== 'write'
    })
    if (missing.length === 0) return []
    const names = missing.map(({ scope, access }) => `\`${scope}: ${access}\``).join(' and ')
    return actionSteps(job).flatMap(({ place: step }): Problem[] => {
      const state = textAt(childOf(step, 'with', 'state'))
      const token = textOf(childOf(step, 'with', 'github-token'))
      const isJobToken = token === undefined || /github\.token|secrets\.GITHUB_TOKEN/i.test(token)
      if (!state || !isJobToken || !/^\s*branch:/.test(state.node.value)) return []
      return [
        {
          message: `the job stores state on a branch without ${names}`,
          position: positionAt(file.source, ...rangeOf(state.node)),
          hint: 'add to the job: permissions: {contents: write, actions: read}',
          notes: missing.map((one) => `without ${one.scope}: ${one.access}, ${one.else}`),
        },
      ]
    })
  })
}
