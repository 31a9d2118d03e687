import { partsOf } from '../../scripts/docs/commands.js'
import { runShared } from '../support/cli.ts'

/** The help in docs/reference/commands.md, printed by one process. */
export async function helpOf(name?: string): Promise<string> {
  const printed = async (...names: string[]) => (await runShared([...names, '--help'])).stdout
  if (name === undefined) return printed()
  const help = await printed(name)
  const parts = await Promise.all(partsOf(help).map((part) => printed(name, part)))
  return [help, ...parts].join('\n')
}
