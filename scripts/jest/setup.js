import { bundlesForTests } from '../build/for-tests.js'

/** Runs before the first suite; the workers of jest inherit the folder with the environment. */
export default async function setup() {
  process.env.HOOKLINE_TEST_BUNDLES = await bundlesForTests()
}
