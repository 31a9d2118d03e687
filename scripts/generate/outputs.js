import { CAUSES_FILE, recordCauses, recordedCauses } from '../docs/causes.js'
import { OUTPUTS_FILE, recordedOutputs, recordOutputs } from '../docs/outputs.js'

/**
 * The outputs of the examples in the reference of the command line. Without a Node that has SQLite, those
 * that were recorded before.
 *
 * @returns {Promise<import('./files.js').GeneratedFiles>}
 */
export async function outputFiles() {
  const outputs = (await recordOutputs()) ?? (await recordedOutputs())
  const causes = (await recordCauses()) ?? recordedCauses()
  const files = new Map([
    [OUTPUTS_FILE, { content: `${JSON.stringify(outputs, null, 2)}\n` }],
    [CAUSES_FILE, { content: `${JSON.stringify(causes, null, 2)}\n` }],
  ])
  return { files }
}
