// Loaded before a relay, in its threads too (NODE_OPTIONS): kills the process before or behind one of
// the statements that it gives to SQLite, at the moment KILL_AT, two of which each statement has. Without
// that the file MOMENTS gets a sign for each of them. Moments count from the first statement that contains FROM.
const { appendFileSync } = require('node:fs')
const { DatabaseSync } = require('node:sqlite')

const { KILL_AT, MOMENTS = '', FROM = '' } = process.env
const statement = Object.getPrototypeOf(new DatabaseSync(':memory:').prepare('SELECT 1'))
let moments = 0
let hasBegun = FROM === ''

/** @param {string} text */
function pass(text) {
  hasBegun ||= text.includes(FROM)
  if (!hasBegun) return
  moments++
  if (moments === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
  if (KILL_AT === undefined) appendFileSync(MOMENTS, '.')
}

const { exec } = DatabaseSync.prototype
const { all } = statement

/** @param {string} text */
DatabaseSync.prototype.exec = function (text) {
  pass(text)
  exec.call(this, text)
  pass(text)
}

/** @param {unknown[]} values */
statement.all = function (...values) {
  pass(this.sourceSQL)
  const rows = all.apply(this, values)
  pass(this.sourceSQL)
  return rows
}
