/**
 * Loads a compiled module. Its path is computed, so that the type check does not follow it into
 * build/; callers use the types in src/.
 *
 * @param {string} name path in build/
 * @returns {Promise<any>}
 */
export function compiled(name) {
  return import(new URL(`../../build/${name}`, import.meta.url).href)
}
