/**
 * A compiled module. Its address is computed, so that the type check does not follow it into
 * build/: callers take the types from src/.
 *
 * @param {string} name path in build/
 * @returns {Promise<any>}
 */
export function compiled(name) {
  return import(new URL(`../../build/${name}`, import.meta.url).href)
}
