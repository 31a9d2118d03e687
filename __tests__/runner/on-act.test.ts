import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { eventFor, secretsOf } from '../docs/events.ts'
import { ACT, runAct } from '../support/act.ts'
import { type BuiltRelay, startBuiltRelay } from '../support/built-relay.ts'
import { runShared } from '../support/cli.ts'
import { ENDPOINT_RUNTIMES } from '../support/endpoint-relays.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { createEndpoint } from '../support/large-bodies.ts'
import { textMessage } from '../support/messages.ts'
import { testOnNode24 } from '../support/node24.ts'
import { RELAY_KEY } from '../support/relay-keys.ts'
import { type RelayUnderTest, startOnNode } from '../support/relays.ts'
import { TOKEN } from '../support/scene.ts'
import { BOT_TOKEN, TelegramStandIn } from '../support/telegram.ts'
import { until } from '../support/until.ts'

const ROOT = new URL('../../', import.meta.url)
const HOOK = '.github/workflows/hook.yml'
const GENEROUS = 300_000
const [[, startWithEndpoints] = ['Node', startOnNode]] = ENDPOINT_RUNTIMES

interface Sent {
  readonly path?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}
/** The files of a user run on act: from a request to the end of the jobs. */
;(ACT ? describe : describe.skip)('on act', () => {
  let github: GitHub
  let relay: RelayUnderTest
  let storing: RelayUnderTest
  beforeAll(async () => {
    github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url }
    relay = await startOnNode({ env })
    storing = await startWithEndpoints({ env })
  })
  beforeEach(() => github.reset())
  afterAll(async () => {
    await relay.close()
    await storing.close()
    await github.close()
  })

  /** Sends a request to a token URL, and returns the event by which GitHub would start runs. */
  function dispatched({ url }: RelayUnderTest, { path = 'hook/webhook', ...sent }: Sent) {
    const headers = { 'x-platform-authorization': `Bearer ${TOKEN}`, ...sent.headers }
    return dispatchedBy(`${url}/octo/repo/${path}`, { ...sent, headers })
  }

  /** Sends a request to a URL of a relay, and returns the event by which GitHub would start runs. */
  async function dispatchedBy(address: string, { method = 'POST', headers = {}, body }: Sent) {
    const answer = await fetch(address, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })
    expect(answer.status).toBe(200)
    const call = JSON.parse(github.calls.at(-1)?.body ?? '')
    return call.inputs
      ? { name: 'workflow_dispatch', payload: { inputs: call.inputs } }
      : {
          name: 'repository_dispatch',
          payload: { action: call.event_type, client_payload: call.client_payload },
        }
  }

  /** Sends requests to an endpoint that collects them, and returns the event of their batch. */
  async function batched(batching: BuiltRelay, names: readonly string[]) {
    const settings = { repository: 'octo/repo', token: TOKEN, batch: 2 }
    const address = batching.url + (await createEndpoint(batching, settings))
    github.reset()
    for (const name of names) {
      const answer = await fetch(`${address}/${name}`, { method: 'POST', body: 'x' })
      expect(answer.status).toBe(202)
    }
    await until(() => github.calls.length > 0)
    const { event_type: action, client_payload } = JSON.parse(github.calls[0]?.body ?? '')
    return { name: 'repository_dispatch', payload: { action, client_payload } }
  }

  test(
    'the workflow of two jobs greets',
    async () => {
      const event = await dispatched(relay, { body: '{"hello":"Ada"}' })
      const run = await runAct({ [HOOK]: documentedWorkflow() }, event)
      expect(run).toMatchObject({ exitCode: 0, jobs: { on: 'success', greet: 'success' } })
      expect(run.log).toContain('Hello, Ada')
    },
    GENEROUS,
  )

  test(
    'the workflow of two jobs is not started by a webhook of another one',
    async () => {
      const event = await dispatched(relay, { path: 'other/webhook', body: '{"hello":"Ada"}' })
      const { jobs } = await runAct({ [HOOK]: documentedWorkflow() }, event)
      expect(jobs).toEqual({})
    },
    GENEROUS,
  )

  test(
    'file mode reads the checked out workflow file, whose secret verifies a signature as it stands',
    async () => {
      const text = workflow('hook', LISTENING, undefined, [
        'run: echo "fired $TRIGGER $BODY"\n        env: {TRIGGER: "${{ steps.hookline.outputs.trigger }}", BODY: "${{ steps.hookline.outputs.body }}"}',
      ])
      const secret = `${HOSTILE_SECRET} \`id\` % # é`
      const event = await dispatched(relay, signedBy(secret))
      const run = await runAct(
        { [HOOK]: text, 'workflows/hook.yml': SIGNED },
        { ...event, secrets: { KEY: secret } },
      )
      expect(run.exitCode === 0 ? '' : run.log).toBe('')
      expect(run.log).toContain('fired webhook {"a":1}')
    },
    GENEROUS,
  )

  test(
    'a compiled file in workflow_dispatch mode is found by its endpoint, with any name, and gets a secret unchanged',
    async () => {
      const source = `hookline: {dispatch: workflow}
name: any name
${SIGNED.replace('{verify', '{path: /:name, verify')}jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'echo "fired $A"', env: {A: "\${{ on.webhook.outputs.params.name }}"}}]}
`
      const settings = { repository: 'octo/repo', token: TOKEN, dispatch: 'workflow', ref: 'main' }
      const address = storing.url + (await createEndpoint(storing, settings))
      github.always({ status: 204 })
      const event = await dispatchedBy(`${address}/ada`, signedBy(HOSTILE_SECRET))
      expect(event.name).toBe('workflow_dispatch')
      const files = await compiled({ 'workflows/hook.yml': source })
      const run = await runAct(files, { ...event, secrets: { KEY: HOSTILE_SECRET } })
      expect(run.exitCode === 0 ? '' : run.log).toBe('')
      expect(run.log).toContain('fired ada')
    },
    GENEROUS,
  )

  /** Examples that polling starts are tested separately. */
  const EXAMPLES = readdirSync(new URL('examples/workflows/', ROOT))
    .map((name) => name.replace('.yml', ''))
    .filter((name) => !['bot', 'bot-chat-ops', 'aws-sns'].includes(name))

  test.each(EXAMPLES)(
    'the compiled example %s runs its jobs on a request as it is signed',
    async (name) => {
      const text = example(name)
      const [[trigger = '', options] = []] = Object.entries(declared(text))
      const secrets = secretsOf(text)
      const telegram = new TelegramStandIn()
      const address = { workflow: name, trigger }
      const sent = name === 'curl' ? signedByScript(secrets.SCRIPT_SECRET ?? '') : {}
      const made = await eventFor(address, options ?? null, secrets, { sent, telegram })
      const { path, method, headers, body } = clientPayload(made.payload)
      const event = await dispatched(relay, { path, method, headers: sendable(headers), body })
      const run = await runAct(await compiled({ [`workflows/${name}.yml`]: text }), {
        ...event,
        secrets,
        env: { GITHUB_WORKFLOW_REF: `octo/repo/.github/workflows/${name}.yml@refs/heads/main` },
      })
      expect(run.exitCode === 0 ? '' : run.log).toBe('')
      const [job = ''] = Object.keys(parse(text).jobs)
      expect(run.jobs).toEqual({ on: 'success', [job]: 'success' })
    },
    GENEROUS,
  )

  testOnNode24(
    'a batch becomes a matrix, from the requests to its jobs',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'hookline-batching-'))
      const settings = {
        HOOKLINE_API_URL: github.url,
        HOOKLINE_RELAY_KEY: RELAY_KEY,
      }
      const batching = await startBuiltRelay({ folder, settings })
      try {
        const event = await batched(batching, ['Ada', 'Bob', 'Eve'])
        const section = 'on: {webhook: {path: /:name, config: {batch: true}}}'
        const step = 'run: echo count ${{ steps.hookline.outputs.count }}'
        const text = workflow('hook.yml', 'repository_dispatch:', section, [step])
        const matrix = `
    outputs:
      items: \${{ steps.hookline.outputs.items }}
  greet:
    needs: on
    if: needs.on.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy:
      matrix:
        on: \${{ fromJSON(needs.on.outputs.items) }}
    steps:
      - run: echo "Hello, \${{ matrix.on.webhook.outputs.params.name }}"
`
        const run = await runAct({ [HOOK]: `${text.trimEnd()}${matrix}` }, event)
        expect(run.exitCode === 0 ? '' : run.log).toBe('')
        expect(run.log).toContain('count 3')
        for (const name of ['Ada', 'Bob', 'Eve']) expect(run.log).toContain(`Hello, ${name}`)
      } finally {
        await batching.stop()
        rmSync(folder, { recursive: true })
      }
    },
    GENEROUS,
  )

  describe('a bot that polls', () => {
    let telegram: TelegramStandIn
    beforeAll(async () => {
      telegram = await new TelegramStandIn().start()
    })
    afterAll(() => telegram.stop())

    async function pollCompiled(source: string, event: { name: string; payload: unknown }) {
      const { [BOT]: listening = '', ...called } = await compiled({ 'workflows/bot.yml': source })
      // The compiler has no setting for a bot's server, so the stand-in's address is inserted here.
      const polling = listening.replace(/^( +)on: \|$/m, `$1telegram-api-url: ${telegram.url}\n$&`)
      expect(polling).toContain(telegram.url)
      const run = await runAct(
        { [BOT]: polling, ...called },
        {
          ...event,
          secrets: { BOT_TOKEN },
          env: { GITHUB_WORKFLOW_REF: 'octo/repo/.github/workflows/bot.yml@refs/heads/main' },
        },
      )
      expect(run.exitCode === 0 ? '' : run.log).toBe('')
      return run
    }

    test(
      'acknowledges nothing in a job that failed, and everything in one that succeeded, compiled and started by hand though its source says only how often',
      async () => {
        const id = telegram.enqueue('message', textMessage('Hello again'))
        const inputs = `telegram-api-url: ${telegram.url}`
        const section = `on: {messaging_bot: {token: "${BOT_TOKEN}"}}`
        const schedule = 'schedule: [{cron: "*/5 * * * *"}]'
        const text = workflow('hook.yml', schedule, section, ['run: exit 1'], inputs)
        const failed = await runAct({ [HOOK]: text }, SCHEDULED)
        expect(failed).toMatchObject({ exitCode: 1, jobs: { on: 'failure' } })
        expect(failed.log).toMatch(/messaging_bot fired: 1 item/)
        expect(telegram.kept).toEqual([id])
        const source = `on: {messaging_bot: {token: "\${{ secrets.BOT_TOKEN }}", config: {every: 5}}}
jobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'echo "got $T"', env: {T: "\${{ on.messaging_bot.outputs.text }}"}}]}}
`
        const byHand = { name: 'workflow_dispatch', payload: { inputs: null } }
        const { log } = await pollCompiled(source, byHand)
        expect(log).toMatch(/messaging_bot fired: 1 item/)
        expect(log).toContain('got Hello again')
        expect(telegram.kept).toEqual([])
      },
      GENEROUS,
    )

    test(
      'compiled, runs its jobs once for a push, and asks for no message',
      async () => {
        const source = `on: {push: , messaging_bot: {token: "\${{ secrets.BOT_TOKEN }}", config: {every: 5}}}
jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'echo "$HOW"', env: {HOW: "outcome \${{ on.messaging_bot.outcome }}"}}]}
  b: {needs: a, runs-on: ubuntu-latest, steps: [{run: echo behind it}]}
`
        const asked = telegram.calls.length
        const { log } = await pollCompiled(source, {
          name: 'push',
          payload: { ref: 'refs/heads/main' },
        })
        expect(log).toContain('outcome skipped')
        expect(log).toContain('behind it')
        expect(telegram.calls).toHaveLength(asked)
      },
      GENEROUS,
    )

    test(
      'compiled, hands each message to its jobs, which answer and change the answer',
      async () => {
        for (const text of ['one', `two "x" $(id)`]) {
          telegram.enqueue('message', textMessage(text))
        }
        await pollCompiled(ANSWERING.replaceAll('STAND-IN', telegram.url), SCHEDULED)
        const said = telegram.calls.flatMap(({ method, parameters }) =>
          /Message/.test(method) ? [[method, parameters.text]] : [],
        )
        expect(said).toEqual([
          ['sendMessage', 'working on one'],
          ['editMessageText', 'done with one'],
          ['sendMessage', 'working on two "x" $(id)'],
          ['editMessageText', 'done with two "x" $(id)'],
        ])
        expect(telegram.kept).toEqual([])
      },
      GENEROUS,
    )
  })
})

const SCHEDULED = { name: 'schedule', payload: { schedule: '*/5 * * * *' } }

const HOSTILE_SECRET = `it's "quoted" \\ $HOME \${{ secrets.OTHER }}`

/** A request with GitHub's signature. */
function signedBy(secret: string): Sent {
  const body = '{"a":1}'
  const mac = createHmac('sha256', secret).update(body).digest('hex')
  return { body, headers: { 'x-hub-signature-256': `sha256=${mac}` } }
}

const BOT = '.github/workflows/bot.yml'

const ANSWERING = `name: bot
on: {messaging_bot: {token: "\${{ secrets.BOT_TOKEN }}", config: {every: 5}}}
jobs:
  answer:
    runs-on: ubuntu-latest
    steps:
      - id: first
        uses: hookline/hookline/reply@v1
        with:
          to: \${{ toJSON(on) }}
          token: \${{ secrets.BOT_TOKEN }}
          fail-on-error: true
          telegram-api-url: STAND-IN
          text: working on \${{ on.messaging_bot.outputs.text }}
      - uses: hookline/hookline/reply@v1
        with:
          to: \${{ toJSON(on) }}
          token: \${{ secrets.BOT_TOKEN }}
          fail-on-error: true
          telegram-api-url: STAND-IN
          edit: \${{ steps.first.outputs.id }}
          text: done with \${{ on.messaging_bot.outputs.text }}
`

function example(name: string): string {
  return readFileSync(new URL(`examples/workflows/${name}.yml`, ROOT), 'utf8')
}

/** Signs like the script of docs/senders/curl.md. */
function signedByScript(secret: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const text = JSON.stringify({ version: '1.2.3' })
  const mac = createHmac('sha256', secret).update(`${timestamp}.${text}`).digest('hex')
  return {
    headers: { 'x-timestamp': timestamp, 'x-signature': `sha256=${mac}` },
    body: { version: '1.2.3' },
  }
}

/** The triggers of a source with their options. */
function declared(text: string): Record<string, Parameters<typeof eventFor>[1]> {
  const { on } = parse(text)
  return typeof on === 'string' ? { [on]: null } : on
}

interface Sendable {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function clientPayload(payload: unknown): Sendable {
  return (payload as { client_payload: Sendable }).client_payload // `dispatchEvent` created it
}

/** The headers that a sender can set, without the relay's. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^x-hookline-/.test(name)))
}

/** The compiled files of sources by path, for act. */
async function compiled(
  sources: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'hookline-compiled-'))
  try {
    mkdirSync(join(folder, 'workflows'))
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(folder, file), text)
    const built = await runShared(['build'], { cwd: folder })
    expect(built.exitCode === 0 ? '' : built.stderr).toBe('')
    const made = join(folder, '.github/workflows')
    return Object.fromEntries(
      readdirSync(made).map((name) => [
        `.github/workflows/${name}`,
        onAct(readFileSync(join(made, name), 'utf8')),
      ]),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const SIGNED = 'on: {webhook: {verify: {scheme: github, secret: "${{ secrets.KEY }}"}}}\n'
const LISTENING = 'repository_dispatch: {types: [webhook]}'

/** A workflow of one job that uses the action: with an inline section, or with files. */
function workflow(
  name: string,
  event: string,
  section: string | undefined,
  steps: readonly string[],
  inputs = 'secrets: ${{ toJSON(secrets) }}',
): string {
  const given = section === undefined ? '' : `\n          on: '${section.replace(/^on: /, '')}'`
  return `name: ${name}
on:
  ${event}
jobs:
  on:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - id: hookline
        uses: hookline/hookline@v1
        with:
          ${inputs}${given}
${steps.map((step) => `      - ${step}\n`).join('')}`
}

/** The two jobs that the guide on event data shows, as a workflow. */
function documentedWorkflow(): string {
  const text = readFileSync(new URL('docs/guides/use-event-data.md', ROOT), 'utf8')
  const [, jobs = ''] = /^```yaml\n(jobs:\n {2}on:\n[\s\S]*?)^```$/m.exec(text) ?? []
  return onAct(`name: hook\non:\n  repository_dispatch:\n    types: [webhook]\n${jobs}`)
}

/** Uses the reference of act's clone, and removes `queue:`, which act does not know. */
function onAct(text: string): string {
  const known = text.replace(/(uses: hookline\/hookline)@\S+/g, '$1@v1')
  return known.replace(/^ *queue: .*\n/gm, '')
}
