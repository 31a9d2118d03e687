import type { KnownAction } from '../workflow/versions.ts'

/** A coding agent that an action runs. */
export interface CodingAgent {
  readonly action: KnownAction
  /** The input with the API key of the agent's service. */
  readonly keyInput: string
  /** The repository secret that `init` names for this key. */
  readonly secret: string
  /**
   * The input that names the GitHub Apps that may start the agent. Absent if the action lets every
   * account start it that can start the workflow.
   */
  readonly botsInput?: string
}

/** By the name for `init --agent`. */
export const CODING_AGENTS = {
  claude: {
    action: 'anthropics/claude-code-action',
    keyInput: 'anthropic_api_key',
    secret: 'ANTHROPIC_API_KEY',
    botsInput: 'allowed_bots',
  },
  codex: {
    action: 'openai/codex-action',
    keyInput: 'openai-api-key',
    secret: 'OPENAI_API_KEY',
    botsInput: 'allow-bot-users',
  },
  gemini: {
    action: 'google-github-actions/run-gemini-cli',
    keyInput: 'gemini_api_key',
    secret: 'GEMINI_API_KEY',
  },
} as const satisfies Readonly<Record<string, CodingAgent>>

export type CodingAgentName = keyof typeof CODING_AGENTS

export const AGENT_NAMES: readonly string[] = Object.keys(CODING_AGENTS)

export function isCodingAgent(name: string): name is CodingAgentName {
  return Object.hasOwn(CODING_AGENTS, name)
}

/** Whether a login is the account of a GitHub App. The logins of people cannot contain brackets. */
export function isAppLogin(login: string): boolean {
  return login.endsWith('[bot]')
}
