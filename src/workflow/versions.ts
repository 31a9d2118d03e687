/** Actions of others, and the version that Hookline writes into files. */
export const ACTIONS = {
  'actions/checkout': 'v6',
  'actions/download-artifact': 'v7',
  'actions/github-script': 'v8',
  'actions/upload-artifact': 'v6',
  'anthropics/claude-code-action': 'v1',
  'google-github-actions/run-gemini-cli': 'v0',
  'openai/codex-action': 'v1',
} as const
