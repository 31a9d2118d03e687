import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import Stripe from 'stripe'
import { setUpLines } from '../../src/cli/connect/set-up.ts'
import { sendTestEvent } from '../../src/cli/connect/test-event.ts'
import { KINDS } from '../../src/cli/init/kinds.ts'
import { unusedProxyProblems } from '../../src/cli/programs.ts'
import { senderNamed } from '../../src/triggers/senders.ts'
import { Secret } from '../../src/wire/secret.ts'
import { POSIX } from '../../src/wire/shell.ts'
import { CLI_BUNDLE, RunningCommand, runShared } from '../support/cli.ts'
import { type Answer, type Answering, type GitHub, startGitHub } from '../support/github.ts'
import { describeOnNode24, NODE24 } from '../support/node24.ts'
import { type Ending, json, LISTENING, RUN, STARTED_DIRECTLY, withRun } from './doctor/stand-in.ts'

/**
 * The whole way from a clone with a workflow to a run that a request started, against a stand-in
 * for GitHub.
 */

const PUBLIC = 'https://quiet-river-example.trycloudflare.com'
const TOKEN = `github_pat_${'J7dQx2LkV9sWmB4tYzR6nHcP0fUaE3oXgiS1abcd'}`
const WEBHOOK_URL = /\n {2}(https:\S+\/-\/\S+)\n/

const NAMED = LISTENING.replace(
  'name: hook\n',
  "name: hook\nrun-name: hook ${{ github.event.client_payload.headers['x-hookline-delivery'] }}\n",
)

/** A clone without commits, which each test gets as a copy. */
const TEMPLATE = mkdtempSync(join(tmpdir(), 'hookline-clone-'))

let folder: string
let home: string
let platform: GitHub
let command: RunningCommand | undefined

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
  const set = (...args: readonly string[]) => execFileSync('git', args, { cwd: TEMPLATE })
  set('init', '-q', '--template=', '-b', 'trunk')
  set('config', 'user.email', 'a@example.com')
  set('config', 'user.name', 'a')
  set('remote', 'add', 'origin', 'https://github.com/octo/repo.git')
})
afterAll(async () => {
  await platform.close()
  rmSync(TEMPLATE, { recursive: true })
})

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-connect-'))
  home = join(folder, 'clone')
  cpSync(TEMPLATE, home, { recursive: true })
  mkdirSync(join(home, '.github/workflows'), { recursive: true })
  workflow('hook.yml', NAMED)
  program(
    'cloudflared',
    `echo "$@" > '${folder}/tunnelled'; echo "INF | ${PUBLIC} |" >&2; exec sleep 600`,
  )
  platform.reset()
})
afterEach(async () => {
  await command?.stop()
  command = undefined
  rmSync(folder, { recursive: true })
})

function git(...args: readonly string[]): void {
  execFileSync('git', args, {
    cwd: home,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: folder },
  })
}

function workflow(name: string, text: string): void {
  writeFileSync(join(home, '.github/workflows', name), text)
}

function program(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function surroundings(env: Record<string, string> = { HOOKLINE_GITHUB_TOKEN: TOKEN }) {
  const path = `${folder}:${process.env.PATH}`
  return { cwd: home, env: { PATH: path, HOME: folder, HOOKLINE_API_URL: platform.url, ...env } }
}

/** `connect` needs the database of a newer Node. */
const onNode24 = (words: readonly string[]) => [NODE24 ?? '', CLI_BUNDLE, ...words]

function connect(args: readonly string[], env?: Record<string, string>) {
  command = new RunningCommand(['connect', ...args], { ...surroundings(env), as: onNode24 })
  command.process.stdin?.end()
  return command
}

const HOOK = { workflows: { 'hook.yml': NAMED } }

/** The printed webhook URL, as this machine can call it. */
function localOf(url: string): string {
  const [local = ''] = /http:\S+/.exec(readFileSync(join(folder, 'tunnelled'), 'utf8')) ?? []
  return url.replace(PUBLIC, local)
}

/** A request on a connection of its own: a relay that stops waits a second for clients that keep theirs. */
const post = (url: string, init: RequestInit = {}) =>
  fetch(url, { method: 'POST', ...init, headers: { connection: 'close', ...init.headers } })

const EVENT_KEYS = ['event', 'url', 'delivery', 'status', 'run', 'outcome', 'reason']

async function jsonEvents(running: RunningCommand, last: string) {
  await running.printed(new RegExp(`"event":"${last}".*\n`))
  const events = running.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const event of events) expect(Object.keys(event)).toEqual(EVENT_KEYS)
  return events
}

const skipped = (name: string) => ({ conclusion: 'skipped', name })
const failedStep = (name: string) => ({ conclusion: 'failure', name })

const ENDINGS: readonly (readonly [Ending, object])[] = [
  [
    { conclusion: 'skipped', jobs: [skipped('hook')] },
    { outcome: 'skipped', reason: expect.stringContaining('job condition') },
  ],
  [
    {
      conclusion: 'failure',
      jobs: [
        {
          ...{ conclusion: 'failure', name: 'greet' },
          steps: [{ name: 'Say it', conclusion: 'failure' }],
        },
      ],
    },
    { outcome: 'failure', reason: 'job greet, step Say it' },
  ],
  [
    { jobs: [{ conclusion: 'success', name: 'react', steps: [skipped('Run echo "$BODY"')] }] },
    {
      outcome: 'success',
      reason: 'skipped: step Run echo "$BODY" (see the summary of the run)',
    },
  ],
  [
    {
      jobs: [{ id: 9, conclusion: 'success', name: 'react', steps: [skipped('Run echo')] }],
      notices: ['another notice', 'no trigger fired: filter: body.a is 1, wanted 2'],
    },
    { outcome: 'nothing_fired', reason: 'filter: body.a is 1, wanted 2' },
  ],
  [
    {
      conclusion: 'failure',
      jobs: [{ id: 9, conclusion: 'failure', name: 'react', steps: [failedStep('Hookline')] }],
      notices: ['a notice'],
      errors: ['Process completed with exit code 1.', '"secret" of "verify" is empty'],
    },
    {
      outcome: 'failure',
      reason: 'job react, step Hookline: "secret" of "verify" is empty',
    },
  ],
  [
    {
      jobs: [
        { conclusion: 'success', name: 'react', steps: [{ name: 'a', conclusion: 'success' }] },
      ],
    },
    { outcome: 'success', reason: 'every step ran' },
  ],
  [
    { jobs: [{ conclusion: 'success', name: 'on' }, skipped('greet')] },
    { outcome: 'success', reason: expect.stringContaining('skipped: job greet') },
  ],
]

describe('from a clone to a run', () => {
  test('a request to the printed URL starts the workflow, and its run is followed to its end', async () => {
    platform.always(withRun(HOOK))
    const running = connect([])
    const [, url = ''] = await running.printed(WEBHOOK_URL)
    expect(url).toMatch(/^https:\/\/quiet-river-example\.trycloudflare\.com\/-\//)
    const answer = await post(localOf(url), { body: '{"a":1}' })
    expect(await answer.json()).toEqual({ success: true })
    await running.printed(/200 {2}delivery [\w-]{36}\n/)
    await running.printed(/run https:.*runs\/7\n/)
    await running.printed(/ended: success\n/)
    // Neither its output nor its arguments contain a token; only the URL is a secret.
    expect(running.stdout + running.stderr).not.toContain(TOKEN)
    expect(readFileSync(join(folder, 'tunnelled'), 'utf8')).not.toContain(TOKEN)
    expect(await running.stop()).toBe(0)
    expect(running.stdout).toContain('4-keep-the-url')
  })

  test('by workflow_dispatch, if the workflow listens for it', async () => {
    workflow('hook.yml', STARTED_DIRECTLY)
    platform.always(withRun({ workflows: { 'hook.yml': STARTED_DIRECTLY } }))
    const running = connect(['--json', '--send-test'])
    const events = await jsonEvents(running, 'end')
    expect(events.map(({ event }) => event)).toEqual(['ready', 'request', 'run', 'end'])
    expect(events[3]).toMatchObject({ run: RUN, outcome: 'success', reason: null })
    expect(
      platform.calls.some(({ url }) => url.endsWith('/actions/workflows/hook.yml/dispatches')),
    ).toBe(true)
    await running.stop()
    expect(await jsonEvents(running, 'bye')).toHaveLength(5)
  })

  test('the URL is good for one path while connect runs, and each run is printed with its reason', async () => {
    platform.always(withRun(HOOK))
    // Other relay settings in the environment have no effect.
    const running = connect(['--json'], {
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      ...{ HOOKLINE_REPOSITORY: 'octo/other', HOOKLINE_APP_ID: '7', HOOKLINE_RELAY_KEY: 'none' },
    })
    const [{ url }] = await jsonEvents(running, 'ready')
    const local = localOf(url)
    const elsewhere = await post(local.replace('/hook/', '/other/').replace(/\/-\/../, '/-/__'))
    expect(elsewhere.status).toBe(401)
    const events = await jsonEvents(running, 'request')
    expect(events[1]).toMatchObject({ status: 401, reason: 'invalid_token', run: null })
    for (const [ending, expected] of ENDINGS) {
      platform.always(withRun(HOOK, ending))
      running.stdout = ''
      await post(local)
      expect((await jsonEvents(running, 'end')).at(-1)).toMatchObject(expected)
    }
    const asGitHub = withRun(HOOK)
    platform.always((call, response) =>
      call.method === 'GET' && call.url.includes('/actions/runs')
        ? json(403, { message: 'Resource not accessible by personal access token' })
        : asGitHub(call, response),
    )
    running.stdout = ''
    await post(local)
    expect((await jsonEvents(running, 'run')).at(-1)).toMatchObject({
      run: null,
      reason: expect.stringContaining('Actions: Read'),
    })
    await running.stop()
    await expect(post(local)).rejects.toThrow()
  })
})

const RELAY = {
  url: 'https://relay.example.com/octo/repo/a/webhook?__token=t',
  local: new URL('https://relay.example.com/octo/repo/a/webhook'),
  ...{ inWorkflow: [], close: async () => {} },
  lifetime: 'ends with the tunnel' as const,
}
const GITHUB = {
  ...{ kind: 'github' as const, host: 'github.com', webUrl: 'https://github.com' },
  ...{ apiUrl: new URL('https://api.github.com'), isConfigured: false },
}
const LASTING = { ...RELAY, lifetime: 'stays' as const }
const TARGET = {
  ...{ workflow: 'a', trigger: 'webhook', file: 'a.yml', files: ['a.yml'] },
  ...{ repository: 'octo/repo', dispatch: 'repository' as const, url: RELAY.url },
  ...{ example: undefined, signatures: [], updates: [], filter: undefined },
}

describe('a test event', () => {
  const secret = 'whsec_dGhpcyBpcyBhIHNlY3JldA'
  const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

  test('is signed with the secret of --secret-env, which nothing shows', async () => {
    platform.always(withRun(HOOK))
    const running = connect(['stripe', '--send-test', '--secret-env', 'PAY_SECRET'], {
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      PAY_SECRET: secret,
    })
    await running.printed(/ended: success/)
    expect(running.stdout + running.stderr).not.toContain(secret)
    const sent = platform.calls.find(({ method }) => method === 'POST')
    const { body, headers } = JSON.parse(sent?.body ?? '').client_payload
    const event = Stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret)
    expect(event.object).toBe('event')
  })

  test.each(['discord', 'sendgrid', 'plaid'])(
    'of %s is refused, since only the sender can sign',
    async (name) => {
      const sender = senderNamed(name)
      const sent = sendTestEvent({
        relay: RELAY,
        target: TARGET,
        sender,
        secret: new Secret(PUBLIC_KEY),
      })
      await expect(sent).rejects.toThrow(sender?.title)
    },
  )
})

describe('the steps at the sender', () => {
  test('of stripe, with the name from the workflow', async () => {
    rmSync(join(home, '.github/workflows/hook.yml'))
    const { exitCode } = await runShared(['init', '--sender', 'stripe'], { cwd: home })
    expect(exitCode).toBe(0)
    const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
    platform.always(withRun({ workflows: { 'stripe.yml': text } }, { name: 'stripe' }))
    const running = connect(['--send-test'])
    // Without the secret, no test event is sent.
    await running.told(/export STRIPE_SIGNING_SECRET/)
    expect(running.stdout).toContain(
      '\nAt Stripe: in a sandbox, open Workbench > Webhooks > Create new destination',
    )
    expect(running.stdout).toMatch(/gh secret set STRIPE_SIGNING_SECRET --repo octo\/repo\n/)
    expect(running.stdout).toContain('https://github.com/octo/repo/settings/secrets/actions/new')
    expect(running.stdout).not.toMatch(/Checked in the workflow only/)
    expect(platform.calls.filter(({ method }) => method === 'POST')).toEqual([])
  })

  /** `script` of util-linux runs a command in its own terminal. */
  const hasTerminal = /util-linux/.test(
    spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout,
  )
  /** `connect stripe` on a terminal, with a `gh` that does this for `secret set`. */
  async function onTerminal(storing: string, token = 'echo ghp_1'): Promise<RunningCommand> {
    rmSync(join(home, '.github/workflows/hook.yml'))
    await runShared(['init', '--sender', 'stripe'], { cwd: home })
    const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
    platform.always(withRun({ workflows: { 'stripe.yml': text } }, { name: 'stripe' }))
    program('gh', `case "$1" in auth) ${token} ;; secret) ${storing} ;; esac`)
    const as = (args: readonly string[]) => {
      const line = [NODE24 ?? '', CLI_BUNDLE, ...args].map((arg) => `'${arg}'`).join(' ')
      return ['script', '-qfec', line, '/dev/null']
    }
    command = new RunningCommand(['connect', 'stripe'], { ...surroundings(), as })
    return command
  }

  ;(hasTerminal ? describe : describe.skip)('on a terminal', () => {
    test('s stores the secret by gh', async () => {
      const running = await onTerminal(
        `stty -a | tr ' ;' '\\n\\n' | grep -x -e '-\\?icanon' > '${folder}/mode'; stty -echo; printf 'Paste your secret '; read -r line; echo "$line" > '${folder}/secret'; echo "stored $*"`,
      )
      await running.printed(/Press s, or open .*, to store its secret/)
      await running.printed(/keys: s store the secret, t send a test event, q quit/)
      // A secret that is pasted too early does nothing, whatever keys it contains. The next key
      // comes later, because text that arrives in one piece counts as pasted.
      running.type('whsec_stq')
      await new Promise((resolve) => setTimeout(resolve, 2000))
      running.type('s')
      await running.printed(/Paste your secret/)
      // Keys belong to gh meanwhile.
      running.type('q-whsec-of-stripe\n')
      await running.printed(/stored secret set STRIPE_SIGNING_SECRET --repo octo\/repo/)
      expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('q-whsec-of-stripe\n')
      expect(running.stdout).not.toContain('whsec-of-stripe')
      expect(running.stdout.match(/Storing /g)).toHaveLength(1)
      // gh found the terminal in line mode, because the keys had stopped.
      expect(readFileSync(join(folder, 'mode'), 'utf8')).toBe('icanon\n')
      running.type('q')
      expect(await running.ended()).toBe(0)
    })

    test('if gh fails, connect names the page, and its keys work again', async () => {
      const running = await onTerminal('echo "no permission" >&2; exit 1')
      await running.printed(/keys: s store the secret/)
      running.type('s')
      await running.printed(
        /no permission[\s\S]*STRIPE_SIGNING_SECRET is not stored\. Store it at https:\/\/github\.com\/octo\/repo\/settings\/secrets\/actions\/new/,
      )
      running.type('q')
      expect(await running.ended()).toBe(0)
    })

    test('there is no such key if gh is not signed in', async () => {
      const running = await onTerminal('exit 1', 'exit 1')
      await running.printed(/keys: t send a test event, q quit/)
      expect(running.stdout).toContain('In a second terminal, or at https://')
    })
  })

  test('a run whose signature does not match names the command that stores the secret again', async () => {
    rmSync(join(home, '.github/workflows/hook.yml'))
    await runShared(['init', '--sender', 'stripe'], { cwd: home })
    const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
    const ending = {
      name: 'stripe',
      jobs: [{ id: 9, conclusion: 'success', name: 'react', steps: [skipped('Run echo')] }],
      notices: ['no trigger fired: verify: stripe: the signature does not match'],
    }
    platform.always(withRun({ workflows: { 'stripe.yml': text } }, ending))
    const running = connect(['stripe', '--json'])
    const [{ url }] = await jsonEvents(running, 'ready')
    await post(localOf(url), {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'checkout.session.completed' }),
    })
    expect((await jsonEvents(running, 'end')).at(-1).reason).toMatch(
      /^verify: stripe: the signature does not match\. Store .*: gh secret set STRIPE_SIGNING_SECRET --repo octo\/repo$/,
    )
  })

  const verifying = (scheme: string) => ({
    ...TARGET,
    signatures: [{ scheme, secret: new Secret('abcdefghijklmnop'), url: undefined }],
  })
  test.each([
    [
      'trello, which signs the URL too',
      { sender: senderNamed('trello'), target: verifying('trello') },
      /\nAt Trello: .*\n\ncurl -X POST[\s\S]*\n {2}gh secret set TRELLO_URL --repo octo\/repo$/,
    ],
    [
      'telegram, by a call',
      { target: { ...TARGET, trigger: 'messaging_bot' } },
      /BOT_SECRET[^\n]*\ncurl -sS .*setWebhook.*\n\{"url":"https:.*\nJSON(\n|$)/,
    ],
    [
      'trello, on a terminal with gh',
      { sender: senderNamed('trello'), target: verifying('trello'), storesByKey: true },
      /\nPress s, or open .*, to store its secret \(.*\) as TRELLO_SECRET, and then the complete URL above, which is signed, as TRELLO_URL\.$/,
    ],
    [
      'a sender with a signature of its own, without a curl line',
      { target: verifying('hmac') },
      /^(?![\s\S]*curl)[\s\S]*signed/,
    ],
    ['any sender', {}, /\n {2}curl -X POST/],
    [
      'a URL that stays, with the line that lets the action fetch large bodies',
      { relay: LASTING },
      /\nFor bodies of more than 64 KB, add under "with:" of the action in a\.yml:\n {2}relay-url: https:\/\/relay\.example\.com$/,
    ],
    [
      'a URL that stays, for a compiled workflow',
      { relay: LASTING, target: { ...TARGET, files: ['a.yml', 'b.yml'] } },
      /add in \.github\/hookline\.yml:\n {2}relay-url: /,
    ],
    [
      'a URL that stays, for a workflow that fetches large bodies',
      { relay: LASTING, fetchesBodies: true },
      /^(?![\s\S]*relay-url)/,
    ],
    ['a URL that ends, without that line', {}, /^(?![\s\S]*relay-url)/],
    [
      'stripe, on Forgejo, with the page that takes the secret',
      {
        sender: senderNamed('stripe'),
        target: verifying('stripe'),
        forge: { ...GITHUB, kind: 'forgejo' as const, webUrl: 'https://codeberg.org' },
      },
      /\nAt Stripe: [\s\S]*\n {2}STRIPE_SIGNING_SECRET at https:\/\/codeberg\.org\/octo\/repo\/settings\/actions\/secrets$/,
    ],
  ])('of %s', (_, own, said) => {
    const anybody = {
      ...{ target: TARGET, relay: RELAY },
      ...{
        shell: POSIX,
        sender: undefined,
        forge: GITHUB,
        fetchesBodies: false,
        storesByKey: false,
      },
    }
    expect(setUpLines({ ...anybody, ...own }).join('\n')).toMatch(said)
  })
})

type Refused = readonly [
  ...[name: string, change: () => void, args: readonly string[], message: RegExp],
  ...[code?: number, env?: Record<string, string>],
]

describe('an error names the cure for', () => {
  /** Its output and its exit code. */
  async function refused(args: readonly string[], env?: Record<string, string>) {
    const { exitCode, stderr } = await runShared(['connect', ...args], surroundings(env))
    return { code: exitCode, said: stderr }
  }

  const moveRepositoryUp = () => renameSync(join(home, '.git'), join(folder, '.git'))
  const removeWorkflows = () => rmSync(join(home, '.github'), { recursive: true })
  const writeBot = () => {
    rmSync(join(home, '.github/workflows/hook.yml'))
    const kind = KINDS.get('bot')
    const answers = { name: 'bot' }
    for (const { path, text } of kind?.files(answers) ?? []) writeFileSync(join(home, path), text)
  }

  test.each<Refused>([
    ['no remote', () => git('remote', 'remove', 'origin'), [], /"origin"[\s\S]*git remote add/],
    ['no workflow, with --yes', removeWorkflows, ['--yes'], /hookline init/],
    ['no workflow, without a terminal', removeWorkflows, [], /hookline init/],
    [
      'several triggers',
      () => workflow('other.yml', NAMED),
      [],
      /Choose one of these[^-]*--workflow hook --trigger webhook\n.*--workflow other.*\n$/,
      2,
    ],
    [
      'a workflow whose name a shell would run',
      () => {
        rmSync(join(home, '.github/workflows/hook.yml'))
        workflow('$(touch pwned).yml', NAMED)
      },
      ['--workflow', '$(touch pwned)'],
      /^error: the workflow .*\n(?![\s\S]*touch)/,
    ],
    [
      'an unknown workflow',
      () => {},
      ['--workflow', 'hoook'],
      /hoook[^=]*= Use --workflow hook --trigger webhook\n$/,
    ],
    [
      'a folder below the root of its repository',
      () => moveRepositoryUp(),
      [],
      /^error: .*subfolder.*\n.*Run: cd \.\.;/,
    ],
    [
      'a folder without workflows below the root of its repository',
      () => {
        removeWorkflows()
        moveRepositoryUp()
      },
      [],
      /^error: .*subfolder.*\n.*Run: cd \.\.;(?![\s\S]*hookline init)/,
    ],
    ['a bot that polls', writeBot, [], /polls[\s\S]*hookline dev --poll/],
    ['a bot that polls, by its sender', writeBot, ['telegram'], /polls[\s\S]*hookline dev --poll/],
    ['a bot that polls, for stripe', writeBot, ['stripe'], /hookline init --sender stripe/],
    [
      'no token',
      () => program('gh', 'exit 1'),
      [],
      /HOOKLINE_GITHUB_TOKEN[\s\S]*target_name=octo&expires_in=90&contents=write&actions=read\n.*gh auth login/,
      1,
      {},
    ],
    [
      'nobody to ask about the token of gh',
      () => program('gh', `[ "$1 $2" = 'auth token' ] && echo ${TOKEN}`),
      [],
      /token of gh only if you agree[\s\S]*hookline connect --yes/,
      1,
      {},
    ],
    [
      'nobody to ask about the token of gh, with a sender',
      () => program('gh', `[ "$1 $2" = 'auth token' ] && echo ${TOKEN}`),
      ['stripe', '--workflow', 'hook'],
      /token of gh only if you agree[\s\S]*hookline connect stripe --yes/,
      1,
      {},
    ],
    ['no workflow of a sender', removeWorkflows, ['stripe'], /hookline init --sender stripe/],
    [
      'no token for workflow_dispatch',
      () => workflow('hook.yml', STARTED_DIRECTLY),
      [],
      /actions=write/,
      1,
      {},
    ],
    ['an unknown sender', () => {}, ['strpe'], /"strpe"[\s\S]*stripe/],
    ['no cloudflared', () => rmSync(join(folder, 'cloudflared')), [], /cloudflared .*installed/],
    ['a tunnel that ends', () => program('cloudflared', 'exit 1'), [], /cloudflared/],
    ['a public URL without a port', () => {}, ['--public-url', 'https://a.example'], /--port/, 2],
    [
      'a public URL without TLS',
      () => {},
      ['--public-url', 'http://a.example', '--port', '0'],
      /--public-url.*https/,
      2,
    ],
    ['a secret that is not set', () => {}, ['stripe', '--secret-env', 'NONE'], /NONE/],
    [
      'a source that is not compiled',
      () => {
        removeWorkflows()
        mkdirSync(join(home, 'workflows'))
        writeFileSync(
          join(home, 'workflows/hook.yml'),
          'on: webhook\njobs:\n  a: {runs-on: x, steps: [{run: "true"}]}\n',
        )
      },
      [],
      /hookline build/,
    ],
  ])('%s', async (_, change, args, message, code = 1, env) => {
    platform.always(withRun(HOOK))
    change()
    expect(await refused(args, env)).toEqual({ code, said: expect.stringMatching(message) })
  })

  test.each<[string, Answering, RegExp]>([
    ['a token unknown to GitHub', () => json(401, { message: 'Bad credentials' }), /token/],
    ['an invisible repository', () => json(404, { message: 'Not Found' }), /octo\/repo/],
    ['GitHub with status 503', () => json(503, {}), /githubstatus/],
  ])('%s', async (_, answering, message) => {
    platform.always(answering)
    expect(await refused([])).toEqual({ code: 1, said: expect.stringMatching(message) })
    expect(existsSync(join(folder, 'tunnelled'))).toBe(false)
  })

  test('every missing requirement together, before any question', async () => {
    git('remote', 'remove', 'origin')
    rmSync(join(folder, 'cloudflared'))
    program('gh', 'exit 1')
    rmSync(join(home, '.github'), { recursive: true })
    const { port } = new URL(platform.url)
    const { code, said } = await refused(['--port', port], { PATH: `${folder}:/usr/bin:/bin` })
    expect(code).toBe(1)
    for (const cure of [
      'Another process listens there',
      'git remote add',
      'hookline init',
      'HOOKLINE_GITHUB_TOKEN',
      'cloudflared',
    ]) {
      expect(said).toContain(cure)
    }
    expect(said).not.toMatch(/^ +at /m)
  })

  test('a bot that polls, without asking for a token, cloudflared or a remote', async () => {
    writeBot()
    git('remote', 'remove', 'origin')
    rmSync(join(folder, 'cloudflared'))
    const { said } = await refused([], { PATH: `${folder}:/usr/bin:/bin` })
    expect(said).not.toMatch(/cloudflared|HOOKLINE_GITHUB_TOKEN|git remote/)
    expect(said).toContain('gh workflow run bot.yml')
  })
})

describe('the list of requirements', () => {
  test('names the verified scheme, the commands to push, and the secret to store', async () => {
    rmSync(join(home, '.github/workflows/hook.yml'))
    await runShared(['init', '--sender', 'stripe'], { cwd: home })
    const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
    platform.always(withRun({ workflows: { 'stripe.yml': text } }, { name: 'stripe' }))
    const running = connect([])
    await running.printed(WEBHOOK_URL)
    expect(running.stdout).toMatch(/ok +signatures: verified \(stripe\)/)
    expect(running.stdout).toMatch(/missing +pushed workflow: git add .*stripe\.yml && git commit/)
    expect(running.stdout).toMatch(/later +repository secret: gh secret set STRIPE_SIGNING_SECRET/)
  })

  test('says that a workflow without verify does not verify the sender', async () => {
    platform.always(withRun(HOOK))
    const running = connect(['stripe'])
    await running.printed(WEBHOOK_URL)
    expect(running.stdout).toMatch(
      /warning +signatures: not verified.*hookline init --sender stripe/,
    )
    expect(running.stdout).not.toContain('gh secret set')
  })

  test('init, init --sender stripe, connect stripe: the file is chosen by its scheme', async () => {
    await runShared(['init', '--sender', 'stripe'], { cwd: home })
    const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
    const workflows = { 'hook.yml': NAMED, 'stripe.yml': text }
    platform.always(withRun({ workflows }, { name: 'stripe' }))
    const running = connect(['stripe'])
    await running.printed(/ok +workflow: \.github\/workflows\/stripe\.yml[\s\S]*(?:__token=|\/-\/)/)
  })
})

describe('the printed commands', () => {
  const published = () => join(folder, 'published.git')
  const FILE = '.github/workflows/hook.yml'
  const change = () => {
    workflow('hook.yml', `${NAMED}# changed\n`)
    git('commit', '-qam', 'Change')
  }
  /** Another file on the default branch, which is checked out. */
  function startRepository() {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'trunk', published()])
    git('config', `url.${published()}.pushInsteadOf`, 'https://github.com/octo/repo.git')
    writeFileSync(join(home, 'README.md'), 'a')
    git('add', 'README.md')
    git('commit', '-qm', 'First')
    git('push', '-q', 'origin', 'HEAD')
    git('remote', 'set-head', 'origin', 'trunk')
  }
  const commit = (...files: readonly string[]) => {
    git('add', ...files)
    git('commit', '-qm', 'Next')
  }
  const publishedFile = () =>
    execFileSync('git', ['show', `trunk:${FILE}`], { cwd: published(), encoding: 'utf8' })
  const run = (commands: string) =>
    execFileSync('sh', ['-ec', commands], {
      cwd: home,
      stdio: 'ignore',
      env: { PATH: process.env.PATH, HOME: folder },
    })

  test.each<[string, () => void, RegExp]>([
    [
      'a repository without a remote branch',
      () => {
        rmSync(published(), { recursive: true })
        execFileSync('git', ['init', '-q', '--bare', '-b', 'trunk', published()])
        rmSync(join(home, '.git'), { recursive: true })
        git('init', '-q', '-b', 'trunk')
        git('config', 'user.email', 'a@example.com')
        git('config', 'user.name', 'a')
        git('remote', 'add', 'origin', 'https://github.com/octo/repo.git')
        git('config', `url.${published()}.pushInsteadOf`, 'https://github.com/octo/repo.git')
      },
      /^git add \S+ && git commit -m '[^']+' && git push -u origin HEAD$/,
    ],
    ['a file that is not committed', () => {}, /^git add \S+ && git commit -m '[^']+' && git push/],
    [
      'other staged changes',
      () => {
        writeFileSync(join(home, 'other.txt'), 'a')
        git('add', 'other.txt')
      },
      /^git add (\S+) && git commit -m '[^']+' -- \1 && git push/,
    ],
    ['a commit, without an upstream', () => commit(FILE), /^git push -u origin HEAD$/],
    [
      'a commit, with an upstream',
      () => {
        commit(FILE)
        git('push', '-qu', 'origin', 'HEAD')
        change()
      },
      /^git push origin HEAD$/,
    ],
    [
      'a fork whose branch tracks another remote',
      () => {
        commit(FILE)
        execFileSync('git', ['init', '-q', '--bare', join(folder, 'upstream.git')])
        git('remote', 'add', 'upstream', join(folder, 'upstream.git'))
        git('push', '-qu', 'upstream', 'HEAD')
      },
      /^git push origin HEAD$/,
    ],
    [
      'another branch, which is pushed',
      () => {
        git('checkout', '-qb', 'feature')
        commit(FILE)
        git('push', '-qu', 'origin', 'HEAD')
      },
      /^# .* branch trunk\. Merge your branch into it, .*\ngit push origin HEAD:trunk$/,
    ],
    [
      'another branch, without a commit',
      () => git('checkout', '-qb', 'feature'),
      /^git add \S+ && git commit -m '[^']+'\n# .*\ngit push origin HEAD:trunk$/,
    ],
    [
      'a branch that tracks the default branch',
      () => {
        git('checkout', '-qb', 'topic', '--track', 'origin/trunk')
        commit(FILE)
      },
      /\ngit push origin HEAD:trunk$/,
    ],
    [
      'a detached HEAD',
      () => {
        git('checkout', '-q', '--detach')
        commit(FILE)
      },
      /\ngit push origin HEAD:trunk$/,
    ],
  ])('publish the workflow from %s', async (_, prepare, command) => {
    startRepository()
    prepare()
    platform.always(withRun({ workflows: {} }))
    const running = connect([])
    const [, waiting = ''] = await running.printed(
      /waiting: .*\n.*Push it there\.\n((?: {2}.*\n)+)/,
    )
    const lines = waiting.replaceAll(/^ {2}/gm, '').trimEnd()
    expect(lines).toMatch(command)
    const [, listed = ''] =
      /missing +pushed workflow: (.*\n(?: {11}.*\n)*)/.exec(running.stdout) ?? []
    expect(listed.replaceAll(/^ {11}/gm, '').trimEnd()).toBe(lines)
    run(lines)
    expect(publishedFile()).toBe(readFileSync(join(home, FILE), 'utf8'))
  })

  test('contain only the changes of the workflow', async () => {
    startRepository()
    writeFileSync(join(home, 'other.txt'), 'a')
    git('add', 'other.txt')
    platform.always(withRun(HOOK))
    const running = connect([])
    const [, command = ''] = await running.printed(/pushed workflow: (git .*)\n/)
    run(command)
    const names = execFileSync('git', ['ls-tree', '-r', '--name-only', 'trunk'], {
      cwd: published(),
      encoding: 'utf8',
    })
    expect(names.trim().split('\n')).toEqual([FILE, 'README.md'])
  })

  test('quote the name of a branch', async () => {
    startRepository()
    platform.always(withRun({ repository: { default_branch: 'a$(touch${IFS}pwned)' } }))
    const running = connect([])
    const [, command = ''] = await running.printed(/\n +(git push origin '?HEAD:.*)\n/)
    expect(command).toBe("git push origin 'HEAD:a$(touch${IFS}pwned)'")
  })

  test('get the default branch if the clone is behind', async () => {
    startRepository()
    commit(FILE)
    git('push', '-q', 'origin', 'HEAD')
    platform.always(withRun({ workflows: { 'hook.yml': `${NAMED}# newer\n` } }))
    const running = connect([])
    await running.printed(WEBHOOK_URL)
    expect(running.stdout).toMatch(/ok +pushed workflow: no local changes\n/)
    expect(running.stdout).toMatch(
      /warning +workflow: .* trunk differs.*\n +git pull origin trunk\n/,
    )
  })

  /** Pushes a commit to the default branch from another clone. */
  function pushElsewhere(file: string, text: string) {
    const other = mkdtempSync(join(folder, 'other-'))
    const there = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.email=b@example.com', '-c', 'user.name=b', ...args], {
        cwd: other,
        stdio: 'ignore',
        env: { PATH: process.env.PATH, HOME: folder },
      })
    there('clone', '-q', published(), '.')
    mkdirSync(dirname(join(other, file)), { recursive: true })
    writeFileSync(join(other, file), text)
    there('add', file)
    there('commit', '-qm', 'Elsewhere')
    there('push', '-q', 'origin', 'HEAD')
  }
  const fetchBranches = () => git('fetch', '-q', published(), '+refs/heads/*:refs/remotes/origin/*')
  /** Not earlier, because `connect` reads the address of the remote. */
  const runPull = (command: string) => {
    git('config', `url.${published()}.insteadOf`, 'https://github.com/octo/repo.git')
    run(command)
  }

  test.each<[string, () => void]>([
    ['the default branch', () => {}],
    ['another branch', () => git('checkout', '-qb', 'feature')],
  ])('pull before they push a file of %s that is ahead and behind', async (_, prepare) => {
    startRepository()
    pushElsewhere('other.txt', 'a')
    prepare()
    commit(FILE)
    fetchBranches()
    platform.always(withRun({ workflows: {} }))
    const running = connect([])
    const [, command = ''] = await running.printed(
      /waiting: .*\n.*Push it there\.\n(?: {2}#.*\n)? {2}(git .*)\n/,
    )
    expect(command).toMatch(/^git pull --no-rebase origin trunk && git push /)
    runPull(command)
    expect(publishedFile()).toBe(NAMED)
  })

  test.each([
    ['fetched', fetchBranches],
    ['not fetched', () => {}],
  ])('only pull a newer file that is %s if this folder has other commits', async (_, prepare) => {
    startRepository()
    commit(FILE)
    git('push', '-q', 'origin', 'HEAD')
    pushElsewhere(FILE, `${NAMED}# newer\n`)
    writeFileSync(join(home, 'other.txt'), 'a')
    commit('other.txt')
    prepare()
    platform.always(withRun({ workflows: { 'hook.yml': publishedFile() } }))
    const running = connect([])
    await running.printed(WEBHOOK_URL)
    const [, command = ''] =
      /warning +workflow: .* trunk differs.*\n +(git .*)\n/.exec(running.stdout) ?? []
    expect(command).toBe('git pull --no-rebase origin trunk')
    runPull(command)
    expect(readFileSync(join(home, FILE), 'utf8')).toBe(publishedFile())
  })

  test('are none of git for a workflow that is disabled at GitHub', async () => {
    startRepository()
    commit(FILE)
    git('push', '-q', 'origin', 'HEAD')
    let states: Record<string, string> = { 'hook.yml': 'disabled_inactivity' }
    platform.always((call, response) => withRun({ ...HOOK, states })(call, response))
    const running = connect([])
    await running.printed(/waiting: hook\.yml is disabled.*\nRun: gh workflow enable hook\.yml\n/)
    states = {}
    await running.printed(WEBHOOK_URL)
    expect(running.stdout).not.toMatch(/git (?:add|push|pull)/)
  })

  test('publish the correction of a file that is the same on the default branch', async () => {
    const wrong = NAMED.replace(
      'runs-on',
      "if: github.event.client_payload.path == 'other/webhook'\n    runs-on",
    )
    workflow('hook.yml', wrong)
    startRepository()
    commit(FILE)
    git('push', '-q', 'origin', 'HEAD')
    platform.always((call, response) =>
      withRun({ workflows: { 'hook.yml': publishedFile() } })(call, response),
    )
    const running = connect([])
    const [, command = ''] = await running.printed(
      /waiting: .*never equals.*\n.*\n {2}# Correct the file, then:\n {2}(git add .*)\n/,
    )
    workflow('hook.yml', NAMED)
    run(command)
    expect(publishedFile()).toBe(NAMED)
  })

  test('of init, on another branch, push to the default branch too', async () => {
    startRepository()
    git('checkout', '-qb', 'feature')
    const { stdout } = await runShared(['init', '--sender', 'stripe'], { cwd: home })
    expect(stdout).toMatch(
      /\n {2}git add \S+ && git commit -m '[^']+'\n {2}# .*trunk.*\n {2}git push origin HEAD:trunk\n/,
    )
  })
})

describe('the workflow of the default branch', () => {
  const VERIFYING = NAMED.replace(
    'with: { on: webhook }',
    `with:
          on: |
            webhook:
              verify: {scheme: stripe, secret: "\${{ secrets.STRIPE_SIGNING_SECRET }}"}
              config: {filter: {"body.type": paid}}
          secrets: \${{ toJSON(secrets) }}`,
  )
  const COMPILED = NAMED.replace('with: { on: webhook }', 'env: {}')
  const SOURCE = (verify: string) => `on: {webhook: {${verify}}}\njobs: {}\n`

  /** The rows of the list, when the URL is there. */
  async function listed(here: string, onTrunk: string, args: readonly string[] = []) {
    workflow('hook.yml', here)
    platform.always(withRun({ workflows: { 'hook.yml': onTrunk } }))
    const running = connect(args)
    await running.printed(/Waiting for requests/)
    return running.stdout
  }

  test('decides about signatures and filter: without verify, a workflow here changes nothing', async () => {
    const text = await listed(VERIFYING, NAMED, ['stripe'])
    expect(text).toMatch(
      /warning +workflow: \S+hook\.yml on the default branch trunk differs .*\n +git add /,
    )
    expect(text).toMatch(/warning +signatures: not verified/)
    expect(text).not.toMatch(/signatures: verified|Filter of the workflow|gh secret set/)
  })

  test('decides about signatures and filter: with verify, in a clone that is behind', async () => {
    const text = await listed(NAMED, VERIFYING)
    expect(text).toMatch(/warning +workflow: .* trunk differs/)
    expect(text).toMatch(/ok +signatures: verified \(stripe\)/)
    expect(text).toMatch(/later +repository secret: gh secret set STRIPE_SIGNING_SECRET/)
    expect(text).toMatch(/\nFilter of the workflow: body\.type must be "paid"/)
  })

  test('is the same with other line breaks', async () => {
    const text = await listed(VERIFYING, VERIFYING.replaceAll('\n', '\r\n'))
    expect(text).not.toMatch(/warning/)
    expect(text).toMatch(/signatures: verified \(stripe\)/)
  })

  test('may have its triggers in a source that differs', async () => {
    const verify = 'verify: {scheme: stripe, secret: "${{ secrets.STRIPE_SIGNING_SECRET }}"}'
    mkdirSync(join(home, 'workflows'))
    writeFileSync(join(home, 'workflows/hook.yml'), SOURCE(verify))
    workflow('hook.yml', COMPILED)
    const asGitHub = withRun({
      workflows: { 'hook.yml': COMPILED },
      at: { '/repos/octo/repo/contents/workflows/hook.yml': { status: 200, body: SOURCE('') } },
    })
    platform.always(asGitHub)
    const running = connect([])
    await running.printed(/Waiting for requests/)
    expect(running.stdout).toMatch(
      /workflow: workflows\/hook\.yml on the default branch trunk differs/,
    )
    expect(running.stdout).toMatch(/warning +signatures: not verified/)
  })

  test('may lack the source of this folder', async () => {
    const verify = `verify: {scheme: stripe, secret: "\${{ secrets.STRIPE_SIGNING_SECRET }}"}`
    mkdirSync(join(home, 'workflows'))
    writeFileSync(join(home, 'workflows/hook.yml'), SOURCE(verify))
    const text = await listed(COMPILED, COMPILED)
    expect(text).toMatch(
      /warning +workflow: workflows\/hook\.yml is not on the default branch trunk, and GitHub runs that branch\. .*\n +git add /,
    )
    expect(text).toMatch(/warning +signatures: not verified/)
    expect(text).not.toMatch(/signatures: verified/)
  })

  test('verifies nothing for certain if the token may not read it', async () => {
    workflow('hook.yml', VERIFYING)
    const path = '/repos/octo/repo/contents/.github/workflows'
    const refusal = json(403, { message: 'Resource not accessible by personal access token' })
    const at = { [path]: refusal, [`${path}/hook.yml`]: refusal, [`${path}/hook.yaml`]: refusal }
    platform.always(withRun({ at }))
    const running = connect([])
    await running.printed(/Waiting for requests/)
    expect(running.stdout).toMatch(/warning +workflow: not compared.*Contents: Read/)
    expect(running.stdout).not.toMatch(/signatures: verified/)
  })
})

test('from a repository without workflows to a run of Stripe: three commands, 25 lines of connect', async () => {
  rmSync(join(home, '.github'), { recursive: true })
  const init = await runShared(['init', '--sender', 'stripe'], { cwd: home })
  expect(init.exitCode).toBe(0)
  const text = readFileSync(join(home, '.github/workflows/stripe.yml'), 'utf8')
  platform.always(withRun({ workflows: { 'stripe.yml': text } }, { name: 'stripe' }))
  const secret = 'whsec_dGhpcyBpcyBhIHNlY3JldA'
  const running = connect(['stripe', '--send-test'], {
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    STRIPE_SIGNING_SECRET: secret,
  })
  await running.printed(/ended: success/)
  const sent = platform.calls.find(({ method }) => method === 'POST')
  const { body, headers } = JSON.parse(sent?.body ?? '').client_payload
  expect(() =>
    Stripe.webhooks.constructEvent(body, headers['stripe-signature'], secret),
  ).not.toThrow()
  expect(running.stdout + running.stderr).not.toContain(secret)
  expect(running.stdout).toMatch(
    /\nFilter of the workflow: body\.type .*"checkout\.session\.completed"/,
  )
  expect(running.stdout).toMatch(/^200 {2}delivery [\da-f-]{36}$/m)
  expect(running.stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(25)
})

test('the end of a run names its delivery if another request came in between', async () => {
  const ended = withRun(HOOK)
  let isRunning = true
  let isRefusing = false
  platform.always((call, response) => {
    if (isRefusing && call.method === 'POST') return json(422, {})
    const answer = ended(call, response)
    const body = answer?.body?.replace('"completed"', '"in_progress"').replace('"success"', 'null')
    return isRunning &&
      call.method === 'GET' &&
      call.url.includes('/actions/runs') &&
      answer &&
      body
      ? { ...answer, body }
      : answer
  })
  const running = connect([])
  const [, url = ''] = await running.printed(WEBHOOK_URL)
  const send = () => post(localOf(url), { body: '{}' })
  await send()
  await running.printed(/runs\/7\n/)
  isRefusing = true
  await send()
  await running.printed(/event_rejected/)
  isRunning = false
  await running.printed(/ {5}delivery [\w-]{36} ended: success\n/)
})

test('a tunnel that ends is opened again, and its URL is printed if it is a new one', async () => {
  const other = 'https://loud-river-example.trycloudflare.com'
  // The first two have the same address, and each ends when the test says so.
  program(
    'cloudflared',
    `n=$(ls '${folder}' | grep -c started); touch '${folder}/started-'$n
if [ $n = 2 ]; then echo "INF | ${other} |" >&2; exec sleep 600; fi
echo "INF | ${PUBLIC} |" >&2; until [ -e '${folder}/end-'$n ]; do sleep 0.1; done`,
  )
  platform.always(withRun(HOOK))
  const running = connect([])
  await running.printed(WEBHOOK_URL)
  writeFileSync(join(folder, 'end-0'), '')
  await running.printed(/the tunnel ended; opening another one in 1 s\n/)
  await running.printed(/The tunnel is open again.*\n/)
  expect(running.stdout).not.toContain('URL has changed')
  writeFileSync(join(folder, 'end-1'), '')
  await running.printed(
    /URL has changed[\s\S]*https:\/\/loud-river-example\.trycloudflare\.com\/(?:octo|-)\//,
  )
  expect(await running.stop()).toBe(0)
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('Ctrl-C that ends the tunnel first is no error', async () => {
  program('cloudflared', `echo $$ > '${folder}/pid'; echo "INF | ${PUBLIC} |" >&2; exec sleep 600`)
  platform.always(withRun(HOOK))
  const running = connect([])
  await running.printed(WEBHOOK_URL)
  const tunnel = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  process.kill(tunnel, 'SIGINT')
  // The process has ended when connect notices its end.
  while (isAlive(tunnel)) await new Promise(setImmediate)
  expect(await running.stop()).toBe(0)
  expect(running.stderr).toBe('')
})

test('connect prints the commands that push the workflow, and waits until GitHub has it', async () => {
  let isPushed = false
  const [before, after] = [withRun({ workflows: {} }), withRun(HOOK)]
  platform.always((call, response) => (isPushed ? after : before)(call, response))
  const running = connect([])
  await running.printed(/git add \.github\/workflows\/hook\.yml && git commit .* && git push/)
  isPushed = true
  await running.printed(WEBHOOK_URL)
})

test.each([
  ['HTTPS_PROXY', 1],
  ['http_proxy', 1],
  ['NO_PROXY', 0],
])('with %s set, the relay gives %i warnings', (name, times) => {
  expect(unusedProxyProblems({ [name]: 'http://127.0.0.1:1' })).toHaveLength(times)
})

test('the token of gh is used with --yes, and not printed', async () => {
  program('gh', `[ "$1" = auth ] && echo '${TOKEN}'`)
  platform.always(withRun(HOOK))
  const running = connect(['--yes'], {})
  await running.printed(/gh auth token[\s\S]*(?:__token=|\/-\/)/)
  expect(platform.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  expect(running.stdout).not.toContain(TOKEN)
})

test('--public-url replaces the tunnel, and a proxy in the environment is warned of once', async () => {
  rmSync(join(folder, 'cloudflared'))
  platform.always(withRun(HOOK))
  const running = connect(['--json', '--public-url', 'https://hooks.example.com/', '--port', '0'], {
    HOOKLINE_GITHUB_TOKEN: TOKEN,
    HTTPS_PROXY: 'http://127.0.0.1:1',
  })
  const [{ url }] = await jsonEvents(running, 'ready')
  expect(url).toMatch(/^https:\/\/hooks\.example\.com\/(?:octo\/repo\/hook\/webhook\?__token=|-\/)/)
  expect(running.stderr.match(/^warning: .*proxy/gm)).toHaveLength(1)
})

describeOnNode24('with a database', () => {
  /** `connect --json` until its URL is there. */
  async function ready(args: readonly string[], env: Record<string, string> = {}) {
    const setting = surroundings({ HOOKLINE_GITHUB_TOKEN: TOKEN, ...env })
    const as = (words: readonly string[]) => [NODE24 ?? '', CLI_BUNDLE, ...words]
    command = new RunningCommand(['connect', '--json', ...args], { ...setting, as })
    command.process.stdin?.end()
    const [{ url }] = await jsonEvents(command, 'ready')
    await command.told(/\nIt (?:stays|ends)/)
    return { running: command, url: String(url) }
  }
  const PUBLIC_URL = ['--public-url', 'https://hooks.example.com', '--port', '0']
  const state = () => {
    const host = new URL(platform.url).host.replace(':', '_')
    return join(folder, '.local/state/hookline/connect', host, 'octo/repo')
  }

  test('the URL is an endpoint, and the same at the next start', async () => {
    platform.always(withRun(HOOK))
    const first = await ready(PUBLIC_URL)
    expect(first.url).toMatch(/^https:\/\/hooks\.example\.com\/-\/octo\/[\w-]{22}$/)
    expect(first.running.stderr).toContain('stays the same at each start')
    await first.running.stop()
    expect(first.running.stderr).toContain('works again when connect runs')
    const second = await ready([])
    expect(new URL(second.url).pathname).toBe(new URL(first.url).pathname)
    expect(second.running.stderr).toMatch(/ends with the tunnel.*4-keep-the-url/)
  })

  test('only the user can read database and keys, and neither shows token, secret or URL', async () => {
    platform.always(withRun(HOOK))
    const { running, url } = await ready([])
    const data = join(state(), 'hook.webhook')
    const files = readdirSync(data).map((name) => join(data, name))
    expect(files.map((file) => basename(file))).toEqual(
      expect.arrayContaining(['relay.key', 'relay.db']),
    )
    for (const file of files) {
      expect([file, statSync(file).mode & 0o777]).toEqual([file, 0o600])
      const text = readFileSync(file, 'latin1')
      for (const secret of [TOKEN, url.slice(-22)]) expect(text).not.toContain(secret)
    }
    for (const path of [state(), data]) expect(statSync(path).mode & 0o777).toBe(0o700)
    await running.stop()
  })

  test('without its key, the database of an earlier start is not used, and a new one has another URL', async () => {
    platform.always(withRun(HOOK))
    const first = await ready([])
    await first.running.stop()
    const data = join(state(), 'hook.webhook')
    rmSync(join(data, 'relay.key'))
    await expect(ready([])).rejects.toThrow(/relay\.key is missing[\s\S]*move \S+relay\.db away/)
    expect(readdirSync(data)).not.toContain('relay.key')
    rmSync(join(data, 'relay.db'))
    const second = await ready([])
    expect(new URL(second.url).pathname).not.toBe(new URL(first.url).pathname)
    expect((await post(localOf(second.url), { body: '{}' })).status).toBe(200)
  })

  describe('a waiting event', () => {
    let fault: Answering | Answer | undefined
    beforeEach(() => {
      fault = undefined
      const asGitHub = withRun(HOOK)
      platform.always((call, response) => {
        if (!fault || call.method !== 'POST') return asGitHub(call, response)
        return typeof fault === 'function' ? fault(call, response) : fault
      })
    })
    const send = (url: string) => post(localOf(url), { body: '{}' })

    /** The events of one kind, as soon as there are so many. */
    async function reported(running: RunningCommand, kind: string, count = 1) {
      await running.printed(new RegExp(`(?:[^]*?"event":"${kind}".*\\n){${count}}`))
      return (await jsonEvents(running, kind)).filter(({ event }) => event === kind)
    }

    test('gets the events of an outage, which are reported as queued, and then followed to their runs', async () => {
      fault = json(503, {})
      const { running, url } = await ready([])
      expect((await send(url)).status).toBe(202)
      expect((await send(url)).status).toBe(202)
      const [first, second] = await reported(running, 'request', 2)
      expect(first.reason).toMatch(/^queued \(github_unavailable\)/)
      expect(second).toMatchObject({
        status: 202,
        reason: expect.stringMatching(
          /^queued behind earlier events: .* sends the event after them/,
        ),
      })
      fault = undefined
      const ends = await reported(running, 'end', 2)
      expect(new Set(ends.map(({ delivery }) => delivery))).toEqual(
        new Set([first.delivery, second.delivery]),
      )
      for (const { outcome } of ends) expect(outcome).toBe('success')
    })

    test('delivers an event of an earlier start, which is reported and followed', async () => {
      fault = json(503, {})
      const first = await ready([])
      await send(first.url)
      const [{ delivery }] = await reported(first.running, 'request')
      await first.running.stop()
      fault = undefined
      const { running } = await ready([])
      const [end] = await reported(running, 'end')
      expect(end).toMatchObject({ delivery, outcome: 'success' })
      const [request] = await reported(running, 'request')
      expect(request).toMatchObject({ delivery, status: null })
      expect(request.reason).toMatch(/database of the relay/)
    })
  })

  test('the sender of a signed URL is verified at the relay, if the URL stays', async () => {
    const text = NAMED.replace(
      'with: { on: webhook }',
      `with:
          on: |
            webhook: {verify: {scheme: trello, secret: "\${{ secrets.TRELLO_SECRET }}", url: "\${{ secrets.TRELLO_URL }}"}}
          secrets: \${{ toJSON(secrets) }}`,
    )
    workflow('hook.yml', text)
    platform.always(withRun({ workflows: { 'hook.yml': text } }))
    const secret = { PAY_SECRET: 'the-secret-of-trello' }
    const lasting = await ready([...PUBLIC_URL, '--secret-env', 'PAY_SECRET'], secret)
    expect(lasting.running.stderr).not.toContain('Checked in the workflow only')
    await lasting.running.stop()
    const tunneled = await ready(['--secret-env', 'PAY_SECRET'], secret)
    expect(tunneled.running.stderr).toMatch(/Checked in the workflow only: .*trello.*tunnel/)
  })
})
