import { EVENT_TYPE } from '../wire/payload.ts'

const PATH = 'github.event.client_payload.path'

/**
 * The conditions, joined by "or", under which the listening job starts: every event but a webhook
 * for another workflow or trigger, so that these cost no runner. One a line.
 *
 * @param ownDispatches whether the workflow listens to other kinds of `repository_dispatch` too
 */
export function guard(
  workflow: string,
  triggers: readonly string[],
  ownDispatches: boolean,
): string[] {
  const prefixes = triggers.flatMap((trigger) => [
    `${workflow}/${trigger}`,
    `/${workflow}/${trigger}`,
  ])
  return [
    `github.event_name != 'repository_dispatch'`,
    ...(ownDispatches ? [`github.event.action != '${EVENT_TYPE}'`] : []),
    ...prefixes.flatMap((prefix) => [
      `startsWith(format('{0}/', ${PATH}), '${prefix}/')`,
      `startsWith(${PATH}, '${prefix}?')`,
    ]),
  ]
}
