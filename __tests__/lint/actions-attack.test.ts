// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are GitHub's expressions
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { Repository } from '../compiler/support/repository.ts'
import { checkByLevel } from '../support/findings.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const check = () => checkByLevel({ root: repository.root, globs: [], strict: true })

const places = ({ errors }: Awaited<ReturnType<typeof check>>) =>
  errors
    .filter(({ code }) => /^(?:untrusted-|script-injection)/.test(code))
    .map(({ position }) => `${position?.source.file}:${position?.line}`)

const hook = (uses: string, given: string) => `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: ${uses}
        with: {title: "${given}", other: mine}
`

const BODY = '${{ on.webhook.outputs.body }}'

const action = (run: string, env = '{}') => `name: x
inputs: {title: {}, other: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env: ${env}
      run: ${run}
`

describe('an action of the same repository with untrusted input', () => {
  test.each([
    ['.github/actions/one/action.yml', './.github/actions/one'],
    ['.github/actions/one/action.yaml', './.github/actions/one/'],
    ['tools/action.yml', './a/../tools'],
  ])('is looked into: %s', async (file, uses) => {
    repository.write('workflows/hook.yml', hook(uses, BODY))
    repository.write(file, action('echo "${{ inputs.title }}"'))
    expect(places(await check())).toEqual([`${file}:8`])
  })

  test('as far as it calls others, and no further', async () => {
    repository.write('workflows/hook.yml', hook('./one', BODY))
    const call =
      'runs:\n  using: composite\n  steps:\n    - uses: ./two\n      with: {t: "${{ inputs.title }}"}\n    - uses: ./one\n      with: {title: "${{ inputs.title }}"}\n'
    repository.write('one/action.yml', call)
    repository.write(
      'two/action.yml',
      'runs:\n  using: composite\n  steps:\n    - {shell: bash, run: "${{ inputs.t }}"}\n',
    )
    expect(places(await check())).toEqual(['two/action.yml:4'])
  })

  test.each([
    ['the other input', BODY, 'echo "${{ inputs.other }}"', '{}'],
    ['in env', BODY, 'echo "$TITLE"', '{TITLE: "${{ inputs.title }}"}'],
    ['a text of one’s own', 'mine', 'echo "${{ inputs.title }}"', '{}'],
  ])('is fine with %s', async (_, given, run, env) => {
    repository.write('workflows/hook.yml', hook('./one', given))
    repository.write('one/action.yml', action(run, env))
    expect(places(await check())).toEqual([])
  })

  test.each(['./../outside', './missing', './../../../../etc', './.'])(
    'is not looked for elsewhere: %s',
    async (uses) => {
      repository.write('workflows/hook.yml', hook(uses, BODY))
      expect(places(await check())).toEqual([])
    },
  )

  test('of its own by a program is not read as one of steps', async () => {
    repository.write('workflows/hook.yml', hook('./one', BODY))
    repository.write('one/action.yml', 'runs: {using: node24, main: index.js}\n')
    expect(places(await check())).toEqual([])
  })
})

const HOOK = '.github/workflows/hook.yml'
const ACTION = '.github/actions/a/action.yml'
const CALLED = '.github/workflows/called.yml'

const USES = '{uses: acme/hookline@v1, id: h}'

/** A native workflow, in which a job uses the action and outputs its body. */
const native = (steps: string, jobs = '') => `on: {repository_dispatch: {types: [webhook]}}
jobs:
  hook:
    runs-on: ubuntu-latest
    outputs: {b: "\${{ steps.h.outputs.body }}"}
    steps: [${steps}]
${jobs}`

const composite = (steps: string, top = '') =>
  `name: a\ndescription: a\n${top}\nruns:\n  using: composite\n  steps: [${steps}]\n`

const called = (steps: string, call = '{}', jobs = '') =>
  `on: {workflow_call: ${call}}\njobs:\n  a: {runs-on: ubuntu-latest, steps: [${steps}]}\n${jobs}`

const calling = (more = '') => `  w: {needs: hook, uses: ./${CALLED}${more}}\n`

const RUN = 'run: "echo ${{ inputs.t }}"'
const BODY_OF_STEP = '"${{ steps.h.outputs.body }}"'
const RECEIVE = composite(USES, 'outputs: {t: {value: "${{ steps.h.outputs.body }}"}}')

describe('untrusted input is followed through called files', () => {
  beforeEach(() =>
    repository.write(
      'workflows/hook.yml',
      'on: webhook\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: a}]}}\n',
    ),
  )

  test.each<[string, Readonly<Record<string, string>>, string[]]>([
    [
      'back from an action that uses ours',
      {
        [HOOK]: native('{uses: ./.github/actions/a, id: r}, {run: "${{ steps.r.outputs.t }}"}'),
        [ACTION]: RECEIVE,
      },
      [`${HOOK}:6`],
    ],
    [
      'back from an action that calls such a one',
      {
        [HOOK]: native('{uses: ./b, id: r}, {run: "${{ steps.r.outputs.T }}"}'),
        'b/action.yml': composite(
          '{uses: ./.github/actions/a, id: r}',
          'outputs: {t: {value: "${{ steps.r.outputs.t }}"}}',
        ),
        [ACTION]: RECEIVE,
      },
      [`${HOOK}:6`],
    ],
    [
      'but no other output of it',
      {
        [HOOK]: native('{uses: ./.github/actions/a, id: r}, {run: "${{ steps.r.outputs.u }}"}'),
        [ACTION]: composite(USES, 'outputs: {u: {value: "${{ steps.h.outputs.count }}"}}'),
      },
      [],
    ],
    [
      'back from an action that only gets it',
      {
        [HOOK]: native(
          `${USES}, {uses: ./.github/actions/a, id: r, with: {t: ${BODY_OF_STEP}}}, {run: "\${{ steps.r.outputs.t }}"}`,
        ),
        [ACTION]: composite('', 'outputs: {t: {value: "${{ inputs.t }}"}}'),
      },
      [`${HOOK}:6`],
    ],
    [
      'but not back from one that keeps it',
      {
        [HOOK]: native(
          `${USES}, {uses: ./.github/actions/a, id: r, with: {t: ${BODY_OF_STEP}}}, {run: "\${{ steps.r.outputs.t }}"}`,
        ),
        [ACTION]: composite('', 'outputs: {t: {value: mine}}'),
      },
      [],
    ],
    [
      'back from a program that gets it',
      {
        [HOOK]: native(
          `${USES}, {uses: ./.github/actions/a, id: r, with: {t: ${BODY_OF_STEP}}}, {run: "\${{ steps.r.outputs.t }}"}`,
        ),
        [ACTION]: 'name: a\nruns: {using: node24, main: a.js}\n',
      },
      [`${HOOK}:6`],
    ],
    [
      'back from a workflow that uses ours',
      {
        [HOOK]: `on: {repository_dispatch: {types: [webhook]}}\njobs:\n  r: {uses: ./${CALLED}}\n  w: {needs: r, runs-on: ubuntu-latest, steps: [{run: "\${{ needs.r.outputs.t }}"}]}\n`,
        [CALLED]: `on: {workflow_call: {outputs: {t: {value: "\${{ jobs.hook.outputs.b }}"}}}}\n${native(USES).split('\n').slice(1).join('\n')}`,
      },
      [`${HOOK}:4`],
    ],
    [
      'to an action that reads the event by itself',
      {
        [HOOK]: native(`${USES}, {uses: ./.github/actions/a}`),
        [ACTION]: composite('{shell: bash, run: "${{ github.event.client_payload.body }}"}'),
      },
      [`${ACTION}:6`],
    ],
    [
      'to a workflow that does',
      {
        [HOOK]: native(USES, calling()),
        [CALLED]: called('{run: "${{ github.event.client_payload.body }}"}'),
      },
      [`${CALLED}:3`],
    ],
    [
      'to an input that is left to its default',
      {
        [HOOK]: native(`${USES}, {uses: ./.github/actions/a}`),
        [ACTION]: composite(
          `{shell: bash, ${RUN}}`,
          'inputs: {t: {default: "${{ github.event.client_payload.body }}"}}',
        ),
      },
      [`${ACTION}:6`],
    ],
    [
      'to one of a workflow',
      {
        [HOOK]: native(USES, calling()),
        [CALLED]: called(
          `{${RUN}}`,
          '{inputs: {t: {type: string, default: "${{ github.head_ref }}"}}}',
        ),
      },
      [`${CALLED}:3`],
    ],
    [
      'but not to one that is given',
      {
        [HOOK]: native(`${USES}, {uses: ./.github/actions/a, with: {T: mine}}`),
        [ACTION]: composite(
          `{shell: bash, ${RUN}}`,
          'inputs: {t: {default: "${{ github.head_ref }}"}}',
        ),
      },
      [],
    ],
    [
      'but not by variables, to a workflow',
      {
        [HOOK]: `env: {T: "\${{ github.head_ref }}"}\n${native(USES, calling())}`,
        [CALLED]: called('{run: "${{ env.T }}"}'),
      },
      [],
    ],
    [
      'by the variables that an action writes',
      {
        [HOOK]: native(`{uses: ./.github/actions/a}, ${USES}, {run: "\${{ env.V }}"}`),
        [ACTION]: composite(
          `{shell: bash, run: 'echo "V=\${{ github.head_ref }}" >> $GITHUB_ENV'}`,
        ),
      },
      [`${HOOK}:6`, `${ACTION}:6`],
    ],
    [
      'to an action of the repository of the workflow',
      {
        [HOOK]: native(`${USES}, {uses: $/.github/actions/a, with: {t: ${BODY_OF_STEP}}}`),
        [ACTION]: composite(`{shell: bash, ${RUN}}`),
      },
      [`${ACTION}:6`],
    ],
    [
      'to one that is used in "parallel:"',
      {
        [HOOK]: native(
          `${USES}, {parallel: [{uses: ./.github/actions/a, with: {t: ${BODY_OF_STEP}}}]}`,
        ),
        [ACTION]: composite(`{parallel: [{shell: bash, ${RUN}}]}`),
      },
      [`${ACTION}:6`],
    ],
    [
      'once for all that call it',
      {
        [HOOK]: native(
          `${USES}, {uses: ./.github/actions/a, with: {t: ${BODY_OF_STEP}}}, {uses: ./.github/actions/a, with: {t: ${BODY_OF_STEP}, u: a}}`,
        ),
        '.github/workflows/other.yml': native(
          `${USES}, {uses: ./.github/actions/a, with: {t: ${BODY_OF_STEP}}}`,
        ),
        [ACTION]: composite(`{shell: bash, ${RUN}}`),
      },
      [`${ACTION}:6`],
    ],
    [
      'but not where nothing uses ours',
      {
        [HOOK]:
          'on: push\njobs: {a: {runs-on: ubuntu-latest, steps: [{uses: ./.github/actions/a, with: {t: "${{ github.head_ref }}"}}]}}\n',
        [ACTION]: composite(`{shell: bash, ${RUN}}`),
      },
      [],
    ],
  ])('%s', async (_, files, expected) => {
    for (const [file, text] of Object.entries(files)) repository.write(file, text)
    expect(places(await check())).toEqual(expected)
  })

  test('to the workflow that was compiled, at build too', async () => {
    repository.write('workflows/hook.yml', hook('./.github/actions/a', BODY))
    repository.write(ACTION, action('echo "${{ inputs.title }}"'))
    const { errors } = await repository.build({ strict: true })
    expect(errors.map(({ position }) => position?.source.file)).toEqual([ACTION])
  })

  test('a workflow that only calls one that uses ours is one that uses it', async () => {
    repository.write(
      HOOK,
      native('{uses: actions/checkout@v6}, {uses: ./.github/actions/a, id: h}').replace(
        'body',
        't',
      ),
    )
    repository.write(ACTION, RECEIVE)
    expect(await check()).toMatchObject({ count: 2, errors: [] })
  })

  test('as far as a call does not lead back to where it came from', async () => {
    const next = (at: number) =>
      `{uses: ./${at}, with: {t: "\${{ inputs.t }}", t${at}: "\${{ inputs.u }}"}}`
    repository.write(HOOK, native(`${USES}, {uses: ./0, with: {t: ${BODY_OF_STEP}}}`))
    for (const at of [0, 1, 2]) {
      repository.write(
        `${at}/action.yml`,
        composite(`{shell: bash, ${RUN}}, ${next((at + 1) % 3)}, ${next(at)}`),
      )
    }
    expect(places(await check())).toEqual(['0/action.yml:6', '1/action.yml:6', '2/action.yml:6'])
  })

  test('four hundred jobs that call in a hundred ways', async () => {
    const jobs = Array.from(
      { length: 400 },
      (_, at) =>
        `  j${at}: {runs-on: ubuntu-latest, steps: [{uses: ./.github/actions/a, env: {V${at % 100}: "\${{ github.head_ref }}"}, with: {t: "\${{ github.head_ref }}"}}]}\n`,
    )
    repository.write(HOOK, native(USES, jobs.join('')).replace('on:', 'on:\n  pull_request:'))
    repository.write(ACTION, composite(`{shell: bash, ${RUN}}`))
    expect(places(await check())).toEqual([`${ACTION}:6`])
  })
})
