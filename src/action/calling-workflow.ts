import { UserError } from '../wire/errors.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { GitHubEvent } from '../wire/payload.ts'
import type { Environment } from './inputs.ts'
import { arrivalOf } from './summary-tables.ts'

/** The workflow that runs this step. */
export interface CallingWorkflow {
  /** As webhook URLs name it; empty where nothing tells. */
  readonly name: string
  /** Its path in the repository; empty where the runner names none. */
  readonly file: string
}

interface Surroundings {
  readonly env: Environment
  readonly event: GitHubEvent
  /** Names, without their endings, of the workflow files here whose `name:` is this. */
  readonly filesNamed: (name: string) => Promise<readonly string[]>
}

/** The calling workflow, as well as a runner lets it be known: GitHub's own always does. */
export async function callingWorkflow(surroundings: Surroundings): Promise<CallingWorkflow> {
  const named = fromReference(surroundings.env)
  return named.name === '' ? { name: await guessed(surroundings), file: '' } : named
}

/** `hook` and `.github/workflows/hook.yml`, from `owner/repo/.github/workflows/hook.yml@refs/…`. */
export function fromReference(env: Environment): CallingWorkflow {
  const reference = env.GITHUB_WORKFLOW_REF ?? ''
  const file = /^[^/]+\/[^/]+\/([^@]+)@/.exec(reference)?.[1] ?? ''
  return { name: stem(file.split('/').at(-1) ?? ''), file }
}

/** For runners that set no GITHUB_WORKFLOW_REF, as act and Gitea. */
async function guessed({ env, event, filesNamed }: Surroundings): Promise<string> {
  const arrival = await arrivalOf(event)
  const addressed = arrival && parseWebhookPath(arrival.path).workflow
  // In direct mode the platform started the very file that the URL names.
  if (addressed && event.name === 'workflow_dispatch') return addressed
  const { GITHUB_WORKFLOW: workflow = '' } = env
  if (/\.ya?ml$/.test(workflow)) return stem(workflow.split('/').at(-1) ?? '')
  const [file, ...others] = workflow === '' ? [] : await filesNamed(workflow)
  if (file !== undefined && others.length === 0) return file
  return workflow === addressed ? workflow : ''
}

function stem(file: string): string {
  return file.replace(/\.ya?ml$/, '')
}

/**
 * Without its own name an inline section answers to no webhook, and has no place in a store.
 *
 * @throws UserError where one of these is asked for
 */
export async function requireName(
  { name }: CallingWorkflow,
  { event, hasStore }: { readonly event: GitHubEvent; readonly hasStore: boolean },
): Promise<void> {
  if (name !== '' || !(hasStore || (await arrivalOf(event)))) return
  throw new UserError({
    message: 'GITHUB_WORKFLOW_REF is not set: this workflow cannot tell its own name',
    notes: [
      'set it in the runner: owner/name/.github/workflows/hook.yml@refs/heads/main',
      'or check out the repository first, where one file in .github/workflows has the name of GITHUB_WORKFLOW',
    ],
  })
}
