// Loaded before a relay, in its threads too (NODE_OPTIONS): kills the process before or behind one of
// the statements that it gives to SQLite, at the moment KILL_AT, two of which each statement has. Without
// that the file MOMENTS gets a sign for each of them.
const { appendFileSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const { KILL_AT, MOMENTS = '' } = process.env
const statement = Object.getPrototypeOf(new DatabaseSync(':memory:').prepare('SELECT 1'))
let moments = 0

function pass() {
  moments++
  if (moments === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  if (KILL_AT === undefined) appendFileSync(MOMENTS, '.')
}

const { exec } = DatabaseSync.prototype
const { all } = statement

/** @param {string} text */
DatabaseSync.prototype.exec = function (text) {
  pass()
  exec.call(this, text)
  pass()
}

/** @param {unknown[]} values */
statement.all = function (...values) {
  pass()
  const rows = all.apply(this, values)
  pass()
  return rows
}
