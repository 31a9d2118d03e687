import { generateSigningKey } from '../../src/relay/credentials/grant.ts'
import type { SessionSetup } from './session.ts'

const HOOK = 'on: webhook\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'
const WORKFLOW = { 'workflows/hook.yml': HOOK }
const BOT =
  'on: {messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'

/** The state of a reader before the first block, by page. */
export const SESSIONS: Readonly<Record<string, SessionSetup>> = {
  'README.md': { env: { HOOKLINE_CREDENTIAL: `github_pat_${'a'.repeat(40)}` } },
  // The public repository of Hookline can be cloned.
  'docs/reference/action.md': { clones: true },
  'docs/guides/bot.md': { env: { HOOKLINE_CREDENTIAL: 'hlk_1234567890123456789012' } },
  'docs/reference/compiler.md': { files: WORKFLOW },
  // A token of the reader, as GitHub shows it once.
  'docs/guides/credentials.md': { files: { 'token.txt': `github_pat_${'a'.repeat(40)}\n` } },
  'docs/guides/recipes.md': {
    files: WORKFLOW,
    env: { HOOKLINE_CREDENTIAL: 'hlk_1234567890123456789012' },
  },
  'docs/guides/relay-filters.md': {
    env: {
      HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}`,
      HOOKLINE_SIGNING_KEYS: JSON.stringify((await generateSigningKey()).jwk),
      STRIPE_SIGNING_SECRET: 'whsec_correct-horse-battery-staple',
    },
  },
  'docs/host/outbox.md': {
    hasSqlite: true,
    env: {
      HOOKLINE_CREDENTIAL: `github_pat_${'a'.repeat(40)}`,
      HOOKLINE_ADMIN_KEY: 'correct-horse-battery-staple-of-the-admin',
    },
  },
  'docs/guides/inspector.md': { files: { ...WORKFLOW, 'workflows/bot.yml': BOT } },
}
