import fc from 'fast-check'
import { IS_FULL } from './effort.ts'

/**
 * fast-check for every property. `npm cit` takes the same values each time, so that a change alone can
 * turn it red; `npm run test:soak` takes new ones each time, and is where chance looks for what nobody
 * thought of. A failure prints its seed and path either way.
 */
if (!IS_FULL) fc.configureGlobal({ seed: 20_260_101 })

export { fc }
