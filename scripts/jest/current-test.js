import async_hooks, { AsyncLocalStorage } from 'node:async_hooks'

// jest asks which test runs by an AsyncLocalStorage of each suite. Before Node 24 every storage that was
// ever used is told of every promise of its process, for good: that was a quarter of what the tests
// cost. Tests of a suite run one after the other here, so a plain field says the same.

/** What jest uses of an AsyncLocalStorage, for runs that do not overlap. */
class CurrentTest {
  /** @type {unknown} */
  #store

  getStore() {
    return this.#store
  }

  /**
   * @template T
   * @param {unknown} store
   * @param {() => Promise<T>} callback
   */
  async run(store, callback) {
    const outer = this.#store
    this.#store = store
    try {
      return await callback()
    } finally {
      this.#store = outer
    }
  }
}

/** Of others, as the driver of a browser: in use until their suite ended. */
const storages = new Set()

async_hooks.AsyncLocalStorage = new Proxy(AsyncLocalStorage, {
  construct(target, args) {
    if (!/[\\/]jest-circus[\\/]/.test(new Error('who asks').stack ?? '')) {
      const storage = Reflect.construct(target, args)
      storages.add(storage)
      return storage
    }
    for (const storage of storages) storage.disable()
    storages.clear()
    return new CurrentTest()
  },
})
