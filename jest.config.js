import { TYPESCRIPT } from './scripts/jest/typescript.js'
import { WIRING } from './scripts/wiring.js'

const isCovering = process.argv.includes('--coverage')

export default {
  testEnvironment: 'node',
  // Tests are not judged by their speed; the limit ends only a test that hangs.
  testTimeout: 600_000,
  // Most suites wait for a process or a socket, so every core runs one.
  maxWorkers: '100%',
  // The seed is printed; `--seed=<number>` repeats its order. `npm test` changes its seed every week.
  randomize: true,
  globalSetup: '<rootDir>/scripts/jest/setup.js',
  reporters: ['default', '<rootDir>/scripts/jest/tally.js'],
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '\\.soak\\.test\\.ts$'],
  modulePathIgnorePatterns: ['<rootDir>/build/', '<rootDir>/.cache/'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', TYPESCRIPT] },
  coverageProvider: 'v8',
  collectCoverageFrom: [
    'src/**/*.ts',
    ...WIRING.map((path) => `!src/${path}`),
    ...(await withoutTypes()),
  ],
  coverageReporters: [['text', { skipFull: true }], 'text-summary'],
  coverageThreshold: { global: { lines: 95, branches: 90 } },
}

/** Files that only declare types have no line to cover; finding them takes a second. */
async function withoutTypes() {
  if (!isCovering) return []
  const { modulesOfTypes } = await import('./scripts/modules-of-types.js')
  return modulesOfTypes().map((path) => `!${path}`)
}
