import { actionOf, HOOKLINE_ACTION, REPLY_ACTION } from '../../workflow/steps.ts'

/** Inputs that execute their value, in every action. */
const RUNNING = new Set('script inlinescript inline-script run command commands cmd'.split(' '))

/**
 * Inputs of well-known actions that execute their value, or insert it into a template that runs.
 *
 * Sources: the sinks of code injection in zizmor and in CodeQL's models; the pages of the actions
 */
const RUNNING_INPUTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['8398a7/action-slack', ['custom_payload']],
  ['addnab/docker-run-action', ['options', 'run', 'shell']],
  ['anthropics/claude-code-action', ['claude_args', 'settings']],
  ['cardinalby/js-eval-action', ['expression']],
  ['changesets/action', ['publish', 'version']],
  ['cloudflare/wrangler-action', ['command', 'postcommands', 'precommands']],
  ['cypress-io/github-action', ['build', 'command', 'install-command', 'start', 'wait-on']],
  ['devcontainers/ci', ['runcmd']],
  ['endbug/add-and-commit', ['add', 'commit', 'fetch', 'pull', 'push', 'remove', 'tag']],
  ['gradle/actions/setup-gradle', ['arguments']],
  ['gradle/gradle-build-action', ['arguments']],
  ['nick-fields/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
  ['stefanzweifel/git-auto-commit-action', ['add_options', 'commit_options', 'push_options']],
  ...'dragonflybsd freebsd netbsd omnios openbsd solaris'
    .split(' ')
    .map((system) => [`vmactions/${system}-vm`, ['prepare', 'run']] as const),
])

/** @param input its name in lower case */
export function isRunningInput(uses: string, input: string): boolean {
  return RUNNING.has(input) || RUNNING_INPUTS.get(actionOf(uses))?.includes(input) === true
}

/** Actions whose outputs are their inputs in another form. */
export const PASSING: readonly string[] = [
  'actions-ecosystem/action-regex-match',
  'ashley-taylor/read-json-property-action',
  'aszc/change-string-case-action',
  'cardinalby/js-eval-action',
  'frabert/replace-string-action',
  'mad9000/actions-find-and-replace-string',
  'mikefarah/yq',
  'sergeysova/jq-action',
]

/** Prompts of coding agents. */
const PROMPTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['actions/ai-inference', ['prompt', 'system-prompt']],
  [
    'anthropics/claude-code-action',
    ['prompt', 'direct_prompt', 'override_prompt', 'custom_instructions'],
  ],
  ['anthropics/claude-code-base-action', ['prompt', 'system_prompt', 'append_system_prompt']],
  ['google-gemini/gemini-cli-action', ['prompt']],
  ['google-github-actions/run-gemini-cli', ['prompt']],
  ['openai/codex-action', ['prompt', 'codex-args']],
])

/** @param input its name in lower case */
export function isPrompt(uses: string, input: string): boolean {
  return PROMPTS.get(actionOf(uses))?.includes(input) ?? false
}

/** Inputs that accept text for people, in every action. */
const TEXT_INPUT =
  /^(?:(?:card|comment|commit|discussion|email|html|issue|mail|markdown|pr|pull-request|release|slack|sms|tweet)[-_])?(?:body|caption|comment|content|description|details|message|msg|note|notes|question|reason|subject|summary|text|title)(?:[-_](?:body|text|markdown))?$/

/** The number of an issue of the same repository, to which a text is written. */
const NUMBER_INPUT = /^(?:(?:issue|pr|pull[-_]request)[-_])?number$/

/** Inputs of actions that accept text under names of their own; `*` is all of them. */
const TEXT_INPUTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['appleboy/discord-action', ['message', 'username']],
  ['appleboy/telegram-action', ['message']],
  ['slackapi/slack-github-action', ['payload']],
  ['softprops/action-gh-release', ['name', 'body']],
  ...PASSING.map((action) => [action, ['*']] as const),
])

/** `reply` checks the item in `to` against the event of its run. */
const REPLY_INPUTS = ['to', 'text', 'buttons', 'edit', 'format', 'ephemeral', 'silent']

/** Whether an input is known to accept text. @param input its name in lower case */
export function isTextInput(uses: string, input: string): boolean {
  if (REPLY_ACTION.test(uses)) return REPLY_INPUTS.includes(input)
  if (HOOKLINE_ACTION.test(uses)) return false
  if (TEXT_INPUT.test(input) || NUMBER_INPUT.test(input)) return true
  const own = TEXT_INPUTS.get(actionOf(uses)) ?? []
  return own.includes('*') || own.includes(input)
}
