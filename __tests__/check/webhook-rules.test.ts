import { createRequire } from 'node:module'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { workflow } from '../../src/check/rules/example-workflows.ts'
import { checkWorkflows } from '../../src/cli/check.ts'
import { bodiesOf, bodyShape } from '../../src/model/types/outputs.ts'
import type { Shape } from '../../src/model/types/shapes.ts'
import { HOOK, Repository } from '../compiler/support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

/** Ids with their lines, and the marked word of each. */
async function found(strict = false) {
  const checked = await checkWorkflows({ root: repository.root, globs: [], strict })
  return checked.findings
    .filter(({ code }) => code !== 'poll-schedule')
    .map(({ code, position }) => {
      const line = position?.source.text.split('\n')[position.line - 1] ?? ''
      const start = (position?.column ?? 1) - 1
      return `${code} ${line.slice(start, start + (position?.length ?? 0))}`
    })
}

/** The same declaration in a source, and in the action's input. */
const FORMS = [
  ['native', '.github/workflows/hook.yml', (on: string) => workflow(DONE, on).replace(BODY, '')],
  ['compiled', 'workflows/hook.yml', (on: string) => `on:\n  ${on}\njobs:\n${DONE}`],
] as const
const DONE = '  greet:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n'
const BODY = / +body: .*\n/

const OPTIONS: readonly (readonly [on: string, ids: readonly string[]])[] = [
  ['messaging_bot: {webhook: true, users: [1]}', ['unverified-allowlist [1]']],
  ['telegram_bot: {webhook: true, users: 1}', ['unverified-allowlist 1']],
  ['messaging_bot: {webhook: true, chats: [-1]}', ['unverified-allowlist [-1]']],
  ['messaging_bot: {webhook: true}', []],
  ['messaging_bot: {token: "${{ secrets.T }}", users: [1]}', []],
  ['messaging_bot: {webhook: true, users: [1], secretToken: "${{ secrets.S }}"}', []],
  ['webhook: {path: /hook/webhook/orders}', ['repeated-path-prefix /hook/webhook/orders']],
  ['webhook: {path: hook/webhook}', ['repeated-path-prefix hook/webhook']],
  ['webhook: {path: "/Hook/webhook/:id"}', ['repeated-path-prefix "/Hook/webhook/:id"']],
  ['webhook: {path: /webhook/orders}', []],
  ['webhook: {path: /hook/orders}', []],
  ['webhook: {path: /other/webhook/orders}', []],
  ['webhook: {config: {filter: {headers.X-GitHub-Event: push}}}', []],
  ['webhook: {config: {filter: {headers.x-github-event: push}}}', []],
  ['webhook: {config: {filter: {headers.x_event_type: push}}}', []],
  ['webhook: {config: {filter: {headers.X_Event_Type: push}}}', []],
  [
    'webhook: {deduplicationKey: headers.x_github_delivery}',
    ['header-name headers.x_github_delivery'],
  ],
  [
    `webhook: {config: {filterScript: "return item.headers['X-Id'] === 'a'"}}`,
    [`header-name "return item.headers['X-Id'] === 'a'"`],
  ],
  ['webhook: {config: {filterScript: "return item.body.X_Id === 1"}}', []],
]

describe.each(FORMS)('%s: an option', (_, file, around) => {
  test.each(OPTIONS)('%s', async (on, ids) => {
    repository.write(file, around(on))
    expect(await found(true)).toEqual(ids)
  })

  test('is a warning without --strict, and silenced by a comment', async () => {
    const on = 'webhook: {path: /hook/webhook/a}'
    repository.write(file, around(on))
    const { findings } = await checkWorkflows({ root: repository.root, globs: [] })
    expect(findings.map(({ code, level }) => [code, level])).toEqual([
      ['repeated-path-prefix', 'warning'],
    ])
    if (file.startsWith('.github')) return // in a native workflow it is inside of a string
    repository.write(
      file,
      around(`# hookline: ignore[repeated-path-prefix] it comes twice\n  ${on}`),
    )
    expect(await found(true)).toEqual([])
  })
})

describe('an expression', () => {
  test.each([
    ['fromJSON(needs.on.outputs.headers).X_GitHub_Event', ['header-name X_GitHub_Event']],
    ["fromJSON(needs.on.outputs.headers)['x_event_type']", []],
    ['fromJSON(needs.on.outputs.headers).X-GitHub-Event', []],
    ['github.event.client_payload.headers.x_github_event', ['header-name x_github_event']],
    ['github.event.client_payload.headers.x_id', []],
    ['fromJSON(needs.on.outputs.headers)', ['object-as-string fromJSON(needs.on.outputs.headers)']],
    ['needs.on.outputs.headers', []],
  ])('of GitHub: %s', async (expression, ids) => {
    const jobs = `  a:\n    needs: on\n    runs-on: ubuntu-latest\n    env:\n      V: \${{ ${expression} }}\n    steps: [{run: echo}]\n`
    const text = workflow(jobs).replace(BODY, (line) => line.replaceAll('body', 'headers'))
    repository.write('.github/workflows/hook.yml', text)
    expect(await found(true)).toEqual(ids)
  })

  test.each([
    ['on.webhook.outputs.headers.X_GitHub_Event', ['header-name X_GitHub_Event']],
    ['on.webhook.outputs.headers.x-github-event', []],
    ['on.webhook.outputs.headers', ['object-as-string on.webhook.outputs.headers']],
    ['toJSON(on.webhook.outputs.headers)', []],
  ])('of a source: %s', async (expression, ids) => {
    const text = `on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    env:\n      V: \${{ ${expression} }}\n    steps: [{run: echo}]\n`
    repository.write('workflows/hook.yml', text)
    expect(await found(true)).toEqual(ids)
  })
})

const recorded: readonly { readonly examples: readonly unknown[] }[] = createRequire(
  import.meta.url,
)('@octokit/webhooks-examples')

/** Every path of GitHub's own recorded requests. */
function recordedPaths(): string[][] {
  const paths = new Map<string, string[]>()
  const walk = (value: unknown, path: string[]): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, below] of Object.entries(value)) {
      const own = [...path, Array.isArray(value) ? '0' : key]
      paths.set(own.join('\n'), own)
      walk(below, own)
    }
  }
  for (const { examples } of recorded) for (const example of examples) walk(example, [])
  return [...paths.values()]
}

describe('a field of a body', () => {
  const SIGNED = 'webhook: {verify: {scheme: github, secret: "${{ secrets.S }}"}}'

  test.each([
    ['pull_request.titel', ['unknown-payload-field titel']],
    ["issue['titel']", ['unknown-payload-field titel']],
    ['commits[0].mesage', ['unknown-payload-field mesage']],
    ['repositry.name', ['unknown-payload-field repositry']],
    ['pull_request.title', []],
    ['commit.author', []],
    ['pull_request.requested_reviewers[0].login', []],
  ])('of a known sender: %s', async (field, ids) => {
    const jobs = `  a:\n    needs: on\n    runs-on: ubuntu-latest\n    env:\n      V: \${{ fromJSON(needs.on.outputs.body).${field} }}\n    steps: [{run: echo}]\n`
    repository.write('.github/workflows/hook.yml', workflow(jobs, SIGNED))
    const source = `on:\n  ${SIGNED}\njobs:\n  a:\n    runs-on: ubuntu-latest\n    env:\n      V: \${{ on.webhook.outputs.body.${field} }}\n    steps: [{run: echo}]\n`
    expect(await found()).toEqual(ids)
    repository.write('.github/workflows/hook.yml', 'on: push\njobs: {}\n')
    repository.write('workflows/hook.yml', source)
    expect(await found()).toEqual(ids)
  })

  test('of no known sender is not asked about', async () => {
    const text = HOOK.replace('echo hi', 'echo ${{ toJSON(on.webhook.outputs.body.issue.titel) }}')
    repository.write('workflows/hook.yml', text)
    expect(await found()).not.toContain('unknown-payload-field titel')
  })

  test('is never one that GitHub was recorded to send', () => {
    const paths = recordedPaths()
    expect(paths.length).toBeGreaterThan(3000)
    const body = bodyShape(bodiesOf('github'), 'github')
    expect(paths.flatMap((path) => faultsOf(path, body))).toEqual([])
  })
})

/** The names of a path that the shape reports as misspelled. */
function faultsOf(path: readonly string[], body: Shape): string[] {
  let shape: Shape | undefined = body
  const faults: string[] = []
  for (const name of path) {
    if (shape?.kind === 'list') shape = shape.item
    else if (shape?.kind === 'object') {
      if (shape.unknown?.(name) && !shape.names.has(name.toLowerCase())) faults.push(name)
      shape = shape.names.get(name.toLowerCase())?.shape
    }
  }
  return faults
}

const ACTION = `name: a
inputs: {on: {}, workflow: {}, state: {}}
runs: {using: node24, main: dist/action/index.js}
`

describe('"uses: ./" is the action', () => {
  const text = workflow('')
    .replace('- uses: hookline/hookline@v1', '- uses: actions/checkout@v6\n      - uses: ./')
    .replace('method', 'methd')
  test.each([
    ['where its action.yml runs the bundle with our inputs', ACTION, ['unknown-option methd']],
    ['not where it runs another program', ACTION.replace('dist/action/', 'dist/'), undefined],
    ['not where it has other inputs', ACTION.replace('workflow', 'flow'), undefined],
    ['not where there is none', undefined, undefined],
    ['not where it is no YAML', 'runs: [', undefined],
  ])('%s', async (_, action, ids) => {
    if (action !== undefined) repository.write('action.yml', action)
    repository.write('.github/workflows/hook.yml', text)
    expect(await found()).toEqual(ids ?? [])
  })
})

describe('a reply', () => {
  const REPLY =
    '      - uses: hookline/hookline/reply@v1\n        with: {to: x, text: y, token: z}\n'
  const source = (on: string, condition = '') =>
    `on: {${on}}\njobs:\n  greet:\n    runs-on: ubuntu-latest\n    steps:\n${REPLY.replace('        with', `${condition}        with`)}`
  const bot = (updates: string) =>
    `messaging_bot: {token: "\${{ secrets.T }}", updates: ${updates}}`

  test.each([
    [bot('[poll, callback_query]'), '', ['impossible-reply [poll, callback_query]']],
    [bot('inline_query'), '', ['impossible-reply inline_query']],
    [bot('[callback_query, guest_message]'), '', []],
    [bot('poll'), "        if: on.messaging_bot.outputs.update_type != 'poll'\n", []],
    ['trello: {}', '', ['impossible-reply {}']],
    ['trello: {}, slack: {}', '', []],
  ])('%s %s', async (on, condition, ids) => {
    repository.write('workflows/reply.yml', source(on, condition))
    expect((await found(true)).filter((id) => id.startsWith('impossible'))).toEqual(ids)
  })
})
