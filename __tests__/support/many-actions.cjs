// Runs a bundle of the action once for each environment of a list, or for each that its parent sends, in
// this one process: loaded anew each time, and ended when the process has nothing left to do, which is
// when Node would let it exit.
const fs = require('node:fs')
const https = require('node:https')
const net = require('node:net')
const path = require('node:path')
const vm = require('node:vm')

const [bundle = '', list = '', port = ''] = process.argv.slice(2)
/** @type {NodeJS.ProcessEnv[]} */
const runs = list === '' ? [] : JSON.parse(fs.readFileSync(list, 'utf8'))
/** @type {{ exitCode: number, stdout: string, stderr: string }[]} */
const ended = []
let log = ''
let errors = ''
let running = false

const { writeSync } = fs
fs.writeSync = (/** @type {any[]} */ ...args) => {
  const [descriptor, text] = args
  if (descriptor !== 1) return writeSync.apply(fs, /** @type {any} */ (args))
  log += text
  return String(text).length
}
process.stdout.write = (/** @type {unknown} */ text) => {
  log += text
  return true
}
process.stderr.write = (/** @type {unknown} */ text) => {
  errors += text
  return true
}

if (port !== '') {
  const agent = new https.Agent()
  agent.createConnection = () => net.connect(Number(port), '127.0.0.1')
  https.globalAgent = agent
}

process.on('beforeExit', () => {
  const end = { exitCode: Number(process.exitCode ?? 0), stdout: log, stderr: errors }
  if (list === '') {
    // Only between two runs does the parent keep this process from its end.
    if (running) process.send?.(end)
    running = false
    process.channel?.ref()
    return
  }
  if (running) ended.push(end)
  const env = runs[ended.length]
  if (env === undefined) print(JSON.stringify(ended))
  else start(bundle, env)
})

process.on('disconnect', () => process.exit())
if (list === '') {
  process.on(
    'message',
    (/** @type {{ bundle: string, env: NodeJS.ProcessEnv }} */ { bundle, env }) => {
      process.channel?.unref()
      start(bundle, env)
    },
  )
}

/**
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 */
function start(program, env) {
  running = true
  log = ''
  errors = ''
  process.exitCode = 0
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  setImmediate(() => load(program, new Map())) // else a run that waits for nothing would be the last one
}

/** @type {Map<string, Function>} */
const compiled = new Map()

/**
 * A file of the bundle, compiled once and evaluated once a run.
 *
 * @param {string} file
 * @param {Map<string, { exports: unknown }>} loaded
 */
function load(file, loaded) {
  const known = loaded.get(file)
  if (known) return known.exports
  const names = ['exports', 'require', 'module', '__filename', '__dirname']
  const evaluate =
    compiled.get(file) ??
    vm.compileFunction(fs.readFileSync(file, 'utf8'), names, { filename: file })
  compiled.set(file, evaluate)
  const module = { exports: {} }
  loaded.set(file, module)
  const folder = path.dirname(file)
  /** @param {string} id */
  const requireFrom = (id) =>
    id.startsWith('.') ? load(path.join(folder, id), loaded) : require(id)
  evaluate.call(module.exports, module.exports, requireFrom, module, file, folder)
  return module.exports
}

/** A pipe buffers at most 64 KB. @param {string} text */
function print(text) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      if (Object(error).code !== 'EAGAIN') throw error
    }
  }
}
