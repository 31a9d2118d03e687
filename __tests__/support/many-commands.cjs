// Runs a bundle of the command line once for each message of its parent, in this one process: evaluated
// anew each time, and ended when the process has nothing left to do, which is when Node would let it exit.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { Readable } = require('node:stream')
const { pathToFileURL } = require('node:url')
const { inspect } = require('node:util')

const printed = { stdout: '', stderr: '' }
let running = false
let runs = 0

for (const name of /** @type {const} */ (['stdout', 'stderr'])) {
  process[name].write = (/** @type {unknown} */ text) => {
    printed[name] += text
    return true
  }
}

process.on('uncaughtException', fail)
const end = process.exit.bind(process)
process.on('disconnect', () => end())
process.on('beforeExit', () => {
  // What a run listened for would keep the parent from ending this process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.removeAllListeners(signal)
  // Only between two runs does the parent keep this process from its end.
  if (running) process.send?.({ exitCode: process.exitCode ?? 0, ...printed })
  running = false
  process.channel?.ref()
})

/** @typedef {{ bundle: string, args: string[], cwd: string, env: NodeJS.ProcessEnv, input: string }} Run */

process.on('message', (/** @type {Run} */ { bundle, args, cwd, env, input }) => {
  process.channel?.unref()
  running = true
  Object.assign(printed, { stdout: '', stderr: '' })
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event)
  process.on('uncaughtException', fail)
  process.exitCode = undefined
  // A command that ends the process ends only its run.
  Object.assign(process, { exit: noteExit })
  process.argv = [process.execPath, bundle, ...args]
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const stdin = Readable.from([Buffer.from(input)])
  Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
  setImmediate(() => start(bundle)) // else a run that waits for nothing would be the last one
})

/**
 * What the bundle loads by name stays loaded: these files hold functions, and no state of a run.
 *
 * @param {string} bundle
 */
function start(bundle) {
  const { type } = JSON.parse(readFileSync(join(bundle, '../package.json'), 'utf8'))
  if (type === 'module') return void import(`${pathToFileURL(bundle)}?${runs++}`).catch(fail)
  delete require.cache[bundle]
  require(bundle)
}

/** @param {number} [code] */
function noteExit(code) {
  if (code !== undefined) process.exitCode = code
}

/** @param {unknown} error */
function fail(error) {
  printed.stderr += inspect(error)
  process.exitCode = 1
}
