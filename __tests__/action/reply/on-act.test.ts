import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { explainWorkflow } from '../../../src/model/explain.ts'
import { readWorkflowJobs } from '../../../src/model/workflow-jobs.ts'
import { ACT, runAct } from '../../support/act.ts'
import { type ChatStandIn, discordStandIn, dispatched, slackStandIn } from '../../support/chats.ts'

/** Attempts of the run: the first, and a re-run. */
const ATTEMPTS = ['1', '2']

const testOnAct = ACT ? test : test.skip

let slack: ChatStandIn
let discord: ChatStandIn
beforeEach(async () => {
  slack = await slackStandIn().start()
  discord = await discordStandIn().start()
})
afterEach(() => Promise.all([slack.stop(), discord.stop()]))

const workflow = () => `name: hook.yml
on: {repository_dispatch: {types: [webhook]}}
jobs:
  on:
    runs-on: ubuntu-latest
    outputs:
      items: \${{ steps.hookline.outputs.items }}
      triggered: \${{ steps.hookline.outputs.triggered }}
    steps:
      - run: "mkdir workflows && echo 'on: slack' > workflows/hook.yml"
      - id: hookline
        uses: hookline/hookline@v1
        with: {workflow: workflows/hook.yml}
  answer:
    needs: on
    if: needs.on.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy: {matrix: {on: "\${{ fromJSON(needs.on.outputs.items) }}"}}
    steps:
      - uses: hookline/hookline/reply@v1
        with:
          to: \${{ toJSON(matrix.on) }}
          text: "**done** \${{ matrix.on.slack.outputs.text }}"
          format: markdown
          slack-response-url: ${slack.url}
  never:
    needs: on
    if: needs.on.outputs.triggered != 'true'
    runs-on: ubuntu-latest
    steps: [{run: exit 1}]
`

describe('the built actions on act', () => {
  testOnAct(
    'answer a command in a matrix, and print nothing that lets others write',
    async () => {
      const secret = `${slack.url}/commands/T1/2/capability-of-this-test`
      const body = new URLSearchParams({
        ...{ command: '/deploy', text: 'now', team_id: 'T1', channel_id: 'C1', user_id: 'U1' },
        ...{ trigger_id: '1.2.3', response_url: secret, token: 'old' },
      }).toString()
      const payload = dispatched('slack', body, 'application/x-www-form-urlencoded')
      const text = workflow()
      const run = await runAct(
        { '.github/workflows/hook.yml': text },
        { name: 'repository_dispatch', payload },
      )
      expect(run.log).toContain('Job succeeded')
      expect(slack.calls.map(({ path }) => path)).toEqual([
        '/commands/T1/2/capability-of-this-test',
      ])
      expect(slack.body(0)).toMatchObject({ text: '*done* now' })
      expect(run.log).not.toContain('capability-of-this-test')

      // The model of the same event must equal the runner's result.
      const items = [
        { slack: { outcome: 'success', conclusion: 'success', outputs: { text: 'now' } } },
      ]
      const explained = explainWorkflow(readWorkflowJobs({ name: 'h', file: 'h', text }), {
        github: { event_name: 'repository_dispatch', event: payload },
        outputsOf: ({ uses }) =>
          uses === 'hookline/hookline@v1'
            ? { items: JSON.stringify(items), triggered: 'true' }
            : undefined,
      })
      const runs = explained.flatMap(({ id, verdict }) => (verdict === 'runs' ? [id] : []))
      const ran = Object.keys(run.jobs).map((job) => job.replace(/-\d+$/, ''))
      expect(runs).toEqual(['on', 'answer'])
      expect(ran).toEqual(runs)
    },
    300_000,
  )

  testOnAct(
    'answer an event in its thread, in a re-run too, in a public repository',
    async () => {
      const TOKEN = 'xoxb-capability-of-this-bot'
      const event = { type: 'app_mention', user: 'U1', channel: 'C1', ts: '1763712000.000800' }
      const body = JSON.stringify({
        ...{ type: 'event_callback', event_id: 'Ev1', team_id: 'T1', token: 'old-capability' },
        event: { ...event, text: 'deploy' },
      })
      const payload = {
        ...(dispatched('slack', body, 'application/json') as object),
        repository: { full_name: 'octo/repo', private: false },
      }
      const given = `slack-api-url: ${slack.url}/api\n          token: \${{ secrets.SLACK_BOT }}`
      const files = {
        '.github/workflows/hook.yml': workflow().replace(/slack-response-url: .*/, given),
      }
      const secrets = { SLACK_BOT: TOKEN }
      for (const attempt of ATTEMPTS) {
        const env = { GITHUB_RUN_ATTEMPT: attempt }
        const run = await runAct(files, { name: 'repository_dispatch', payload, secrets, env })
        expect(run.log).toContain('Job succeeded')
        expect(run.log).not.toMatch(/capability/)
      }
      expect(slack.paths).toEqual(ATTEMPTS.map(() => 'POST /api/chat.postMessage'))
      expect(slack.body(ATTEMPTS.length - 1)).toMatchObject({
        channel: 'C1',
        thread_ts: event.ts,
        text: '*done* deploy',
      })
    },
    300_000,
  )

  testOnAct(
    'end the "thinking…" of a Discord command, whose token no log shows',
    async () => {
      const command = {
        ...{ id: '846462639134605312', application_id: '845027738276462632', type: 2, version: 1 },
        ...{ channel_id: '772908445358620702', guild_id: '290926798626357999' },
        ...{ token: 'aW50ZXJhY3Rpb246MTIz.capability', data: { id: '1', name: 'deploy', type: 1 } },
        member: { user: { id: '53908232506183680', username: 'ada' } },
      }
      const text = workflow()
        .replace('on: slack', 'on: discord')
        .replace('matrix.on.slack.outputs.text', 'matrix.on.discord.outputs.command')
        .replace(/slack-response-url: .*/, `discord-url: ${discord.url}`)
      const payload = dispatched('discord', JSON.stringify(command))
      const event = { name: 'repository_dispatch', payload }
      const run = await runAct({ '.github/workflows/hook.yml': text }, event)
      expect(run.jobs).toMatchObject({ on: 'success', answer: 'success' })
      expect(discord.paths).toEqual([`POST /webhooks/${command.application_id}/${command.token}`])
      expect(discord.body(0)).toMatchObject({ content: '**done** deploy' })
      expect(run.log).not.toContain('capability')
    },
    300_000,
  )
})
