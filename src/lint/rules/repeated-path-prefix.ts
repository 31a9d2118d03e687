import { isMap } from 'yaml'
import { webhook } from '../../triggers/webhook.ts'
import type { Problem } from '../../wire/errors.ts'
import { decodePercent } from '../../wire/path.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { DONE, workflow } from './examples.ts'

export const repeatedPrefix: Rule = {
  id: 'repeated-path-prefix',
  level: 'warning',
  isStrict: true,
  finds: 'a `path` that begins with the names of the workflow and the trigger again',
  why: 'The URL ends in `/<workflow>/<trigger>`, and `path` is what follows: no request has both twice.',
  fix: 'Write what follows, or leave `path` out.',
  red: 'webhook: {path: /hook/webhook/orders}',
  green: 'webhook: {path: /orders}',
  around: (part) => workflow(DONE, part),
  check: repeated,
}

function repeated({ name, triggers }: RuleFile): Problem[] {
  return triggers.flatMap((trigger) => {
    const { definition, nodes, positionOf } = trigger
    const path = isMap(nodes.value) ? nodes.value.get('path') : undefined
    if (definition !== webhook || typeof path !== 'string') return []
    const [, first = '', second = '', rest = ''] = /^\/?([^/]+)\/([^/]+)(.*)$/s.exec(path) ?? []
    const isSame = (one: string, other: string) =>
      decodePercent(one).toLowerCase() === other.toLowerCase()
    const triggerNames = [trigger.name, definition.name, ...definition.aliases]
    if (!isSame(first, name) || !triggerNames.some((one) => isSame(second, one))) return []
    const hint = /^\/?$/.test(rest) ? 'leave it out: every path fires' : `write ${rest}`
    const message = `the URL of this trigger has ${first}/${second} before what "path" is matched with`
    return [{ message, position: positionOf(['path']), hint }]
  })
}
