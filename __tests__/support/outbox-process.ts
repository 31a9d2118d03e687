// An outbox in a file, in a process of its own: calls come as lines of JSON, and so do the answers.
import { createInterface } from 'node:readline'
import { openOutboxFile } from '../../src/relay/outbox/sqlite.ts'

const { outbox, close } = await openOutboxFile(process.argv[2] ?? '')
process.stdout.write('{"ready":true}\n')
const lines = createInterface(process.stdin)
lines.on('line', async (line) => {
  const { id, method, given } = JSON.parse(line)
  const call = Object.entries(outbox).find(([name]) => name === method)?.[1]
  try {
    const result = await Reflect.apply(call, outbox, given)
    process.stdout.write(`${JSON.stringify({ id, result: result ?? null })}\n`)
  } catch (error) {
    const { name } = error instanceof Error ? error : { name: 'unknown' }
    process.stdout.write(`${JSON.stringify({ id, error: name })}\n`)
  }
})
lines.on('close', () => void close())
