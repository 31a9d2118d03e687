// Loaded before a relay, in its threads too (NODE_OPTIONS): while the file FULL_DISK is there, the disk
// has no room but what is given back by removing an outbox's reserve.
const fs = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const mark = process.env.FULL_DISK ?? ''
const { exec } = DatabaseSync.prototype
const { writeFileSync } = fs
let reserve = ''

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  // SQLITE_FULL: https://sqlite.org/rescode.html#full
  const isFull = statement === 'COMMIT' && fs.existsSync(mark) && fs.existsSync(reserve)
  if (isFull) throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  return exec.call(this, statement)
}

/** @type {typeof fs.writeFileSync} */
fs.writeFileSync = (file, ...rest) => {
  if (String(file).endsWith('.reserve')) {
    reserve = String(file)
    if (fs.existsSync(mark)) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  return writeFileSync(file, ...rest)
}
