import { actionOf } from '../workflow/steps.ts'

/** Inputs that execute their value, in every action. */
const RUNNING = new Set('script inlinescript inline-script run command commands cmd'.split(' '))

/**
 * Inputs of well-known actions that execute their value.
 *
 * Sources: the sinks of code injection in zizmor and in CodeQL's models; the pages of the actions
 */
const RUNNING_INPUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['addnab/docker-run-action', ['options', 'run', 'shell']],
  ['anthropics/claude-code-action', ['claude_args', 'settings']],
  ['cardinalby/js-eval-action', ['expression']],
  ['cloudflare/wrangler-action', ['command', 'postcommands', 'precommands']],
  ['devcontainers/ci', ['runcmd']],
  ['nick-fields/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
])

/** @param input its name in lower case */
export function isRunningInput(uses: string, input: string): boolean {
  return RUNNING.has(input) || RUNNING_INPUTS.get(actionOf(uses))?.includes(input) === true
}

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
