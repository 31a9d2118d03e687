/**
 * The options by which the tests compile TypeScript.
 *
 * @satisfies {import('@swc/core').Options}
 */
export const TYPESCRIPT = {
  swcrc: false,
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'es6' },
}
