// Loaded before a relay, in its threads too (NODE_OPTIONS): as on a disk that takes its time to sync,
// each transaction ends after SLOW_DISK_MS milliseconds, in which its thread stands still; where SLOW_DISK
// names a file, only while that is there.
const { existsSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const { exec } = DatabaseSync.prototype
const still = new Int32Array(new SharedArrayBuffer(4))

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  const { SLOW_DISK, SLOW_DISK_MS } = process.env
  const isSlow = SLOW_DISK === undefined || existsSync(SLOW_DISK)
  if (statement === 'COMMIT' && isSlow) Atomics.wait(still, 0, 0, Number(SLOW_DISK_MS))
  return exec.call(this, statement)
}
