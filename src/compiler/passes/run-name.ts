import type { DispatchEvent } from '../../wire/payload.ts'
import { asFindings } from '../../workflow/mistakes.ts'
import type { Where } from '../../workflow/operations.ts'
import { DELIVERY_ID, runNameLine } from '../../workflow/run-name.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Pass, Plan } from '../plan.ts'
import type { SourceFile } from '../source-file.ts'

/**
 * Adds the delivery id to the name of each run, so that `hookline connect` and the database of a relay
 * find the run of an event. A `run-name` of the source remains.
 */
export const runName: Pass = {
  run(plan, part) {
    const { file, starting } = plan
    if (part === 'jobs' || starting === undefined) return {}
    const written = file.sections.get('run-name')
    if (written) {
      const text = file.source.text.slice(...rangeOf(written.value ?? written.key))
      if (text.includes('-delivery')) return {}
      const notice = {
        code: 'unnamed-delivery',
        message:
          '"run-name" does not contain the delivery id, so no run can be found by its delivery',
        position: positionAt(file.source, ...rangeOf(written.key)),
        hint: `add: \${{ ${DELIVERY_ID[starting]} }}`,
      } as const
      return { findings: asFindings([notice], 'warning') }
    }
    const lines = [compiledRunName(plan, starting)]
    const where = part === 'listening' ? 'first' : position(file)
    return { operations: [{ op: 'insert', path: [], lines, where }] }
  },
}

/** A line before the first key would come before the mark `---` of the document. */
function position({ sections, source }: SourceFile): Where {
  if (sections.has('name')) return { after: 'name' }
  const isFirst = [...sections.keys()][0] === 'on'
  return isFirst && /^---/m.test(source.text) ? { after: 'on' } : { before: 'on' }
}

/** GitHub names a run by its event if `run-name` is empty, so the runs of other events keep their names. */
function compiledRunName({ file, polled }: Plan, starting: DispatchEvent): string {
  const isOnlyWebhooks = file.native.length === 0 && polled.length === 0
  if (isOnlyWebhooks) return runNameLine(file.name, starting)
  const id = DELIVERY_ID[starting]
  return `run-name: \${{ ${id} && format('${file.name} {0}', ${id}) }}`
}
