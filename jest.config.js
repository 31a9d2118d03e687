import { TYPESCRIPT } from './scripts/jest/typescript.js'
import { WIRING } from './scripts/wiring.js'

const isCovering = process.argv.includes('--coverage')
const isFull = process.env.HOOKLINE_TEST_EFFORT === 'full'

/**
 * Suites share the world of their process, and load modules as node does: that takes two thirds of what
 * jest's own way takes.
 */
const SHARED = {
  runtime: '<rootDir>/scripts/jest/runtime.cjs',
  testEnvironment: '<rootDir>/scripts/jest/environment.js',
}

/**
 * jest's own way: a world for each suite. A soak takes it, so that no suite leans on what another left;
 * so do coverage and Stryker, which count what runs in such a world.
 */
const APART = { testEnvironment: 'node' }

const isApart = isFull || isCovering || process.env.STRYKER_MUTATOR_WORKER !== undefined

export default {
  ...(isApart ? APART : SHARED),
  // No test is judged by its speed; this only ends one that hangs.
  testTimeout: isFull ? 1_800_000 : 180_000,
  // Most of a suite's time is spent waiting for a process or a socket, so no core is kept back.
  maxWorkers: '100%',
  // Modules of suites that have ended stay in memory, and clearing up around them takes longer each time.
  workerIdleMemoryLimit: '2GB',
  globalSetup: '<rootDir>/scripts/jest/setup.js',
  setupFilesAfterEnv: ['<rootDir>/scripts/jest/retry.js'],
  reporters: ['default', '<rootDir>/scripts/jest/tally.js'],
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
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

/** Reading every module takes a second: only where the figure is asked for. */
async function withoutTypes() {
  if (!isCovering) return []
  const { modulesOfTypes } = await import('./scripts/modules-of-types.js')
  return modulesOfTypes().map((path) => `!${path}`)
}
