import { curlLine } from '../../inspector/local-engine.ts'
import { webhookUrl } from '../../wire/path.ts'
import type { Answers, Kind, NewFile } from './kind.ts'
import { OWN_RELAY } from './questions.ts'

/** What to do with a workflow that was just written: lines to paste into a shell. */
export interface NextSteps {
  /** What a sender is given; `null` for what has no URL. */
  readonly url: string | null
  /** What has to be put in place of a part of the URL that stands for it. */
  readonly missing: readonly string[]
  /** Fires the workflow on GitHub, by way of the relay. */
  readonly curl: string | null
  /** On this machine: what serves, and what fires it; of a bot, what asks for its token and polls. */
  readonly tryOut: readonly string[]
  /** To GitHub, and what shows that it works there. */
  readonly publish: readonly string[]
}

/** Stands in the URL where the repository is not known. */
const SOME_REPOSITORY = 'owner/name'

const EXAMPLE = { contentType: 'application/json', body: '{"hello":"world"}' }

/** @param port where `hookline dev` listens */
export function nextSteps(
  kind: Kind,
  answers: Answers,
  files: readonly NewFile[],
  port: string,
): NextSteps {
  const push = pushLines(kind, answers, files)
  return kind.secret === undefined
    ? webhookSteps(kind, answers, push, port)
    : pollingSteps(kind.secret, answers, push)
}

function webhookSteps(
  { trigger }: Kind,
  { name, relay, repository }: Answers,
  push: readonly string[],
  port: string,
): NextSteps {
  const url = webhookUrl({
    relay,
    repository: repository || SOME_REPOSITORY,
    workflow: name,
    trigger,
  })
  const local = `http://localhost:${port}/webhook/${name}/${trigger}`
  const fire = curlLine(local, { ...EXAMPLE, method: 'POST', path: '' })
  return {
    url,
    missing: [
      ...(repository ? [] : [`your repository for ${SOME_REPOSITORY}`]),
      ...(relay === OWN_RELAY ? [`your relay's address for ${OWN_RELAY}`] : []),
    ],
    curl: `curl -X POST '${url}' -H "X-Platform-Authorization: $HOOKLINE_TOKEN" -H 'content-type: ${EXAMPLE.contentType}' -d '${EXAMPLE.body}'`,
    tryOut: ['npx hookline dev', fire],
    publish: [...push, `${doctorLine(name, repository)} --relay ${relay}`],
  }
}

/**
 * Here and there the secret is asked for, so that it stands in no argument and no history; and the
 * file that then holds it is kept out of the repository.
 */
function pollingSteps(
  secret: string,
  { name, repository }: Answers,
  push: readonly string[],
): NextSteps {
  const publish = [`gh secret set ${secret}`, ...push, doctorLine(name, repository)]
  const tryOut = [
    'echo .env >> .gitignore',
    `read -rs ${secret} && echo "${secret}=$${secret}" >> .env`,
    'npx hookline dev --poll',
  ]
  return {
    url: null,
    missing: [],
    curl: null,
    tryOut,
    publish: [...publish, `gh workflow run ${name}.yml`],
  }
}

function pushLines(
  { compile }: Kind,
  { name }: Answers,
  files: readonly NewFile[],
): readonly string[] {
  const written = files.map(({ path }) => path)
  const compiled = ['.yml', '.jobs.yml'].map((end) => `.github/workflows/${name}${end}`)
  const added = compile === undefined ? written : [...written, ...compiled]
  return [
    ...(compile === undefined ? [] : [compile]),
    `git add ${added.join(' ')}`,
    `git commit -m 'Add the workflow ${name}'`,
    'git push',
  ]
}

function doctorLine(name: string, repository: string): string {
  return `npx hookline doctor --workflow ${name}${repository && ` --repository ${repository}`}`
}
