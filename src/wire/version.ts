/** Of the package: `package.json` says the same, as a test holds. A worker has no such file to read. */
export const VERSION = '0.1.0'
