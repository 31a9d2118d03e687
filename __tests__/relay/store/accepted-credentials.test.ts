import { expect, test } from '@jest/globals'
import { AcceptedCredentials } from '../../../src/relay/store/accepted-credentials.ts'
import { memoryDatabase } from '../../support/memory-database.ts'

const DAY = 86_400_000

test('a queue is noted at most once a day, and known for 30 days', async () => {
  const database = await memoryDatabase()
  const { write } = database
  let writes = 0
  database.write = (statements) => {
    writes++
    return write(statements)
  }
  let now = 100 * DAY
  const report = (error: unknown) => expect(error).toBeUndefined()
  const open = () => new AcceptedCredentials(database, { now: () => now, report })
  const accepted = open()
  expect(await accepted.has('o/r#h')).toBe(false)
  for (let n = 0; n < 48; n++) {
    await accepted.note('o/r#h')
    now += DAY / 24
  }
  expect(writes).toBe(2)
  expect([await open().has('o/r#h'), await open().has('o/r#x')]).toEqual([true, false])
  now += 29 * DAY
  expect(await open().has('o/r#h')).toBe(true)
  now += 1
  expect(await open().has('o/r#h')).toBe(false)
  await accepted.note('o/other#h')
  expect(await database.read('SELECT name FROM accepted')).toEqual([{ name: 'o/other#h' }])
})
