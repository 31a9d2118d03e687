import { ANY, BOOLEAN, NUMBER, objectShape, type Shape, TEXT } from './shapes.ts'

/** Strings of the context `github`; GitHub adds other values. */
const GITHUB_STRINGS = `
  action actor api_url base_ref event_name head_ref job ref ref_name ref_type repository
  repository_owner run_attempt run_id run_number server_url sha token triggering_actor workflow workspace`

/** @param inputs of the event `workflow_dispatch`: all of them are strings */
export function githubShape(inputs: Shape): Shape {
  const strings = GITHUB_STRINGS.trim().split(/\s+/)
  return objectShape(
    [
      ...strings.map((name) => [name, TEXT] as const),
      ['event', objectShape([['inputs', inputs]], undefined, ANY)],
      ['ref_protected', BOOLEAN],
    ],
    undefined,
    ANY,
  )
}

/**
 * Contexts that are the same in every workflow. GitHub adds names, so no name is reported.
 *
 * Source: https://docs.github.com/actions/reference/workflows-and-actions/contexts
 */
export const SAME_EVERYWHERE: ReadonlyMap<string, Shape> = new Map([
  ...['env', 'vars', 'secrets', 'runner'].map(
    (name) => [name, objectShape([], undefined, TEXT)] as const,
  ),
  [
    'strategy',
    objectShape(
      [
        ['fail-fast', BOOLEAN],
        ['job-index', NUMBER],
        ['job-total', NUMBER],
        ['max-parallel', NUMBER],
      ],
      undefined,
      ANY,
    ),
  ],
  [
    'job',
    objectShape(
      [
        ['check_run_id', NUMBER],
        ['status', TEXT],
      ],
      undefined,
      ANY,
    ),
  ],
])
