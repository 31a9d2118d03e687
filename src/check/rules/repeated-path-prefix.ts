import { isMap } from 'yaml'
import type { Problem } from '../../wire/errors.ts'
import { decodePercent } from '../../wire/path.ts'
import { urlNames } from '../../workflow/on.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { OTHER_JOB, workflow } from './example-workflows.ts'

export const repeatedPathPrefix: Rule = {
  id: 'repeated-path-prefix',
  level: 'strict',
  page: {
    title: 'a `path` that begins with the names of the workflow and the trigger',
    reason:
      'A webhook URL ends in `/<workflow>/<trigger>`, and the option `path` is matched with the part after it. No request contains both names twice, so the trigger never fires.',
    remedy: 'Write only the part after the trigger, or remove `path`.',
    before: 'webhook: {path: /hook/webhook/orders}',
    after: 'webhook: {path: /orders}',
    workflow: (part) => workflow(OTHER_JOB, part),
  },
  check: repeated,
}

function repeated({ name, triggers }: RuleFile): Problem[] {
  return triggers.flatMap((trigger) => {
    const { definition, nodes, positionOf } = trigger
    const path = isMap(nodes.value) ? nodes.value.get('path') : undefined
    if (definition.name !== 'webhook' || typeof path !== 'string') return []
    const [, first = '', second = '', rest = ''] = /^\/?([^/]+)\/([^/]+)(.*)$/s.exec(path) ?? []
    const isSame = (part: string, other: string) =>
      decodePercent(part).toLowerCase() === other.toLowerCase()
    if (!isSame(first, name) || !urlNames(trigger).some((other) => isSame(second, other))) return []
    const hint = /^\/?$/.test(rest) ? 'remove "path": then every path fires' : `write ${rest}`
    const message = `"path" is matched with the part of the URL after ${first}/${second}`
    return [{ message, position: positionOf(['path']), hint }]
  })
}
