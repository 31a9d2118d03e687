import { RELAY_KEY } from '../support/relay-keys.ts'
import type { SessionSetup } from './session.ts'

const HOOK = 'on: webhook\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'
const WORKFLOW = { 'workflows/hook.yml': HOOK }
const BOT =
  'on: {messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'

const OUTBOX: SessionSetup = { hasSqlite: true, env: { HOOKLINE_RELAY_KEY: RELAY_KEY } }

const WITH_RELAY: SessionSetup = {
  hasSqlite: true,
  env: {
    HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}`,
    HOOKLINE_RELAY_KEY: RELAY_KEY,
  },
}
const PUBLIC_URL = { HOOKLINE_PUBLIC_URL: 'https://relay.example.com' }

/** What a reader of a page has before its first block, by page. */
export const SESSIONS: Readonly<Record<string, SessionSetup>> = {
  'README.md': {
    clones: true,
    files: WORKFLOW,
    env: { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}` },
  },
  // The public repository of Hookline is there to be cloned.
  'docs/guides/upgrade.md': { clones: true },
  'docs/guides/test-in-ci.md': { clones: true },
  'docs/guides/other-ways.md': { files: { 'workflows/hook.yml': HOOK } },
  'docs/reference/compiler.md': { files: WORKFLOW },
  'docs/guides/verify-signatures.md': { env: { ACME_SECRET: 'correct-horse-battery-staple' } },
  'docs/start/quickstart.md': { hasSqlite: true, isClone: true },
  'docs/start/telegram-bot.md': { isClone: true },
  'docs/host/outbox.md': OUTBOX,
  'docs/host/workers.md': { env: { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}` } },
  'docs/guides/batch-and-debounce.md': {
    hasSqlite: true,
    env: {
      HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}`,
    },
  },
  'docs/guides/endpoints.md': {
    hasSqlite: true,
    env: {
      HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}`,
      HOOKLINE_RELAY_KEY: RELAY_KEY,
      STRIPE_SECRET: 'whsec_correct-horse-battery-staple',
    },
  },

  'docs/guides/receive-files.md': {
    hasSqlite: true,
    env: { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}` },
  },

  'docs/guides/receipts.md': WITH_RELAY,
  'docs/guides/alarms.md': {
    ...WITH_RELAY,
    before: 'hookline relay --outbox outbox.db',
    env: { ...WITH_RELAY.env, ...PUBLIC_URL },
  },

  'docs/guides/filter-events.md': {
    files: {
      'workflows/hook.yml': HOOK.replace(
        'webhook',
        '{webhook: {config: {filter: {headers.x-github-event: issues, body.action: {$in: [opened, reopened]}}}}}',
      ),
    },
  },
  'docs/guides/test-locally.md': { files: { ...WORKFLOW, 'workflows/bot.yml': BOT } },
  'docs/reference/inspector.md': { files: WORKFLOW },
  // Secrets of the reader, and what Jenkins sets.
  'docs/senders/hcp-terraform.md': {
    env: { TFE_NOTIFICATION_TOKEN: 'value-of-TFE_NOTIFICATION_TOKEN' },
  },
  'docs/senders/langfuse.md': { env: { LANGFUSE_SECRET: 'value-of-LANGFUSE_SECRET' } },
  'docs/senders/jenkins.md': {
    env: {
      JENKINS_SECRET: 'value-of-JENKINS_SECRET',
      BUILD_TAG: 'jenkins-deploy-7',
      BUILD_URL: 'https://jenkins.example.com/job/deploy/7/',
    },
  },
}
