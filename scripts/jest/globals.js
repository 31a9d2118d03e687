/**
 * `@jest/globals` of the suite that is being loaded.
 *
 * @type {typeof import('@jest/globals')}
 */
const globals = Reflect.get(globalThis, Symbol.for('jest globals'))

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } = globals
