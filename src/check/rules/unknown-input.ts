import { REPLY_ACTION } from '../../workflow/steps.ts'
import type { Rule } from '../rule.ts'
import { unknownInputs } from './action-input.ts'
import { inEnv } from './example-workflows.ts'

export const unknownInput: Rule = {
  id: 'unknown-input',
  level: 'strict',
  page: {
    title:
      '`inputs.hookline` under another name or without its declaration, or an input that `reply` does not have',
    reason:
      'A relay that starts workflows by `workflow_dispatch` passes the event in `inputs.hookline`. GitHub evaluates an input that no event declares to an empty string. The runner ignores an input that an action does not have.',
    remedy: 'Declare the input under `inputs`, or correct the name.',
    before: "NAME: ${{ fromJSON(inputs.hooklin || '{}').path }}",
    after: "NAME: ${{ fromJSON(inputs.hookline || '{}').path }}",
    workflow: (variable) =>
      inEnv(variable).replace(
        'on:\n',
        'on:\n  workflow_dispatch:\n    inputs:\n      hookline: {type: string}\n',
      ),
  },
  check: ({ steps, file }) =>
    steps
      .filter(({ uses }) => REPLY_ACTION.test(uses) && !IS_LOCAL.test(uses))
      .flatMap(({ place }) => unknownInputs(file.source, place, REPLY_INPUTS)),
}

/** The action of whatever repository the file belongs to. */
const IS_LOCAL = /^[.$]\//

/** The inputs of the reply action (a test compares them with reply/action.yml). */
export const REPLY_INPUTS: readonly string[] = [
  'to',
  'text',
  'text-file',
  'format',
  'token',
  'edit',
  'buttons',
  'file',
  'ephemeral',
  'thread-gone',
  'silent',
  'allow-mentions',
  'fail-on-error',
  'telegram-api-url',
  'slack-response-url',
  'slack-api-url',
  'discord-url',
  'repository',
  'github-api-url',
  'linear-api-url',
  'jira-url',
]
