import { fieldsOf, listOf } from '../../wire/github-api.ts'
import type { AskGitHub } from '../github-client.ts'

interface SecretPlace {
  readonly name: string
  /** `owner/name` */
  readonly repository: string
  /** The environment of the job that reads the secret. */
  readonly environment: string | undefined
}

/**
 * Looks for a secret that a job can read: in its environment, the repository or the organization. `unknown` if
 * the token may not list secrets.
 */
export async function secretState(
  { name, repository, environment }: SecretPlace,
  ask: AskGitHub,
): Promise<'exists' | 'missing' | 'unknown'> {
  const at = `/repos/${repository}`
  const places = [
    ...(environment === undefined || environment.includes('${{')
      ? []
      : [`${at}/environments/${encodeURIComponent(environment)}/secrets/${name}`]),
    `${at}/actions/secrets/${name}`,
  ]
  const refusals: string[] = []
  for (const path of places) {
    const { refusal } = await ask(path)
    if (!refusal) return 'exists'
    refusals.push(refusal.kind)
  }
  const { answer, refusal } = await ask(`${at}/actions/organization-secrets?per_page=100`)
  const shared = refusal ? [] : listOf(fieldsOf(answer).secrets)
  if (shared.some((secret) => secret.name === name)) return 'exists'
  if (refusal) refusals.push(refusal.kind)
  return refusals.every((kind) => kind === 'missing') ? 'missing' : 'unknown'
}
