// Loaded before a relay, in its threads too (NODE_OPTIONS): while the file HELD_DISK is there, no
// transaction ends. The one that opens the file of a database (BEGIN EXCLUSIVE) is not held.
const { existsSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const mark = process.env.HELD_DISK ?? ''
const { exec } = DatabaseSync.prototype
const still = new Int32Array(new SharedArrayBuffer(4))
let isOpening = false

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  if (statement.startsWith('BEGIN')) isOpening = statement === 'BEGIN EXCLUSIVE'
  while (statement === 'COMMIT' && !isOpening && existsSync(mark)) Atomics.wait(still, 0, 0, 20)
  return exec.call(this, statement)
}
