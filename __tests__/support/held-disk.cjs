// Loaded before a relay, in its threads too (NODE_OPTIONS): while the file HELD_DISK is there, no
// transaction ends, or each fails if the file has the content `fails`. The one that opens the file of a
// database (BEGIN EXCLUSIVE) is not held.
const { existsSync, readFileSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const mark = process.env.HELD_DISK ?? ''
const { exec } = DatabaseSync.prototype
const still = new Int32Array(new SharedArrayBuffer(4))
let isOpening = false

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  if (statement.startsWith('BEGIN')) isOpening = statement === 'BEGIN EXCLUSIVE'
  const isHeld = statement === 'COMMIT' && !isOpening
  if (isHeld && existsSync(mark) && readFileSync(mark, 'utf8') === 'fails') {
    // SQLITE_IOERR_FSYNC: https://sqlite.org/rescode.html#ioerr_fsync
    throw Object.assign(new Error('disk I/O error'), { errcode: 1034 })
  }
  while (isHeld && existsSync(mark)) Atomics.wait(still, 0, 0, 20)
  return exec.call(this, statement)
}
