/**
 * An environment of jest that is the process itself: its suites share a world, and each gives back what
 * it changed there. In a world of its own (node:vm) a suite pays for each module again, and for every
 * use of a global.
 */
export default class SharedEnvironment {
  global = globalThis
  fakeTimers = null
  fakeTimersModern = null
  #globals = Object.entries(Object.getOwnPropertyDescriptors(globalThis))
  #env = { ...process.env }
  #exit = process.exit

  getVmContext() {
    return null
  }

  async setup() {}

  async teardown() {
    const names = new Set(this.#globals.map(([name]) => name))
    for (const name of Object.getOwnPropertyNames(globalThis))
      if (!names.has(name)) Reflect.deleteProperty(globalThis, name)
    for (const [name, descriptor] of this.#globals)
      Object.defineProperty(globalThis, name, descriptor)
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name]
    Object.assign(process.env, this.#env)
    process.exit = this.#exit
  }
}
