import { LISTENING } from '../cli/doctor/stand-in.ts'
import { workflowWith } from '../support/published-workflows.ts'
import type { SessionSetup } from './session.ts'

const HOOK = 'on: webhook\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'
const WORKFLOW = { 'workflows/hook.yml': HOOK }
const BOT =
  'on: {messaging_bot: {token: "${{ secrets.BOT_TOKEN }}"}}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: echo hello}]}}\n'

const WITH_SQLITE: SessionSetup = {
  hasSqlite: true,
  env: { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}` },
}

/** A relay with a database, as the docs of hosts set it up, and workflows that endpoints can start. */
const WITH_RELAY: SessionSetup = {
  hasSqlite: true,
  before: 'hookline relay',
  env: { ...WITH_SQLITE.env, HOOKLINE_PUBLIC_URL: 'https://relay.example.com' },
  published: {
    'hook.yml': LISTENING,
    'stripe.yml': LISTENING,
    'upload.yml': LISTENING,
    'bot-webhook.yml': workflowWith('messaging_bot:\n  webhook: true'),
    'approve.yml': workflowWith('messaging_bot:\n  webhook: true\n  updates: callback_query'),
  },
}

/** What a reader of a page has before its first block, by page. */
export const SESSIONS: Readonly<Record<string, SessionSetup>> = {
  'README.md': {
    clones: true,
    files: WORKFLOW,
    env: { HOOKLINE_GITHUB_TOKEN: `github_pat_${'a'.repeat(40)}` },
  },
  // The public repository of Hookline is there to be cloned.
  'docs/guides/upgrade.md': { clones: true },
  'docs/guides/test-in-ci.md': { clones: true, files: WORKFLOW },
  'docs/guides/reply.md': WITH_RELAY,
  'docs/guides/recipes.md': {
    env: { ENDPOINT_URL: 'https://relay.example.com/octo/repo/hook/webhook?__token=a' },
  },
  'docs/reference/compiler.md': { files: WORKFLOW },
  'docs/guides/verify-signatures.md': { env: { ACME_SECRET: 'correct-horse-battery-staple' } },
  'docs/start/quickstart.md': { hasSqlite: true, isClone: true },
  'docs/start/telegram-bot.md': { ...WITH_RELAY, isClone: true },
  'docs/host/relay.md': { ...WITH_SQLITE, published: { 'hook.yml': LISTENING } },
  'docs/host/operate.md': { hasSqlite: true },
  'docs/host/github-app.md': { hasSqlite: true },
  'docs/host/other-forges.md': WITH_SQLITE,
  'docs/guides/deliveries.md': WITH_RELAY,
  'docs/guides/duplicates-and-batches.md': WITH_RELAY,
  'docs/guides/endpoints.md': {
    ...WITH_RELAY,
    published: {
      ...WITH_RELAY.published,
      'orders.yml': LISTENING,
      'receipt.yml': LISTENING,
      'order.yml': LISTENING,
    },
    env: {
      ...WITH_RELAY.env,
      STRIPE_SECRET: 'whsec_correct-horse-battery-staple',
      STRIPE_SIGNING_SECRET: 'whsec_correct-horse-battery-staple',
    },
  },
  'docs/guides/receive-files.md': { ...WITH_RELAY, before: '' },
  'docs/guides/filter-events.md': {
    ...WITH_RELAY,
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
  'docs/senders/README.md': {
    endpoint: 'octo/repo/jenkins/webhook',
    env: {
      FIGMA_PASSCODE: 'value-of-FIGMA_PASSCODE',
      JENKINS_TOKEN: 'value-of-JENKINS_TOKEN',
      BUILD_TAG: 'jenkins-deploy-7',
      BUILD_URL: 'https://jenkins.example.com/job/deploy/7/',
    },
  },
}
