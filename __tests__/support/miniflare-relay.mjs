// Runs the relay's worker on miniflare, as a child process of `support/miniflare.ts`.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'

/**
 * A question of the test about the bucket, with at most one of its fields but `content`, which is base64.
 *
 * @typedef {{ get?: string, put?: string, content?: string, delete?: string }} Question
 */

const [options] = await once(process, 'message')
const { Miniflare } = await import(pathToFileURL(process.env.HOOKLINE_MINIFLARE ?? '').href)

const { modules, ...rest } = options
/** @param {{ path: string, file: string }} module */
const read = async ({ path, file }) => ({
  type: 'ESModule',
  path,
  contents: await readFile(file, 'utf8'),
})
const miniflare = new Miniflare({ ...rest, modules: await Promise.all(modules.map(read)) })
const { href } = await miniflare.ready

const end = async () => {
  await miniflare.dispose()
  process.exit()
}
process.on('SIGTERM', end)
process.on('disconnect', end)
process.on('message', async (/** @type {Question} */ question) => {
  process.send?.(await answered(question))
})
process.send?.({ url: href.replace(/\/$/, ''), pid: await workerdPid() })

/** @param {Question} question */
async function answered({ get, put, content = '', delete: removed }) {
  const bucket = await miniflare.getR2Bucket('HOOKLINE_BODIES')
  if (get) {
    const found = await bucket.get(get)
    return Buffer.from(await found.arrayBuffer()).toString('base64')
  }
  if (put) await bucket.put(put, Buffer.from(content, 'base64'))
  if (removed) await bucket.delete(removed)
  const { objects } = await bucket.list()
  return objects.map((/** @type {{ key: string }} */ { key }) => key)
}

/** The process of workerd, where the system tells; otherwise 0. */
async function workerdPid() {
  const children = `/proc/${process.pid}/task/${process.pid}/children`
  return Number.parseInt(await readFile(children, 'utf8').catch(() => ''), 10) || 0
}
