import { describe, expect, test } from '@jest/globals'
import {
  conditionalGroup,
  eventsSharing,
  isSharedWithOthers,
} from '../../src/workflow/concurrency-group.ts'
import { andOperands, textExpression } from '../../src/workflow/expressions.ts'

const open = '$' + '{{'
const e = (expression: string) => `${open} ${expression} }}`
const FOREIGN = "github.event_name == 'repository_dispatch' && github.event.action == 'webhook'"

describe('the group for webhooks of other workflows', () => {
  test.each([
    ['all', "'all'"],
    [e('github.ref'), 'github.ref'],
    [`a-${e('github.ref')}`, "format('a-{0}', github.ref)"],
    [`it's {a}\n b`, "'it''s {a} b'"],
  ])('of the group %j', (group, own) => {
    expect(conditionalGroup(group, { condition: 'C' })).toBe(
      e(`${FOREIGN} && !(C) && github.run_id || (${own})`),
    )
  })

  test('of a workflow that can be called', () => {
    expect(conditionalGroup('a', { condition: 'C', calledFile: 'hook.yml' })).toBe(
      e(
        `${FOREIGN} && contains(github.workflow_ref, '/hook.yml@') && !(C) && github.run_id || ('a')`,
      ),
    )
  })
})

const ALL = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch']

describe('the events that share a group with webhooks', () => {
  test.each<[string, readonly string[]]>([
    ['all', ['push', 'schedule', 'workflow_dispatch']],
    [e('github.event_name'), []],
    [e('github.ref'), ['push', 'schedule', 'workflow_dispatch']],
    [e('github.run_id'), []],
    [e('github.run_number'), []],
    [e('github.run_attempt'), ['push', 'schedule', 'workflow_dispatch']],
    [e("github.event_name == 'push' && 'a' || 'b'"), ['schedule', 'workflow_dispatch']],
    [e("github.event.schedule && 'a' || 'b'"), ['push', 'workflow_dispatch']],
    [e("github.event.ref == 'refs/heads/main' && 'a' || 'b'"), ['schedule', 'workflow_dispatch']],
    [e("github.event.client_payload.path && 'a' || 'B'"), []],
    [e("github.event.client_payload && 'a' || 'A'"), ['push', 'schedule', 'workflow_dispatch']],
    [e("github.event.client_payload.method || 'post'"), ['push', 'schedule', 'workflow_dispatch']],
    [e("startsWith(github.event.client_payload.path, 'hook/webhook') && 'a' || github.run_id"), []],
    [e('inputs.a'), ['push', 'schedule', 'workflow_dispatch']],
    [e('vars.a'), ['push', 'schedule', 'workflow_dispatch']],
    [e('secrets.a'), []],
    [e('github.a ='), []],
    [
      e(
        "github.sha == 'c0ffee' && github.head_ref == '' && github.base_ref == '' && 'a' || github.run_id",
      ),
      ['push', 'schedule', 'workflow_dispatch'],
    ],
    [
      e(
        "github.repository == 'owner/name' && github.ref_name == 'main' && github.actor && github.workflow && 'a' || github.run_id",
      ),
      ['push', 'schedule', 'workflow_dispatch'],
    ],
  ])('%s', (group, events) => {
    expect(eventsSharing(group, 'hook/webhook', ALL)).toEqual(events)
  })

  test('are those that the workflow listens to', () => {
    expect(eventsSharing('all', 'hook/webhook', ['schedule', 'fork'])).toEqual(['schedule'])
    expect(eventsSharing('all', 'hook/webhook', [])).toEqual([])
  })
})

test.each([
  ['all', [], true],
  [e('github.run_id'), ALL, false],
  [e('github.event.client_payload.path'), [], false],
  [e("startsWith(github.event.client_payload.path, 'hook/') && 'a' || github.run_id"), [], false],
  [e("startsWith(github.event.client_payload.path, 'hook/') && 'a' || 'b'"), [], false],
  [e("startsWith(github.event.client_payload.path, 'hook/') && 'a' || 'b'"), ['push'], true],
  [e("github.event_name == 'push' && 'b' || github.event.client_payload.path"), ALL, false],
  [e('secrets.a'), ALL, false],
])('the group %s, listening to %j, is shared with webhooks of others: %s', (group, heard, is) => {
  expect(isSharedWithOthers(group, 'hook/webhook', heard)).toBe(is)
})

test.each([
  ['', "''"],
  ["it's", "'it''s'"],
  [e('a'), 'a'],
  [` ${e('a')}`, "format(' {0}', a)"],
  [`${e('a')} `, "format('{0} ', a)"],
  [`${e('a')}${e("f('}}')")}`, "format('{0}{1}', a, f('}}'))"],
  [`{b} ${e('a')} it's {0}`, "format('{{b}} {0} it''s {{0}}', a)"],
  [`a ${open} b`, `'a ${open} b'`],
  [`${e('a')} ${open} b`, `format('{0} ${open.replaceAll('{', '{{')} b', a)`],
])('the text %j is the expression %s', (text, expression) => {
  expect(textExpression(text)).toBe(expression)
})

test.each([
  ['a', ['a']],
  [' a && b ', ['a', 'b']],
  ['a &&\n  b\n && c', ['a', 'b', 'c']],
  ['(a && b) && c[d && e]', ['(a && b)', 'c[d && e]']],
  ['f(a && b, c) && d', ['f(a && b, c)', 'd']],
  ["a == 'x && y' && b", ["a == 'x && y'", 'b']],
  [' a && b || c ', ['a && b || c']],
  ['a && (b || c)', ['a', '(b || c)']],
  ['a[(b)] && c', ['a[(b)]', 'c']],
])('the parts of the condition %j are %j', (condition, parts) => {
  expect(andOperands(condition)).toEqual(parts)
})
