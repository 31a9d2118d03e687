// Loaded before a relay, in its threads too (NODE_OPTIONS): a disk without room. While the file FULL_DISK
// is there, it has no room but what is given back by removing a database's reserve; a disk of
// FULL_DISK_MB has so much for the files of the database together.
const fs = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const mark = process.env.FULL_DISK ?? ''
const most = Number(process.env.FULL_DISK_MB ?? Number.POSITIVE_INFINITY) * 1024 * 1024
const { exec } = DatabaseSync.prototype
const { writeFileSync } = fs
let reserve = ''

/** @param {string} file */
const sizeOf = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const used = () => {
  const database = reserve.replace(/\.reserve$/, '')
  return sizeOf(database) + sizeOf(`${database}-wal`) + sizeOf(reserve)
}

/** @param {string} statement */
DatabaseSync.prototype.exec = function (statement) {
  const isFull = used() > most || (fs.existsSync(mark) && fs.existsSync(reserve))
  // While SQLite opens a file, the file cannot grow.
  const pages = statement === 'BEGIN EXCLUSIVE' && fs.existsSync(mark) ? 1 : 0xffff_fffe
  if (statement.startsWith('BEGIN')) exec.call(this, `PRAGMA max_page_count = ${pages}`)
  // SQLITE_FULL: https://sqlite.org/rescode.html#full
  if (statement === 'COMMIT' && isFull) {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  }
  return exec.call(this, statement)
}

/** @type {typeof fs.writeFileSync} */
fs.writeFileSync = (file, ...rest) => {
  if (String(file).endsWith('.reserve')) {
    reserve = String(file)
    const isFull = fs.existsSync(mark) || used() + Buffer.byteLength(rest[0]) > most
    if (isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
  }
  return writeFileSync(file, ...rest)
}
