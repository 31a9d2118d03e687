import { webhookUrl } from '../../protocol/webhook-url.ts'
import { curlLine } from '../found-triggers.ts'
import type { Answers, Kind, NewFile } from './kind.ts'

/** What to do with a workflow that was just written: lines to paste into a shell. */
export interface NextSteps {
  /** What a sender is given. */
  readonly url: string
  /** Fires the workflow on GitHub, by way of the relay. */
  readonly curl: string
  /** On this machine: what serves, and what fires it. */
  readonly tryOut: readonly string[]
  readonly publish: readonly string[]
}

/** Stands in the URL where the repository is not known. */
const SOME_REPOSITORY = 'owner/name'

const EXAMPLE = { contentType: 'application/json', body: '{"hello":"world"}' }

/** @param port where `hookline dev` listens */
export function nextSteps(
  { trigger, compile }: Kind,
  { name, relay, repository }: Answers,
  files: readonly NewFile[],
  port: string,
): NextSteps {
  const url = webhookUrl({
    relay,
    repository: repository || SOME_REPOSITORY,
    workflow: name,
    trigger,
  })
  const local = `http://localhost:${port}/webhook/${name}/${trigger}`
  const paths = files.map(({ path }) => path).join(' ')
  return {
    url,
    curl: `curl -X POST '${url}' -H "X-Platform-Authorization: $HOOKLINE_TOKEN" -H 'content-type: ${EXAMPLE.contentType}' -d '${EXAMPLE.body}'`,
    tryOut: ['npx hookline dev', curlLine(local, { ...EXAMPLE, method: 'POST', path: '' })],
    publish: [
      ...(compile === undefined ? [] : [compile]),
      `git add ${paths}${compile === undefined ? '' : ' .github/workflows'}`,
      `git commit -m 'Add the workflow ${name}'`,
      'git push',
      `npx hookline doctor --workflow ${name}${repository && ` --repository ${repository}`} --relay ${relay}`,
    ],
  }
}
