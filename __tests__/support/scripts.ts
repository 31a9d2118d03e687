import { ScriptFailure, scripts } from '../../src/engine/scripts.ts'

/** The results of a script for each item, as JSON. @throws ScriptFailure for the first failed item */
export async function resultsOf(
  body: string,
  items: unknown = [{}],
  { run }: Pick<typeof scripts, 'run'> = scripts,
): Promise<string> {
  const script = { option: 'format', parameters: ['item'], body, call: 'invoke(item)' }
  const outcomes = await run(script, JSON.stringify(items))
  const values = outcomes.map((outcome) => {
    if ('reason' in outcome) throw new ScriptFailure(outcome.reason)
    return outcome.value ?? null
  })
  return JSON.stringify(values)
}
