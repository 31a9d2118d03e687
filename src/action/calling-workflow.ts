import { UserError } from '../wire/errors.ts'
import { parseWebhookPath } from '../wire/path.ts'
import type { GitHubEvent } from '../wire/payload.ts'
import type { Environment } from '../wire/settings.ts'
import { arrivalOf } from './summary-tables.ts'

interface CallingWorkflow {
  /** File name without its extension, as in webhook URLs; empty if unknown. */
  readonly name: string
  /** Path in the repository; empty if the runner does not set it. */
  readonly file: string
}

interface CallingRun {
  readonly env: Environment
  readonly event: GitHubEvent
  /** File names, without extension, of the native workflows with this `name:`. */
  readonly filesNamed: (name: string) => Promise<readonly string[]>
}

/** Finds the calling workflow. GitHub's own runner always names it; other runners may not. */
export async function callingWorkflow(surroundings: CallingRun): Promise<CallingWorkflow> {
  const named = fromReference(surroundings.env)
  return named.name === '' ? { name: await guessed(surroundings), file: '' } : named
}

/** `hook` and `.github/workflows/hook.yml`, from `owner/repo/.github/workflows/hook.yml@refs/…`. */
export function fromReference(env: Environment): CallingWorkflow {
  const reference = env.GITHUB_WORKFLOW_REF ?? ''
  const file = /^[^/]+\/[^/]+\/([^@]+)@/.exec(reference)?.[1] ?? ''
  return { name: stem(file.split('/').at(-1) ?? ''), file }
}

/** For runners that do not set GITHUB_WORKFLOW_REF, such as act and Gitea. */
async function guessed({ env, event, filesNamed }: CallingRun): Promise<string> {
  const arrival = await arrivalOf(event)
  const addressed = arrival && parseWebhookPath(arrival.path).workflow
  // With `workflow_dispatch`, GitHub started the very file that the URL names.
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
 * Without the name of its workflow, an inline section can receive no webhook and use no store.
 *
 * @throws UserError if the event or a store needs the name
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
