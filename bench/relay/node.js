// The relay on Node as it is released; its log goes to a pipe, as for a service.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compiled } from './compiled.js'

/** @type {import('../../src/relay/node/start.ts')} */
const { startRelay } = await compiled('relay/node/start.js')

/** @type {import('../../src/relay/node/data-folder.ts')} */
const { dataFolder } = await compiled('relay/node/data-folder.js')

const { DATA_FOLDER: data, ...env } = process.env
const folder = data === undefined ? undefined : dataFolder({ data, env: {} })
// More events than a relay stores: nothing but the disk decides.
const figures = { MAX_EVENTS: 9_999_999 }
const relay = await startRelay({ host: '127.0.0.1', port: 0, env, folder, figures })
process.send?.({ url: relay.url })
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
process.on('message', () => {
  // Memory that is not collected yet is no leak.
  if (process.env.COLLECT_GARBAGE) collectGarbage()
  process.send?.({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() })
})
process.on('disconnect', () => process.exit())
process.once('SIGTERM', () => relay.close().then(() => process.exit()))
