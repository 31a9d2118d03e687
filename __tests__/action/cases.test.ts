import { beforeAll, describe, expect, test } from '@jest/globals'
import { type Json, valueAt } from '../../src/wire/json.ts'
import { type ActionResult, type ActionRun, dispatchEvent, runActions } from '../support/action.ts'
import { RUNTIMES } from '../support/relays.ts'
import {
  CREDENTIALS,
  headersOf,
  inputsOf,
  REQUEST_CASES,
  type RequestCase,
} from '../support/request-cases.ts'
import { scene } from '../support/scene.ts'

const OF_SENDERS = REQUEST_CASES.filter(({ sender }) => sender !== undefined)

describe.each(RUNTIMES)('from the request to the outputs, through the relay on %s', (_, start) => {
  const here = scene(start)
  let results: ReadonlyMap<string, ActionResult>
  let refused: ReadonlyMap<string, ActionResult>

  async function forwarded(request: RequestCase, isRight = true): Promise<ActionRun> {
    const { path, method, query, body, base64 } = request
    const { status } = await here.sendKept({
      method,
      target: `/octo/repo/hook/webhook${query}`,
      headers: headersOf(request, isRight),
      body: base64 === undefined ? body : Buffer.from(base64, 'base64'),
    })
    const [payload] = here.payloads()
    here.github.reset()
    if (status !== 200) throw new Error(`${path}: ${status}`)
    return { ...dispatchEvent(payload), inputs: inputsOf(request) }
  }

  beforeAll(async () => {
    const run = async (requests: readonly RequestCase[], isRight: boolean) => {
      const runs: ActionRun[] = []
      for (const request of requests) runs.push(await forwarded(request, isRight))
      const ended = await runActions(runs)
      return new Map(requests.flatMap(({ path }, at) => (ended[at] ? [[path, ended[at]]] : [])))
    }
    results = await run(REQUEST_CASES, true)
    refused = await run(OF_SENDERS, false)
  })

  test.each(REQUEST_CASES)('$path', ({ path, outputs: wanted, log, exitCode }) => {
    const result = results.get(path)
    const { outputs = {}, stdout = '' } = result ?? {}
    expect([result?.exitCode, outputs.triggered]).toEqual([exitCode, String(wanted !== undefined)])
    const on: Json = JSON.parse(outputs.on || '{}')
    const [trigger = ''] = Object.keys(Object(on))
    for (const [name, value] of Object.entries(wanted ?? {})) {
      const names = [trigger, 'outputs', ...name.split('.')]
      expect([name, valueAt(on, names)]).toEqual([name, value])
    }
    for (const part of log) expect(stdout).toContain(part)
  })

  test.each(OF_SENDERS)('$path, with another credential', ({ path }) => {
    expect(refused.get(path)?.outputs.triggered).toBe('false')
    for (const [secret] of Object.values(CREDENTIALS)) {
      expect(JSON.stringify(results.get(path)?.outputs)).not.toContain(secret)
    }
  })
})
