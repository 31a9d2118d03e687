import { describe, expect, test } from '@jest/globals'
import { NO_OTHER_FILES, RuleFile } from '../../src/check/rule.ts'
import { ACTION_INPUTS, actionInput } from '../../src/check/rules/action-input.ts'
import { missingSecret } from '../../src/check/rules/missing-secret.ts'
import { sharedConcurrencyGroup } from '../../src/check/rules/shared-concurrency-group.ts'
import { statePermissions } from '../../src/check/rules/state-permissions.ts'
import { REPLY_INPUTS } from '../../src/check/rules/unknown-input.ts'
import { unreachableWebhook } from '../../src/check/rules/unreachable-webhook.ts'
import { readNativeWorkflow } from '../../src/compiler/native.ts'
import type { Problem } from '../../src/wire/errors.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'
import { MANIFEST, REPLY_DEFAULTS } from '../docs/manifest.ts'

function native(text: string, hasSources = false) {
  const file = '.github/workflows/hook.yml'
  const read = readNativeWorkflow('hook', { name: file, file, text })
  if (!read) throw new Error('the action is not used')
  return new RuleFile(read, { ...NO_OTHER_FILES, hasSources }, { native: read })
}

/** The marked part and the hint of each problem. */
function told(problems: readonly Problem[]) {
  return problems.map(({ position, hint }) => {
    const { source, line, column, length } = position ?? { line: 0, column: 0, length: 0 }
    const text = source?.text.split('\n')[line - 1] ?? ''
    return [text.slice(column - 1, column - 1 + length), hint]
  })
}

const PATH = 'github.event.client_payload.path'

describe('a job condition that no webhook of the file meets', () => {
  const withCondition = (condition: string, on = 'webhook', events = 'repository_dispatch') =>
    native(
      `on: ${events}\njobs:\n  a:\n    if: ${JSON.stringify(condition)}\n    steps: [{uses: hookline/hookline@v1, with: {on: ${JSON.stringify(on)}}}]`,
    )
  const hints = (condition: string, on?: string, events?: string) =>
    withCondition(condition, on, events)
      .findings(unreachableWebhook)
      .map(({ hint }) => hint)

  test.each<[string, string, string]>([
    ['the workflow misspelled', `startsWith(${PATH}, 'hok/webhook/')`, 'hook/webhook/'],
    ['the trigger misspelled', `startsWith(${PATH}, 'hook/webhok?')`, 'hook/webhook?'],
    ['both, with a slash', `startsWith(${PATH}, '/hok/webhok/a')`, 'hook/webhook/a'],
    ['a slash alone', `startsWith(${PATH}, '/hook/webhook')`, 'hook/webhook'],
    ['the whole path, misspelled', `${PATH} == 'hok'`, 'hook/webhook'],
    ['the whole path, of the workflow alone', `${PATH} == 'hook'`, 'hook/webhook'],
    ['the same, the other way round', `'hook' == ${PATH}`, 'hook/webhook'],
    ['the whole path, up to the slash', `${PATH} == 'hook/'`, 'hook/webhook'],
    ['the whole path, with a part of the trigger', `${PATH} == 'hook/web'`, 'hook/webhook'],
    ['the whole path, with a slash before it', `${PATH} == '/hook/webhook'`, 'hook/webhook'],
    ['the whole path, of another workflow', `${PATH} == 'order/webhook/a'`, 'hook/webhook/a'],
    ['the workflow alone', `startsWith(${PATH}, 'order/')`, 'hook/'],
    ['in other letters and spaces', `STARTSWITH( ${PATH} ,'x/webhook/')`, 'hook/webhook/'],
    ['with an index', `startsWith(github.event['client_payload'].path, 'x/')`, 'hook/'],
    [
      'one of several',
      `github.ref == 'a' && (startsWith(${PATH}, 'hook/') || startsWith(${PATH}, 'hoo/'))`,
      'hook/',
    ],
    ['within braces', `\${{ startsWith(${PATH}, 'x/webhook?') }}`, 'hook/webhook?'],
  ])('%s', (_, condition, meant) => {
    expect(hints(condition)).toEqual([`did you mean '${meant}'?`])
  })

  test.each([
    `github.event_name == 'push'`,
    `startsWith(${PATH}, 'hook/') && ('push' == github.event_name || github.event_name == 'x')`,
  ])('of another event: %s', (condition) => {
    expect(new Set(hints(condition))).toEqual(new Set(["write 'repository_dispatch'"]))
  })

  test.each([
    `github.event_name == 'push' || github.event_name == 'repository_dispatch'`,
    `github.event_name == 'push' || startsWith(${PATH}, 'hook/')`,
    `github.repository == 'a/b' && (github.event_name == 'push' || github.event_name == 'schedule')`,
    `github.event_name != 'push'`,
    `startsWith(${PATH}, 'hook/') || startsWith(${PATH}, '/hook/')`,
  ])('not of another event, or form: %s', (condition) => {
    expect(hints(condition)).toEqual([])
  })

  test('that names one trigger of several', () => {
    const on = 'webhook:\nslack: {verify: {secret: a}}'
    expect(hints(`startsWith(${PATH}, 'hook/slak/')`, on)).toEqual([`did you mean 'hook/slack/'?`])
  })

  test.each<readonly [string, ...Parameters<typeof hints>]>([
    ['the beginning of the name', `startsWith(${PATH}, 'ho')`],
    ['the beginning of the trigger', `startsWith(${PATH}, 'hook/web')`],
    ['the name in capitals, which GitHub does not tell apart', `startsWith(${PATH}, 'Hook/')`],
    ['an escape', `startsWith(${PATH}, 'h%6fok/webhook/')`],
    ['one more segment', `startsWith(${PATH}, 'hook/webhook/orders')`],
    ['the whole path', `${PATH} == 'hook/webhook'`],
    ['the whole path, and more', `${PATH} == 'hook/webhook/orders?a=1'`],
    ['another path', `${PATH} != 'hook'`],
    ['what is excluded', `!startsWith(${PATH}, 'order/') && startsWith(${PATH}, 'hook/')`],
    ['what is compared', `startsWith(${PATH}, 'order/') == false`],
    ['another text', `startsWith(github.ref, 'order/')`],
    ['a computed beginning', `startsWith(${PATH}, format('{0}/', 'order'))`],
    ['a mistake, of which GitHub tells', `startsWith(${PATH}, 'order/'`],
    ['triggers in files', `startsWith(${PATH}, 'order/')`, ''],
    ['triggers from an input', `startsWith(${PATH}, 'order/')`, '${{ inputs.on }}'],
    ['triggers with a mistake', `startsWith(${PATH}, 'order/')`, 'webhok'],
    ['a workflow that is called', `startsWith(${PATH}, 'order/')`, 'webhook', 'workflow_call'],
    [
      'another name of the trigger',
      `startsWith(${PATH}, 'hook/messaging_bot/')`,
      'telegram_bot: {webhook: true, secretToken: x}',
    ],
  ])('not: %s', (_, ...parts) => {
    expect(hints(...parts)).toEqual([])
  })
})

describe('types of repository_dispatch', () => {
  const types = (on: string) =>
    told(
      native(
        `on: ${on}\njobs: {a: {steps: [{uses: hookline/hookline@v1, with: {on: webhook}}]}}`,
      ).findings(unreachableWebhook),
    )

  test.each([
    ['{repository_dispatch: {types: [webhok]}}', 'webhok', 'did you mean "webhook"?'],
    [
      '{repository_dispatch: {types: webhooks}, schedule: []}',
      'webhooks',
      'did you mean "webhook"?',
    ],
    ['{repository_dispatch: {types: [deploy, x]}}', 'deploy', 'add webhook'],
  ])('%s', (on, marked, hint) => {
    expect(types(on)).toEqual([[marked, hint]])
  })

  test('a slip of it, where the triggers stand in files', () => {
    const text = 'on: {repository_dispatch: {types: [webhok]}}\njobs: {a: {steps: [{uses: ./}]}}'
    expect(told(native(text).findings(unreachableWebhook))).toEqual([
      ['webhok', 'did you mean "webhook"?'],
    ])
    expect(native(text.replace('webhok', 'deploy')).findings(unreachableWebhook)).toEqual([])
  })

  test.each([
    'repository_dispatch',
    '{repository_dispatch: {types: [deploy, webhook]}}',
    '{repository_dispatch: {types: [deploy]}, workflow_dispatch: {inputs: {hookline: {}}}}',
  ])('not: %s', (on) => {
    expect(types(on)).toEqual([])
  })
})

describe('inputs of the action', () => {
  test('are those of action.yml', () => {
    expect(ACTION_INPUTS).toEqual(MANIFEST.inputs)
    expect(REPLY_INPUTS).toEqual(Object.keys(REPLY_DEFAULTS))
  })

  const problems = (step: string, hasSources = false) =>
    told(
      native(`on: repository_dispatch\njobs: {a: {steps: [{${step}}]}}`, hasSources).findings(
        actionInput,
      ),
    )
  const uses = 'uses: hookline/hookline@v1'

  test.each<[string, string, string | undefined]>([
    [`${uses}, with: {onn: webhook}`, 'onn', 'did you mean "on"?'],
    [`${uses}, with: {on: webhook, secret: x}`, 'secret', 'did you mean "secrets"?'],
    [`${uses}, with: {on: webhook, token-of-mine: x}`, 'token-of-mine', undefined],
    [`${uses}, with: {on: {webhook: }}`, '{webhook: }', 'write "on: |", and indent the triggers'],
    [`${uses}, with: {on: [webhook]}`, '[webhook]', 'write "on: |", and indent the triggers'],
    [uses, 'hookline/hookline@v1', 'add the triggers under "with:" as "on: |"'],
    [
      `${uses}, with: {on: " "}`,
      'hookline/hookline@v1',
      'add the triggers under "with:" as "on: |"',
    ],
  ])('%s', (step, marked, hint) => {
    expect(problems(step)).toEqual([[marked, hint]])
  })

  test.each([
    [`${uses}, with: {ON: webhook, GitHub-Token: x}`, false],
    [`${uses}, with: {workflow: x.yml}`, false],
    [uses, true],
    ['uses: ./, with: {anything: x}', false],
    ['uses: ./', false],
  ])('not: %s', (step, hasSources) => {
    expect(problems(step, hasSources)).toEqual([])
  })
})

describe('a group that webhooks for others enter', () => {
  const groups = (concurrency: string, on = 'repository_dispatch: {types: [webhook]}, push: {}') =>
    native(`on: {${on}}
concurrency: ${concurrency}
jobs:
  a:
    runs-on: x
    steps:
      - uses: hookline/hookline@v1
        with: {on: webhook}
`).findings(sharedConcurrencyGroup)
  const REF =
    'group: "${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}"'

  test.each([`{${REF}, cancel-in-progress: true}`, '{group: deploy}', 'deploy'])(
    'is told of %s, with a line after which it is not',
    (concurrency) => {
      const [found, ...more] = groups(concurrency)
      expect(more).toEqual([])
      expect(found?.position?.line).toBe(2)
      const [, line = ''] = /^write: group: (.*)$/.exec(found?.notes?.[0] ?? '') ?? []
      expect(line).toContain("'hook/webhook'")
      expect(groups(`{group: ${JSON.stringify(line)}, cancel-in-progress: true}`)).toEqual([])
    },
  )

  test.each([
    ['each run is alone', '{group: "${{ github.run_id }}"}'],
    ['all wait', '{group: deploy, queue: max}'],
    ['no webhook arrives', 'deploy', 'push: {}'],
    ['other types are listened to', 'deploy', 'repository_dispatch: {types: [deploy]}'],
  ])('is not where %s', (...[, concurrency, on]) => {
    expect(groups(concurrency, on)).toEqual([])
  })
})

describe('a secret that the step does not pass', () => {
  const triggers = `on:
  webhook: {path: '/\${{ vars.PLACE }}', verify: {scheme: github, secret: '\${{ secrets.ONE }}'}}
  trello: {verify: {secret: '\${{ secrets.Two }}\${{ secrets.one }}'}}
env: {A: '\${{ secrets.OTHER }}'}
`
  const problems = (given: string) => {
    const file = '.github/workflows/hook.yml'
    const text = `on: repository_dispatch\njobs: {a: {steps: [{uses: hookline/hookline@v1${given}}]}}`
    const read = readNativeWorkflow('hook', { name: file, file, text })
    if (!read) throw new Error('the action is not used')
    const source = { name: 'x', file: 'x', text: triggers }
    const files = new Map([
      ['workflows/hook.yml', source],
      ['triggers/a.yml', source],
      ['triggers/empty.yml', { ...source, text: 'jobs: {}\n' }],
    ])
    const repository = {
      ...NO_OTHER_FILES,
      read: (path: string) => {
        const found = files.get(path)
        return found && { source: found, document: parseYaml(found) }
      },
    }
    return new RuleFile(read, repository, { native: read })
      .findings(missingSecret)
      .map(({ message, hint }) => [message, hint])
  }
  const missing = (read: string, hint: string) => [
    `the triggers read ${read}, and the step does not pass ${read.includes(',') ? 'them' : 'it'}`,
    `pass ${hint}`,
  ]
  const all = `secrets: '{"Two": \${{ toJSON(secrets.Two) }}, "ONE": \${{ toJSON(secrets.ONE) }}}'`
  const place = missing('vars.PLACE', `vars: '{"PLACE": \${{ toJSON(vars.PLACE) }}}'`)
  const both = missing('secrets.Two, secrets.ONE', all)

  test.each<[string, readonly (readonly string[])[]]>([
    ['', [both, place]],
    [', with: {on: " "}', [both, place]],
    [', with: {workflow: " triggers/a.yml "}', [both, place]],
    [', with: {workflow: triggers/empty.yml}', []],
    [', with: {workflow: triggers/none.yml}', []],
    [', with: {workflow: "triggers/*.yml"}', []],
    [', with: {workflow: "triggers/?.yml"}', []],
    [', with: {workflow: "triggers/[a].yml"}', []],
    [', with: {workflow: "{triggers/a.yml,b.yml}"}', []],
    [', with: {workflow: "$A/a.yml"}', []],
    [', with: {on: "webhook:"}', []],
    [', with: {secrets: " ", vars: "{}"}', [both, place]],
    [`, with: {secrets: '{"one": 1, "TWO": 2}', vars: '{"Place": 1}'}`, []],
    [`, with: {secrets: '{"ONE": 1}'}`, [missing('secrets.Two', all), place]],
    [`, with: {secrets: '{"TWOS": 1, "AONE": 1}'}`, [both, place]],
    [', with: {secrets: "${{ toJSON( secrets ) }}", vars: "x ${{ TOJSON(VARS) }}"}', []],
    [', with: {secrets: "x ${{ toJSON(vars) }}", vars: " ${{ steps.a.outputs.b }}"}', [both]],
    [', with: {secrets: "x ${{ steps.a.outputs.b }}", vars: "toJSON(vars"}', [both, place]],
  ])('is told of {uses: …%s}', (given, found) => {
    expect(problems(given)).toEqual(found)
  })
})

describe('a store on a branch without the permissions for it', () => {
  const problems = (permissions: string, inputs: string, top = '') =>
    native(
      `on: repository_dispatch\n${top}jobs: {a: {${permissions} steps: [{uses: hookline/hookline@v1, with: {${inputs}}}]}}`,
    )
      .findings(statePermissions)
      .map(({ message, notes }) => [message, notes])
  const STATE = 'on: webhook, state: " branch:a"'
  const contents = 'without contents: write, the step fails'
  const actions = 'without actions: read, items of a failed run stay reserved'
  const job = 'the job stores state on a branch without'
  const none: (string | string[])[][] = []

  test.each([
    [
      'permissions: {},',
      STATE,
      '',
      [[`${job} \`contents: write\` and \`actions: read\``, [contents, actions]]],
    ],
    ['permissions: read-all,', STATE, '', [[`${job} \`contents: write\``, [contents]]]],
    [
      'permissions: {contents: read, actions: write},',
      STATE,
      '',
      [[`${job} \`contents: write\``, [contents]]],
    ],
    ['permissions: {contents: write},', STATE, '', [[`${job} \`actions: read\``, [actions]]]],
    [
      'permissions: {contents: write, actions: none},',
      STATE,
      '',
      [[`${job} \`actions: read\``, [actions]]],
    ],
    ['', STATE, 'permissions: {contents: write}\n', [[`${job} \`actions: read\``, [actions]]]],
    ['permissions: {contents: write, actions: read},', STATE, 'permissions: {}\n', none],
    ['permissions: {contents: write, actions: write},', STATE, '', none],
    ['permissions: write-all,', STATE, '', none],
    ['', STATE, '', none],
    ['permissions: {},', 'on: webhook', '', none],
    ['permissions: {},', 'on: webhook, state: none', '', none],
    ['permissions: {},', 'on: webhook, state: "file:branch:a"', '', none],
    ['permissions: {},', `${STATE}, github-token: "\${{ secrets.MINE }}"`, '', none],
  ])('%s %s %s', (permissions, inputs, top, found) => {
    expect(problems(permissions, inputs, top)).toEqual(found)
  })

  test.each(['github.token', 'secrets.GITHUB_TOKEN', 'SECRETS.github_token'])(
    'also with the token of the job: %s',
    (token) => {
      const inputs = `${STATE}, github-token: "\${{ ${token} }}"`
      expect(problems('permissions: {contents: write},', inputs)).toHaveLength(1)
    },
  )
})
