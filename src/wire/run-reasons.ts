/**
 * How the action begins the annotation of a run in which no trigger fired; a code and the reason follow:
 * `no trigger fired: filter: body.action is "closed", wanted "opened"`.
 */
const NOTHING_FIRED = 'no trigger fired'

/** Why no trigger fired, by the code that begins the reason, with the cure. */
const CURES: Readonly<Record<string, string>> = {
  verify: "Store the sender's secret in the repository: gh secret set <NAME>",
  secretToken: "Store the bot's secret token in the repository: gh secret set <NAME>",
  method: 'Correct "method" of the trigger in the workflow, and push it',
  path: 'Correct "path" of the trigger in the workflow, and push it',
  filter: 'Correct "filter" of the trigger in the workflow, and push it',
  deduplicate: 'An earlier run received the event',
  workflow:
    'Correct the workflow of the endpoint: hookline endpoint update <name> --workflow <name>',
  trigger: 'Correct the trigger of the endpoint: hookline endpoint update <name> --trigger <name>',
  payload: 'Correct the request at the sender',
}

/** The annotation of the action. @param reason begins with a code */
export function nothingFiredText(reason: string): string {
  return `${NOTHING_FIRED}: ${reason}`
}

/** The reason in an annotation of the action; `undefined` for any other annotation. */
export function nothingFiredReason(annotation: string): string | undefined {
  const start = `${NOTHING_FIRED}: `
  return annotation.startsWith(start) ? annotation.slice(start.length) : undefined
}

/** The code of a reason; the words behind it may contain a value of the event. */
export function nothingFiredCode(reason: string): string {
  return reason.split(':', 1)[0] ?? ''
}

export function cureOfNothingFired(reason: string): string {
  const code = nothingFiredCode(reason)
  const known = Object.hasOwn(CURES, code) ? CURES[code] : undefined
  return known ?? 'Correct the trigger in the workflow, and push it'
}

/** The fault of an option with a secret that is not set, which fails the run. */
export const VALUE_NOT_SET =
  'is empty: is the secret set, and given to the action under "secrets", or to dev in .env?'

/** The cure of a run that failed, by the first error; `undefined` if its log has to be read. */
export function cureOfFailure(error: string): string | undefined {
  return error.includes(VALUE_NOT_SET)
    ? 'Store the secret in the repository, and pass it in the input "secrets" of the action: gh secret set <NAME>'
    : undefined
}
