import ordinary from './jest.config.js'

/** `npm run test:soak`: only the long tests, with a limit that fits tests of half an hour. */
export default {
  ...ordinary,
  testTimeout: 1_800_000,
  // The tests of a deployment are the steps of one; the seed is that of `jest.getSeed()`.
  randomize: false,
  showSeed: true,
  testMatch: ['<rootDir>/__tests__/**/*.soak.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
}
