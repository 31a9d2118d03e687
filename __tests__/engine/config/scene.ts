import {
  type ActionResult,
  type ActionRun,
  dispatchEvent,
  runInShared,
  runPostInShared,
} from '../../support/action.ts'

/** A webhook with this body, for a `webhook` trigger with this `config`. */
export function webhookRun(
  config: unknown,
  body: unknown,
  run: Partial<ActionRun> = {},
): ActionRun {
  const payload = { path: 'hook/webhook', body: JSON.stringify(body) }
  const on = JSON.stringify({ webhook: { config } }) // JSON is YAML
  return { ...dispatchEvent(payload), ...run, inputs: { on, ...run.inputs } }
}

/** Runs the step and, if it succeeded, its `post` part, in a job whose other steps succeed. */
export async function runJob(run: ActionRun): Promise<ActionResult> {
  const result = await runInShared(run)
  if (result.exitCode !== 0) return result
  const post = await runPostInShared(run, result.state)
  if (post.exitCode !== 0) throw new Error(`post failed: ${post.stdout}${post.stderr}`)
  return result
}

export function itemsOf({ outputs }: ActionResult): unknown[] {
  return JSON.parse(outputs.items ?? '')
}
