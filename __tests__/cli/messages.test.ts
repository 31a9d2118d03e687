import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { RunningCommand, runShared } from '../support/cli.ts'

const HOOK = 'on:\n  webhook:\n    method: POST\n'
const NATIVE = '.github/workflows/plain.yml'

let folder: string
let dev: RunningCommand
let url: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-messages-'))
  await mkdir(join(folder, 'workflows'))
  await mkdir(join(folder, '.github/workflows'), { recursive: true })
  await writeFile(join(folder, 'workflows/hook.yml'), HOOK)
  dev = new RunningCommand(['dev', '--json', '--port', '0'], { cwd: folder })
  url = (await dev.told(/listening on (\S+)/))[1] ?? ''
})
afterAll(async () => {
  await dev.stop()
  await rm(folder, { recursive: true })
})

async function hookline(...args: string[]) {
  const { exitCode: code, ...printed } = await runShared(args, { cwd: folder })
  return { code, ...printed }
}

/** The event in the output of `dev --json` for a request. */
async function eventOf(path: string) {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: '{}' })
  const delivery = answer.headers.get('x-hookline-delivery')
  const [line] = await dev.printed(new RegExp(`^.*"delivery":"${delivery}".*\n`, 'm'))
  return JSON.parse(line)
}

describe('hookline dev', () => {
  test('takes a method in capitals', async () => {
    expect(await eventOf('/webhook/hook/webhook')).toMatchObject({ count: 1, reason: null })
  })

  test('names the missing trigger of a URL', async () => {
    expect((await eventOf('/webhook/hook')).reason).toMatch(/trigger.*"hook".*"webhook"/)
  })

  test('answers 413 to a body that is too large', async () => {
    const body = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
    const answer = await fetch(`${url}/webhook/hook/webhook`, { method: 'POST', body })
    expect(answer.status).toBe(413)
    expect(await answer.text()).toContain('payload_too_large')
  })

  test('--json shows the mistakes of a file, but not of a deleted one', async () => {
    await writeFile(join(folder, 'workflows/hook.yml'), HOOK.replace('POST', 'psot'))
    expect(await eventOf('/webhook/hook/webhook')).toMatchObject({
      problems: [{ file: 'workflows/hook.yml', line: 3, hint: expect.stringContaining('"post"') }],
    })
    await rm(join(folder, 'workflows/hook.yml'))
    const { reason, problems } = await eventOf('/webhook/hook/webhook')
    expect([reason, problems[0].message]).toEqual(
      Array(2).fill(expect.stringMatching(/^no workflow/)),
    )
    await writeFile(join(folder, 'workflows/hook.yml'), HOOK)
  })

  test('prints an error if --workflow matches no file', async () => {
    const other = new RunningCommand(['dev', '--port', '0', '--workflow', 'nope/*.yml'], {
      cwd: folder,
    })
    await other.printed(/error: .*nope\/\*\.yml/)
    await other.stop()
  })
})

describe('hookline send', () => {
  test('to dev prints no success if nothing fired', async () => {
    const address = `${url.replace('http://', '')}/webhook/hook/webhook`
    const fired = await hookline('send', address, '--data', 'x')
    expect([fired.code, fired.stdout]).toEqual([0, expect.stringContaining('{"success":true}')])
    const skipped = await hookline('send', address)
    expect([skipped.code, skipped.stdout]).toEqual([0, expect.stringContaining('nothing fired')])
    expect(skipped.stdout).not.toContain('success')
    const json = await hookline('send', address, '--json')
    expect(JSON.parse(json.stdout)).toMatchObject({ accepted: true, nothingFired: true })
  })

  test.each([
    ['nope/webhook', /nothing fired: .*workflow "nope"; here: .*"hook"/],
    ['hook/nope', /nothing fired: .*trigger "nope"; "hook" declares: "webhook"/],
  ])('to dev with the unknown path %s prints the names that exist', async (path, said) => {
    const { stdout } = await hookline('send', `${url}/webhook/${path}`, '--data', 'x')
    expect(stdout).toMatch(said)
  })

  test('to the page of dev prints the form of a webhook URL', async () => {
    const { code, stdout } = await hookline('send', url, '--data', 'x')
    expect([code, stdout]).toEqual([1, expect.stringContaining('/<workflow>/<trigger>')])
  })

  test('to dev refuses --wait', async () => {
    await writeFile(join(folder, NATIVE), 'on: repository_dispatch')
    const address = `${url.replace('http://', '')}/webhook/plain/webhook`
    expect(await hookline('send', address, '--wait')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hookline dev'),
    })
  })
})
