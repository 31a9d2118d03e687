// Loaded before the action: kills the process at the write of this number, like a crash.
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

let left = Number(process.env.KILL_AT_WRITE)

/**
 * @param {Record<string, any>} owner
 * @param {string} name
 */
function killing(owner, name) {
  const real = owner[name]
  owner[name] = (/** @type {unknown[]} */ ...args) => {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    return real.apply(owner, args)
  }
}

killing(fs, 'appendFileSync')
killing(fs, 'writeFileSync')
for (const name of ['open', 'writeFile', 'rename', 'rm']) killing(promises, name)
syncBuiltinESMExports()
