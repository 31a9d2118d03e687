import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runShared } from '../support/cli.ts'
import { Repository } from './support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const SOURCE = `on: {webhook: {}, push: {}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps: [{run: 'make test'}]
  deploy:
    needs: test
    if: on.webhook.outcome == 'success' && on.webhook.outputs.body.ref == 'main'
    runs-on: ubuntu-latest
    steps: [{run: 'make deploy'}]
  tell:
    if: github.event_name == 'push'
    runs-on: ubuntu-latest
    steps: [{run: 'echo'}]
`

const explain = (...more: string[]) =>
  runShared(['build', '--explain', ...more], { cwd: repository.root })

test('build --explain shows job by event, writes nothing, and says why', async () => {
  repository.write('workflows/hook.yml', SOURCE)
  const { exitCode, stdout, stderr } = await explain()
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'workflows/hook.yml',
    '  job     webhook  push',
    '  on      runs     skipped',
    '  test    runs     runs',
    '  deploy  depends  skipped',
    '  tell    depends  runs',
    '  deploy, webhook: its if reads the event: not known here',
    '  tell, webhook: its if reads how the event came: not known here',
    "  deploy, push: its if is false: on.webhook.outcome == 'success'",
  ])
  expect((await runShared(['build', '--check'], { cwd: repository.root })).exitCode).toBe(1)
})

test('with --json there is one object, and mistakes are told as a build tells them', async () => {
  repository.write('workflows/hook.yml', SOURCE)
  const { stdout } = await explain('--json')
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    files: [{ file: 'workflows/hook.yml', events: [{ event: 'webhook' }, { event: 'push' }] }],
  })
  repository.write('workflows/hook.yml', SOURCE.replace('webhook: {}', 'webhok: {}'))
  expect(await explain()).toMatchObject({ exitCode: 1 })
  expect(await explain('--check')).toMatchObject({ exitCode: 2 })
})
