import { bundlesForTests } from '../build/for-tests.js'

/** Before the first suite of a run: the workers of jest take the folder over with the environment. */
export default async function setup() {
  process.env.HOOKLINE_TEST_BUNDLES = await bundlesForTests()
}
