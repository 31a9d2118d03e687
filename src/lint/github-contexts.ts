import { words } from '../wire/words.ts'
import {
  ANY,
  BOOLEAN,
  NUMBER,
  objectShape,
  type Shape,
  TEXT,
  unknownNameFault,
} from '../workflow/shapes.ts'
import { nearestName } from '../workflow/suggestion.ts'

/** A similar name is a fault. Another unknown name is not, because GitHub adds names. */
function contextShape(
  context: string,
  texts: string,
  others: Readonly<Record<string, Shape>>,
): Shape {
  const entries = [...words(texts).map((name) => [name, TEXT] as const), ...Object.entries(others)]
  return objectShape(entries, (name, known) =>
    nearestName(name, known) === undefined
      ? undefined
      : unknownNameFault('unknown-name', `"${context}" has no "${name}"`, name, known, 'names'),
  )
}

/** @param inputs of `workflow_dispatch`; all of them are strings */
export function githubShape(inputs: Shape): Shape {
  return contextShape('github', GITHUB_TEXTS, {
    event: objectShape([['inputs', inputs]], undefined, ANY),
    ref_protected: BOOLEAN,
  })
}

/** Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts */
const GITHUB_TEXTS = `
  action action_path action_ref action_repository action_status actor actor_id api_url
  artifact_cache_size_limit base_ref env event_name event_path graphql_url head_ref job job_workflow_sha
  output path ref ref_name ref_type repository repository_id repository_owner repository_owner_id
  repository_visibility repositoryUrl retention_days run_attempt run_id run_number secret_source server_url
  sha state step_summary token triggering_actor workflow workflow_ref workflow_sha workspace`

const JOB_TEXTS = 'status workflow_ref workflow_sha workflow_repository workflow_file_path'

/** Contexts that are the same in every workflow, from the same source. */
export const SAME_EVERYWHERE: ReadonlyMap<string, Shape> = new Map([
  ['env', objectShape([], undefined, TEXT)],
  ['vars', objectShape([], undefined, TEXT)],
  ['secrets', objectShape([], undefined, TEXT)],
  [
    'runner',
    contextShape('runner', 'name os arch temp tool_cache debug environment workspace', {}),
  ],
  [
    'strategy',
    contextShape('strategy', '', {
      'fail-fast': BOOLEAN,
      'job-index': NUMBER,
      'job-total': NUMBER,
      'max-parallel': NUMBER,
    }),
  ],
  [
    'job',
    contextShape('job', JOB_TEXTS, {
      check_run_id: NUMBER,
      container: objectShape(
        [
          ['id', TEXT],
          ['network', TEXT],
        ],
        (name, known) =>
          unknownNameFault(
            'unknown-name',
            `"job.container" has no "${name}"`,
            name,
            known,
            'names',
          ),
      ),
      services: objectShape([], undefined, ANY),
    }),
  ],
])
