// Loaded before a relay, in its threads too (NODE_OPTIONS): as on a disk that takes its time to sync,
// each transaction ends after SLOW_DISK_MS milliseconds, in which its thread stands still.
const { DatabaseSync } = require('node:sqlite')

const { exec } = DatabaseSync.prototype
const still = new Int32Array(new SharedArrayBuffer(4))

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  if (statement === 'COMMIT') Atomics.wait(still, 0, 0, Number(process.env.SLOW_DISK_MS))
  return exec.call(this, statement)
}
