// Loaded before the action: ends the process, as a crash would, at the step of this number. A step is
// every moment at which it goes on after waiting for a file or a socket, and every write at once.
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
