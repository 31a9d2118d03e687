import { expect } from '@jest/globals'
import fc from 'fast-check'

const isSoak = expect.getState().testPath?.endsWith('.soak.test.ts') ?? false

/**
 * Properties of ordinary tests use a fixed seed, so that only a change of the code can turn them red.
 * Soak tests use a new seed in each run and look for values that no author thought of. A failure prints
 * its seed and path in both cases.
 */
if (!isSoak) fc.configureGlobal({ seed: 20_260_101 })

export { fc }
