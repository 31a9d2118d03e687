/** The version in `package.json`, which a worker cannot read; a test compares the two. */
export const VERSION = '0.1.0'
