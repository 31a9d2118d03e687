/** The action of this package, at its first major version: what compiled files run. */
export const ACTION = 'hookline/hookline@v1'
