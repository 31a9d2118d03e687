import type { Pass } from '../plan.ts'
import { actions } from './actions.ts'
import { addOnJob } from './add-on-job.ts'
import { conditions } from './conditions.ts'
import { references } from './references.ts'
import { runName } from './run-name.ts'
import { settings } from './settings.ts'
import { startingEvent } from './starting-event.ts'

/** The passes in their order, which decides the order of lines that they insert at the same position. */
export const PASSES: readonly Pass[] = [
  startingEvent,
  addOnJob,
  conditions,
  references,
  // In the listening file the pass "settings" puts "name" before this line.
  runName,
  settings,
  actions,
]
