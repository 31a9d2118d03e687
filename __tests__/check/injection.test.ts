import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { greet, inMatrix, oneJob, workflow } from '../../src/check/rules/example-workflows.ts'
import { Checked } from './support/checked.ts'

let checked: Checked
beforeAll(() => {
  checked = new Checked()
})
afterAll(() => checked.remove())

const EVENT = "fromJSON(needs.on.outputs.on || '{}').webhook.outputs"
const script = (expression: string) => greet(`- run: deploy "\${{ ${expression} }}"`)
const inJob = (line: string) =>
  greet('- run: echo hi').replace(
    '    steps:\n      - run: echo hi',
    `${line}\n    steps:\n      - run: echo hi`,
  )
/** A third job, which reads an output that the job `greet` passes on. */
const passedOn = (output: string) =>
  `${inJob(`    outputs:\n      x: \${{ ${output} }}`)}  last:\n    needs: greet\n    runs-on: ubuntu-latest\n    steps:\n      - run: deploy "\${{ needs.greet.outputs.x }}"\n`

describe('check reports a value of the event that is executed:', () => {
  test.each([
    ['a field of the body', script(`${EVENT}.body.x`)],
    ['a header', script(`${EVENT}.headers.x-a`)],
    ['the whole event', script('needs.on.outputs.on')],
    ['JSON of the event', script(`toJSON(${EVENT}.body)`)],
    ['all needs as JSON', script('toJSON(needs)')],
    ['a formatted string', script(`format('a {0}', ${EVENT}.body.x)`)],
    ['a list that is joined', script(`join(${EVENT}.body.tags, ' ')`)],
    ['names of a list', script(`join(${EVENT}.body.tags.*.name, ' ')`)],
    ['a default', script(`${EVENT}.body.x || 'none'`)],
    ['a choice', script(`github.ref == 'a' && ${EVENT}.body.x || 'none'`)],
    ['the event of GitHub', script('github.event.client_payload.body')],
    ['a step of the same job', oneJob('- run: deploy "${{ steps.hookline.outputs.body }}"')],
    ['an output that another job passes on', passedOn(`${EVENT}.body.x`)],
    ['a string with the event in it', passedOn(`github.sha }} \${{ ${EVENT}.body.x`)],
    [
      'an item of a matrix',
      inMatrix('NAME: a').replace(
        'echo "$NAME"',
        "deploy '${{ matrix.on.webhook.outputs.body.x }}'",
      ),
    ],
    [
      'a matrix over a list in the body',
      inJob(
        `    strategy: {matrix: {one: "\${{ fromJSON(toJSON(${EVENT}.body.commits)) }}"}}`,
      ).replace('echo hi', "deploy '${{ matrix.one.message }}'"),
    ],
    [
      'a matrix over a list with a field',
      inJob(`    strategy: {matrix: {one: [a, "\${{ ${EVENT}.body.x }}"]}}`).replace(
        'echo hi',
        "deploy '${{ matrix.one }}'",
      ),
    ],
    [
      'a row that a matrix includes',
      inJob(
        `    strategy: {matrix: {os: [a], include: [{os: b, x: "\${{ ${EVENT}.body.x }}"}]}}`,
      ).replace('echo hi', "deploy '${{ matrix.x }}'"),
    ],
    ['a variable', greet(`- run: deploy \${{ env.X }}\n  env: {X: "\${{ ${EVENT}.body.x }}"}`)],
    ['a folder', greet(`- run: ./build\n  working-directory: \${{ ${EVENT}.body.x }}`)],
    [
      'a folder of all steps',
      inJob(`    defaults: {run: {working-directory: "\${{ ${EVENT}.body.x }}"}}`),
    ],
    [
      'JavaScript',
      greet(`- uses: actions/github-script@v8\n  with: {script: "f('\${{ ${EVENT}.body.x }}')"}`),
    ],
    [
      'a command of an action',
      greet(
        `- uses: nick-fields/retry@v3\n  with: {command: "deploy \${{ ${EVENT}.body.x }}", max_attempts: 2}`,
      ),
    ],
  ])('%s', async (_, text) => {
    expect(await checked.ids(text, true)).toEqual(['script-injection'])
  })

  test('a folder, with a hint that works where no shell reads variables', async () => {
    const text = greet(`- run: ./build\n  working-directory: \${{ ${EVENT}.body.x }}`)
    const [finding] = await checked.findings(text)
    expect(finding?.hint).toContain('cd -- "$DIR"')
  })

  test('a prompt of an agent', async () => {
    const text = greet(
      `- uses: openai/codex-action@v1\n  with: {prompt: "Fix \${{ ${EVENT}.body.x }}"}`,
    )
    expect(await checked.ids(text, true)).toEqual(['untrusted-prompt'])
  })

  test('twice in one line once', async () => {
    const text = script(`${EVENT}.body.x }}" "\${{ ${EVENT}.body.y`)
    expect(await checked.found(text)).toHaveLength(1)
  })
})

describe('check does not report', () => {
  test.each([
    ['a number of items', script('needs.on.outputs.triggered')],
    ['a delivery id', oneJob('- run: deploy ${{ steps.hookline.outputs.delivery }}')],
    ['a comparison', script(`${EVENT}.body.x == 'a'`)],
    ['a choice of your own values', script(`${EVENT}.body.x == 'a' && 'one' || 'two'`)],
    ['an outcome', script("fromJSON(needs.on.outputs.on || '{}').webhook.outcome")],
    [
      'a variable that the shell reads',
      greet(`- run: deploy "$X"\n  env: {X: "\${{ ${EVENT}.body.x }}"}`),
    ],
    ['an input that is data', greet(`- uses: a/b@v1\n  with: {title: "\${{ ${EVENT}.body.x }}"}`)],
    [
      'a value of another step',
      greet('- id: a\n  run: make\n- run: deploy ${{ steps.a.outputs.x }}'),
    ],
    [
      'a title of GitHub',
      workflow(
        '  a:\n    runs-on: ubuntu-latest\n    steps: [{run: "echo ${{ github.ref_name }}"}]\n',
      ),
    ],
  ])('%s', async (_, text) => {
    expect(await checked.found(text, true)).toEqual([])
  })
})
