import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as core from '@actions/core'
import { parseJson } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { fail, writeRunnerFile } from './failure.ts'
import { http } from './http-client.ts'
import { reply } from './reply.ts'

const input = (name: string) => core.getInput(name)

/** The requests of the event that started this run; only some chats need them. */
async function requests() {
  const { eventRequests } = await import('./reply/event-requests.ts')
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  return eventRequests(() => ({ name, payload: parseJson(readFileSync(path, 'utf8')) }))
}

reply(input, {
  http,
  sleep: (duration) => sleep(duration),
  mask: core.setSecret,
  notice: (message) => core.notice(message, { title: 'Hookline' }),
  warn: (message) => core.warning(printable(withoutTokens(message)), { title: 'Hookline' }),
  readFile: (path) => readFileSync(resolve(process.env.GITHUB_WORKSPACE || '.', path)),
  requests,
})
  .then((id) => writeRunnerFile('GITHUB_OUTPUT', () => core.setOutput('id', id)))
  .catch(fail)
