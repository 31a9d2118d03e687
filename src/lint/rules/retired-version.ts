import type { Problem } from '../../wire/errors.ts'
import { childOf, itemsOf, type Place, textAt, textsBelow } from '../../workflow/nodes.ts'
import { actionOf, stepsOf } from '../../workflow/steps.ts'
import {
  actionVersion,
  currentVersion,
  RETIRED_RUNNERS,
  retiredActionReason,
} from '../../workflow/versions.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { plainWorkflow } from './example-workflows.ts'

export const retiredVersion: Rule = {
  id: 'retired-version',
  level: 'strict',
  page: {
    title: 'a runner image or a version of an action that GitHub has removed',
    reason:
      'A job on a removed runner image waits until it times out. An action that needs Node 16 or Node 20 fails, because GitHub removed both from its runners.',
    remedy:
      'Use the version in the hint. The table of versions has a date: update Hookline to renew it.',
    before: '- uses: actions/upload-artifact@v3\n  with: {name: log, path: log.txt}',
    after: '- uses: actions/upload-artifact@v6\n  with: {name: log, path: log.txt}',
    workflow: plainWorkflow,
  },
  check: (file) =>
    file.jobs.flatMap(({ value }) => [...runners(file, value), ...actions(file, value)]),
}

function runners({ file }: RuleFile, job: Place): Problem[] {
  const matrix = childOf(job, 'strategy', 'matrix')
  const label = childOf(job, 'runs-on')
  const [, key] =
    /^\s*\$\{\{\s*matrix\.([\w-]+)\s*\}\}\s*$/.exec(textAt(label)?.node.value ?? '') ?? []
  const rows = itemsOf(childOf(matrix, 'include'))
  const labels =
    key === undefined ? [label] : [childOf(matrix, key), ...rows.map((row) => childOf(row, key))]
  return labels.flatMap(textsBelow).flatMap(({ node, alias }): Problem[] => {
    const retired = RETIRED_RUNNERS.get(node.value.toLowerCase())
    if (!retired) return []
    const message = `GitHub removed the runner image ${node.value} on ${retired.since}`
    const position = positionAt(file.source, ...rangeOf(alias ?? node))
    return [{ message, position, hint: `write ${retired.use}` }]
  })
}

function actions({ file }: RuleFile, job: Place): Problem[] {
  return stepsOf(job).flatMap((step): Problem[] => {
    const uses = textAt(childOf(step, 'uses'))
    const version = uses && actionVersion(uses.node.value)
    const action = actionOf(uses?.node.value ?? '')
    const reason = version === undefined ? undefined : retiredActionReason(action, version)
    if (!uses || !reason) return []
    const position = positionAt(file.source, ...rangeOf(uses.alias ?? uses.node))
    const message = `${action}@v${version} ${reason}`
    return [{ message, position, hint: `write ${action}@${currentVersion(action)}` }]
  })
}
