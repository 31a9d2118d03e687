import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { NODE24 } from '../support/node24.ts'
import { type Block, PAGES } from './pages.ts'
import { missingFor } from './programs.ts'
import { runBlock } from './run-block.ts'
import { type Session, startSession } from './session.ts'
import { SESSIONS } from './sessions.ts'
import { FIRST_COMMAND, NOT_WALKED, walkSender } from './walk.ts'

/** Parts of the pages, so that their suites can run concurrently. */
const PARTS = {
  senders: (name: string) => name.startsWith('docs/senders/'),
  guides: (name: string) => name.startsWith('docs/guides/'),
  others: (name: string) => !PARTS.senders(name) && !PARTS.guides(name),
}

const rank = ({ language }: Block) => Number(language === 'yaml')

// CONTRIBUTING.md changes the repository itself; recipes.soak.test.ts runs its blocks on a copy.
const WITH_BLOCKS = PAGES.filter(
  ({ name, blocks }) => blocks.length > 0 && name !== 'CONTRIBUTING.md',
)

/** Milliseconds after which a block hangs. */
const TIME_OF_BLOCK = 180_000

/** Throws the fault of a block with its place. */
function told({ page, line, language }: Block) {
  return (cause: unknown): never => {
    throw new Error(`${page}:${line}: the block of ${language} does not work`, { cause })
  }
}

/** Whether the commands of a page need a database, and no Node on this machine has SQLite. */
function needsNewerNode({ name }: { readonly name: string }): boolean {
  return SESSIONS[name]?.hasSqlite === true && NODE24 === null
}

/** Runs every block of the pages of a part. */
export function testBlocks(part: keyof typeof PARTS): void {
  const pages = WITH_BLOCKS.filter(({ name }) => PARTS[part](name))
  describe.each(pages)('$name', (page) => {
    if (needsNewerNode(page)) {
      test.skip('its blocks, without Node 22.13 or newer', () => {})
      return
    }
    let session: Session
    beforeAll(async () => {
      const [, sender] = /^docs\/senders\/(.+)\.md$/.exec(page.name) ?? []
      const endpoint = `octo/repo/${sender}/webhook`
      const isOfSender = sender !== undefined && sender !== 'README'
      session = await startSession({ ...SESSIONS[page.name], ...(isOfSender && { endpoint }) })
    })
    afterAll(() => session.close())

    const isWalk = ({ text }: Block) => FIRST_COMMAND.test(text)
    const first = page.blocks.find(isWalk)
    const { [page.name.replace(/.*\/|\.md$/g, '')]: without } = NOT_WALKED
    const how = first && without ? `, ${without}` : ''

    // Workflows run last, because they need the events that the page's commands sent.
    const others = page.blocks.filter((block) => !isWalk(block))
    const blocks = others.toSorted((one, other) => rank(one) - rank(other))
    for (const { line, language, text } of blocks) {
      const missing = missingFor(text).map((one) => `, without ${one}`)
      if (missing.length > 0) test.skip(`line ${line}: ${language}${missing.join('')}`, () => {})
    }

    test(
      `its blocks work, one after the other${how}`,
      async () => {
        if (first) {
          await walkSender(first, page, session).catch(told(first))
          session.github.reset()
        }
        for (const block of blocks.filter(({ text }) => missingFor(text).length === 0)) {
          await runBlock(block, page, session).catch(told(block))
          expect(session.elsewhere.faults).toEqual([])
          expect(session.github.calls.flatMap(({ violations }) => violations)).toEqual([])
        }
      },
      TIME_OF_BLOCK * page.blocks.length,
    )
  })
}
