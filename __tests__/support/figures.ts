import { FIGURES, type Figures } from '../../src/relay/figures.ts'

/**
 * The figures in the variables `HOOKLINE_TEST_<name>`. Only tests read these: a relay in the test's own process gets
 * them as an option, and the bundles that are built for tests read them by themselves (scripts/build/for-tests.js).
 */
export function figuresOf(env: Readonly<Record<string, string | undefined>>): Partial<Figures> {
  const given = Object.keys(FIGURES).flatMap((name) => {
    const text = env[`HOOKLINE_TEST_${name}`]
    return text === undefined ? [] : [[name, Number(text)]]
  })
  return Object.fromEntries(given)
}
