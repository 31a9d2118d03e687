// Loaded before the action: kills the process at the step of this number, like a crash. A step is
// each continuation after waiting for a file or a socket, and each synchronous write.
import { createHook } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let left = Number(process.env.KILL_AT_AWAIT)

function pass() {
  if (left-- === 0) process.kill(process.pid, 'SIGKILL')
}

/** @type {Set<number>} */
const waiting = new Set()
createHook({
  init(id, type) {
    if (/^(FS|FILEHANDLE|TCP|HTTP|WRITE|GETADDRINFO)/.test(type)) waiting.add(id)
  },
  before(id) {
    if (waiting.has(id)) pass()
  },
}).enable()

/** @type {Record<string, any>} */
const writes = fs
for (const name of ['appendFileSync', 'writeFileSync']) {
  const real = writes[name]
  writes[name] = (/** @type {unknown[]} */ ...args) => {
    pass()
    return real.apply(fs, args)
  }
}
syncBuiltinESMExports()
