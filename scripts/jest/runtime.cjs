const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { register } = require('node:module')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')
const { transformSync } = require('@swc/core')
const { TYPESCRIPT } = require('./typescript.js')

register('./modules.js', pathToFileURL(__filename))

/** jest-circus keeps its state in this module: each suite takes a new one. */
const CIRCUS = join(require.resolve('jest-circus/runner'), '../jestAdapterInit.js')

/** What it keeps for a suite beside that module. */
const OF_A_SUITE = [
  'EVENT_HANDLERS',
  'RETRY_TIMES',
  'LOG_ERRORS_BEFORE_RETRY',
  'TEST_TIMEOUT_SYMBOL',
].map((name) => Symbol.for(name))

let suites = 0

/** A runtime of jest that loads modules as node does, for suites that share a process. */
class SharedRuntime {
  #suite = `?suite=${++suites}`

  constructor() {
    for (const symbol of OF_A_SUITE) Reflect.deleteProperty(globalThis, symbol)
    delete require.cache[CIRCUS]
  }

  /** @param {string} path */
  requireInternalModule(path) {
    return require(path)
  }

  /** @param {string} path */
  requireModule(path) {
    return require(path)
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  /** @param {string} path */
  unstable_importModule(path) {
    return import(pathToFileURL(path).href + this.#suite)
  }

  /** @param {object} globals */
  setGlobalsForRuntime(globals) {
    Reflect.set(globalThis, Symbol.for('jest globals'), { ...globals, jest })
  }

  getSourceMaps() {
    return sourceMaps
  }

  getAllCoverageInfoCopy() {}
  resetModules() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
}

/** As much of it as suites use; its settings are where jest-circus looks for them. */
const jest = {
  /** @param {number} count @param {{ logErrorsBeforeRetry?: boolean }} options */
  retryTimes(count, { logErrorsBeforeRetry } = {}) {
    Reflect.set(globalThis, Symbol.for('RETRY_TIMES'), count)
    Reflect.set(globalThis, Symbol.for('LOG_ERRORS_BEFORE_RETRY'), logErrorsBeforeRetry)
  },
  /** @param {number} milliseconds */
  setTimeout(milliseconds) {
    Reflect.set(globalThis, Symbol.for('TEST_TIMEOUT_SYMBOL'), milliseconds)
  },
}

/** Files of source maps by the URL of a compiled module: each is made when a stack is printed. */
class SourceMaps extends Map {
  /** @type {string | undefined} */
  #folder

  /** @override @param {string} url @returns {string | undefined} */
  get(url) {
    if (!this.has(url) && /^file:.*\.ts(\?|$)/.test(url)) this.set(url, this.#made(url))
    return super.get(url)
  }

  /** @param {string} url */
  #made(url) {
    const filename = fileURLToPath(url)
    const options = { ...TYPESCRIPT, filename, sourceMaps: true }
    const { map = '' } = transformSync(readFileSync(filename, 'utf8'), options)
    const path = join(this.#emptyFolder(), `${this.size}.map`)
    writeFileSync(path, map)
    return path
  }

  #emptyFolder() {
    if (this.#folder) return this.#folder
    const folder = mkdtempSync(join(tmpdir(), 'source-maps-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    this.#folder = folder
    return folder
  }
}

const sourceMaps = new SourceMaps()

module.exports = SharedRuntime
