import { describe, expect, test } from '@jest/globals'
import { isPrompt, isRunningInput } from '../../src/check/running-inputs.ts'

const ACTIONS = [
  'actions/checkout@v6',
  'addnab/docker-run-action@v3',
  'anthropics/claude-code-action@v1',
  'anthropics/claude-code-base-action@v1',
  'cardinalby/js-eval-action@v1',
  'cloudflare/wrangler-action@v3',
  'devcontainers/ci@v0.3',
  'nick-fields/retry@v3',
  'actions/ai-inference@v2',
  'google-gemini/gemini-cli-action@v1',
  'google-github-actions/run-gemini-cli@v1',
  'openai/codex-action@v1',
  '',
]
const INPUTS = `append_system_prompt claude_args cmd codex-args command commands custom_instructions
  direct_prompt expression inline-script inlinescript new_command_on_retry on_retry_command options
  override_prompt path postcommands precommands prompt run runcmd script settings shell system-prompt
  system_prompt`.split(/\s+/)

const inputsOf = (uses: string, is: (uses: string, input: string) => boolean) =>
  INPUTS.filter((input) => is(uses, input)).join(' ')

const EVERYWHERE = 'cmd command commands inline-script inlinescript run script'

describe('inputs that run their value:', () => {
  test.each([
    ['addnab/docker-run-action@v3', 'options shell'],
    ['anthropics/claude-code-action@v1', 'claude_args settings'],
    ['cardinalby/js-eval-action@v1', 'expression'],
    ['Cloudflare/Wrangler-Action@v3', 'postcommands precommands'],
    ['devcontainers/ci@v0.3', 'runcmd'],
    ['nick-fields/retry@v3', 'new_command_on_retry on_retry_command shell'],
  ])('%s', (uses, own) => {
    const all = [...EVERYWHERE.split(' '), ...own.split(' ')].sort().join(' ')
    expect(inputsOf(uses, isRunningInput)).toBe(all)
  })

  test('of every other action', () => {
    const others = ACTIONS.filter((uses) => inputsOf(uses, isRunningInput) === EVERYWHERE)
    expect(others).toEqual([
      'actions/checkout@v6',
      'anthropics/claude-code-base-action@v1',
      'actions/ai-inference@v2',
      'google-gemini/gemini-cli-action@v1',
      'google-github-actions/run-gemini-cli@v1',
      'openai/codex-action@v1',
      '',
    ])
  })
})

test('inputs that are prompts', () => {
  const prompts = ACTIONS.map((uses) => [uses, inputsOf(uses, isPrompt)])
  expect(prompts.filter(([, inputs]) => inputs !== '')).toEqual([
    [
      'anthropics/claude-code-action@v1',
      'custom_instructions direct_prompt override_prompt prompt',
    ],
    ['anthropics/claude-code-base-action@v1', 'append_system_prompt prompt system_prompt'],
    ['actions/ai-inference@v2', 'prompt system-prompt'],
    ['google-gemini/gemini-cli-action@v1', 'prompt'],
    ['google-github-actions/run-gemini-cli@v1', 'prompt'],
    ['openai/codex-action@v1', 'codex-args prompt'],
  ])
})
