import { asFindings } from '../../workflow/mistakes.ts'
import type { Pass } from '../pass.ts'
import { platformNotices, platformOperations } from '../platform.ts'
import { usesOperations } from '../uses.ts'

/** What the user's own jobs run, where it is pinned, locked, or named otherwise on the platform. */
export const actions: Pass = {
  name: 'actions',
  run({ file, options }, part) {
    if (part === 'listening') return {}
    const { platform, standing, lock } = options
    const name = `${file.name}${part === 'jobs' ? '.jobs' : ''}.yml`
    const known = { settings: options, standing: standing?.get(name), lock, name }
    return {
      operations: [...usesOperations(file, known), ...platformOperations(file, platform)],
      findings: asFindings(platformNotices(file, platform), 'warning'),
    }
  },
}
