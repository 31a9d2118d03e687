import { join } from 'node:path'

/** The command line of the present sources. */
export const CLI = join(process.env.HOOKLINE_TEST_BUNDLES ?? (await bundles()), 'dist/cli/index.js')

/** Jest builds the bundles before it starts, because its virtual machine cannot load the bundler. */
async function bundles() {
  const { bundlesForTests } = await import('../build/for-tests.js')
  return bundlesForTests()
}
