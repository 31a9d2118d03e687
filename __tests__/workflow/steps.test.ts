import { describe, expect, test } from '@jest/globals'
import { childOf, itemsOf, topOf } from '../../src/workflow/nodes.ts'
import {
  actionOf,
  isAction,
  isOwnAction,
  isPosixScript,
  jobsIn,
  REPLY_ACTION,
} from '../../src/workflow/steps.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'

const sourceOf = (text: string) => ({ name: 'a.yml', file: 'a.yml', text })
const topOfText = (text: string) => topOf(parseYaml(sourceOf(text)))

describe('the action of Hookline', () => {
  test.each([
    ['hookline/hookline', true],
    ['hookline/hookline@v1', true],
    ['Octo/Hookline@main', true],
    ['https://github.com/hookline/hookline@v1', true],
    ['hookline/hookline//@v1', true],
    ['./', true],
    ['$/', true],
    ['hookline/hookline@a/b@c', true],
    ['hookline/hookline/reply@v1', false],
    ['hookline@v1', false],
    ['octo/hookline2@v1', false],
    ['octo/my-hookline@v1', false],
    ['octo@a/hookline@v1', false],
    ['octo/hookline-x', false],
    ['.', false],
    ['./a', false],
    ['x./', false],
    ['', false],
    [undefined, false],
    [5, false],
  ])('%s: %s', (uses, is) => {
    expect(isAction(uses, sourceOf(''))).toBe(is)
  })

  test.each([
    ['./', false],
    ['$/', false],
    ['./reply', false],
    ['hookline/hookline@v1', true],
  ])('%s in a repository with another action: %s', (uses, is) => {
    expect(isAction(uses, { ...sourceOf(''), hasOtherAction: true })).toBe(is)
  })

  test.each([
    ['hookline/hookline/reply', true],
    ['Octo/Hookline/Reply/@v1', true],
    ['./reply', true],
    ['$/reply//', true],
    ['hookline/hookline@v1', false],
    ['hookline/hookline/reply2@v1', false],
    ['octo@a/hookline/reply', false],
    ['a/reply', false],
    ['a./reply', false],
    ['./replyx', false],
  ])('reply is %s: %s', (uses, is) => {
    expect(REPLY_ACTION.test(uses)).toBe(is)
  })

  test.each([
    ['Actions/Checkout@V5', 'actions/checkout'],
    ['a/b/c', 'a/b/c'],
    ['a/b@c@d', 'a/b'],
    ['', ''],
  ])('%s without its version is %s', (uses, action) => {
    expect(actionOf(uses)).toBe(action)
  })

  const inputs = 'inputs: {on: {}, workflow: {}, state: {}, secrets: {}}'
  test.each([
    ['its bundle', `runs: {main: dist/action/index.js}\n${inputs}`, true],
    ['its bundle in this folder', `runs: {main: ././dist/action/index.js}\n${inputs}`, true],
    ['another bundle', `runs: {main: dist/index.js}\n${inputs}`, false],
    ['a bundle in a folder', `runs: {main: a/./dist/action/index.js}\n${inputs}`, false],
    ['an input less', 'runs: {main: dist/action/index.js}\ninputs: {on: {}, state: {}}', false],
    ['no inputs', 'runs: {main: dist/action/index.js}', false],
    ['no bundle', inputs, false],
  ])('is its own by %s: %s', (_, text, is) => {
    expect(isOwnAction(topOfText(text))).toBe(is)
  })
})

describe('the steps of jobs', () => {
  const stepsOf = (text: string, hasOtherAction = false) => {
    const source = { ...sourceOf(text), hasOtherAction }
    return jobsIn(topOf(parseYaml(source)), source).map(({ name, steps }) => [
      name,
      ...steps.map(({ id, uses, isAction, place }) => [id, uses, isAction, place.path.join('.')]),
    ])
  }

  test('come in order, with those in parallel', () => {
    const text = `jobs:
  a:
    steps:
      - id: one
        uses: hookline/hookline@v1
      - parallel:
          - id: two
            run: a
          - parallel: [{id: three, uses: ./}]
      - parallel: []
      - id: [four]
        uses: {a: b}
  b: {}
  c: {steps: {a: b}}
`
    expect(stepsOf(text)).toEqual([
      [
        'a',
        ['one', 'hookline/hookline@v1', true, 'jobs.a.steps.0'],
        ['two', '', false, 'jobs.a.steps.1.parallel.0'],
        ['three', './', true, 'jobs.a.steps.1.parallel.1.parallel.0'],
        [undefined, '', false, 'jobs.a.steps.2'],
        [undefined, '', false, 'jobs.a.steps.3'],
      ],
      ['b'],
      ['c'],
    ])
    expect(stepsOf('jobs: {a: {steps: [{uses: ./}, {uses: ./reply}]}}', true)).toEqual([
      [
        'a',
        [undefined, '././', false, 'jobs.a.steps.0'],
        [undefined, '././reply', false, 'jobs.a.steps.1'],
      ],
    ])
    expect(stepsOf('on: push')).toEqual([])
  })

  test('are at most 20,000', () => {
    const steps = (count: number) =>
      `a: &a [${'{},'.repeat(count / 100)}]\njobs: {a: {steps: [${'{parallel: *a},'.repeat(99)}]}}`
    expect(stepsOf(steps(20_000))[0]).toHaveLength(99 * 200 + 1)
    expect(() => stepsOf(steps(20_300))).toThrow('a job has more than 20000 steps')
  })

  test('are not deeper than a path of 100 keys', () => {
    const nested = (depth: number) =>
      `jobs: {a: {steps: [${'{parallel: ['.repeat(depth)}{id: x}${']}'.repeat(depth)}]}}`
    expect(stepsOf(nested(20))).toEqual([['a', ['x', '', false, expect.any(String)]]])
  })
})

describe('bash or sh certainly runs a script', () => {
  const isPosix = (job: string, step = '', top = '') => {
    const place = topOfText(`${top}\njobs: {a: {${job}, steps: [{run: a, ${step}}]}}`)
    const a = childOf(place, 'jobs', 'a')
    const [first] = itemsOf(childOf(a, 'steps'))
    if (!a || !first) throw new Error('no step')
    return isPosixScript(place, a, first)
  }

  test.each([
    ['ubuntu-latest', true],
    ['Ubuntu-24.04', true],
    ['macos-15', true],
    ['[self-hosted, linux]', true],
    ['{group: a, labels: [b, my-linux]}', true],
    ['darwin-linux', true],
    ['windows-latest', false],
    ['[linux, windows]', false],
    ['self-hosted', false],
    ['linuxes', false],
    ['myubuntu', false],
    ['"${{ matrix.os }}"', false],
    ['["ubuntu-latest", "${{ matrix.os }}"]', false],
  ])('on a runner with the labels %s: %s', (labels, is) => {
    expect(isPosix(`runs-on: ${labels}`)).toBe(is)
  })

  test.each([
    ['bash', true],
    ['sh', true],
    ['/bin/sh', true],
    ['/usr/bin/bash', true],
    ['bash -e {0}', true],
    ['bash --noprofile --norc -eo pipefail {0}', true],
    ['bash  -eux -o pipefail', true],
    ['bash -c', false],
    ['bash -i {0}', false],
    ['bash {0} -x y', false],
    ['bash-5', false],
    ['zsh', false],
    ['/opt/bin/bash', false],
    ['xbash', false],
    ['python', false],
    ['pwsh', false],
    ['bash {1}', false],
  ])('by the shell %s: %s', (shell, is) => {
    expect(isPosix('runs-on: windows-latest', `shell: "${shell}"`)).toBe(is)
    expect(isPosix(`runs-on: windows-latest, defaults: {run: {shell: "${shell}"}}`)).toBe(is)
    expect(isPosix('runs-on: windows-latest', '', `defaults: {run: {shell: "${shell}"}}`)).toBe(is)
  })

  test('by the nearest shell', () => {
    const job = 'runs-on: ubuntu-latest, defaults: {run: {shell: bash}}'
    expect(isPosix(job, 'shell: python', 'defaults: {run: {shell: sh}}')).toBe(false)
    expect(isPosix(job, '', 'defaults: {run: {shell: python}}')).toBe(true)
    expect(isPosix('runs-on: ubuntu-latest', 'shell: [bash]')).toBe(false)
  })
})
