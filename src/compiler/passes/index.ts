import type { Pass } from '../pass.ts'
import { actions } from './actions.ts'
import { conditions } from './conditions.ts'
import { jobOn } from './job-on.ts'
import { references } from './references.ts'
import { settings } from './settings.ts'
import { startingEvent } from './starting-event.ts'

/** What makes a source native, in this order where several put something in at the same place. */
export const PASSES: readonly Pass[] = [
  startingEvent,
  jobOn,
  conditions,
  references,
  settings,
  actions,
]
