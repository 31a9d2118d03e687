import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as core from '@actions/core'
import { UserError } from '../wire/errors.ts'
import { parseJson } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import { withoutTokens } from '../wire/tokens.ts'
import { fail, writeRunnerFile } from './failure.ts'
import { http } from './http-client.ts'
import { readFlag } from './reply/reply-inputs.ts'
import { reply } from './reply.ts'

const input = (name: string) => core.getInput(name)

/** The requests of the event that started this run; only some chats need them. */
async function requests() {
  const { eventRequests } = await import('./reply/event-requests.ts')
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  return eventRequests(() => ({ name, payload: parseJson(readFileSync(path, 'utf8')) }))
}

const warn = (message: string) =>
  core.warning(printable(withoutTokens(message)), { title: 'Hookline' })

/**
 * Sets the output `id` of a reply that was sent. A failed step invites to run the job again, which would
 * send the reply twice, so an id that cannot be written is a warning.
 *
 * @throws UserError if `fail-on-error` is true and the id cannot be written
 */
async function setId(id: string): Promise<void> {
  // An output that no step sets is empty.
  if (id === '') return
  try {
    await writeRunnerFile('GITHUB_OUTPUT', () => core.setOutput('id', id))
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const message = `the reply was sent, but the output "id" is not set: ${error.message}`
    const [{ hint = '' } = {}] = error.problems
    if (readFlag(input, 'fail-on-error')) throw new UserError({ message, hint }, { cause: error })
    warn(`${message}\n${hint}`)
  }
}

reply(input, {
  http,
  sleep: (duration) => sleep(duration),
  mask: core.setSecret,
  notice: (message) => core.notice(message, { title: 'Hookline' }),
  warn,
  readFile: (path) => readFileSync(resolve(process.env.GITHUB_WORKSPACE || '.', path)),
  requests,
})
  .then(setId)
  .catch(fail)
