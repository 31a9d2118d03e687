import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { launch } from '../../scripts/chromium.js'
import type { Detail, Summary, Welcome } from '../../src/inspector/api.ts'
import {
  type InspectorAnswer,
  inspectorJson,
  inspectorPath,
  inspectorServer,
  listChanged,
  type StreamedEvent,
} from '../../src/inspector/server.ts'
import { UserError } from '../../src/wire/errors.ts'
import { CHROMIUM, live } from './browser.ts'
import { startDev } from './dev.ts'
import { ask } from './inspector.ts'

const KEY = 'key-of-this-stage'

/** The page as it is built, with data that a test writes, in place of a run of `dev` or a relay. */
export interface InspectorStage {
  readonly page: Page
  /** `http://localhost:<port>` */
  readonly base: string
  /** The responses to orders, by action: one for all, or a list; an order without a response fails. */
  readonly answers: Map<string, object | Error>
  /** Action and order of each order. */
  readonly orders: (readonly [string, unknown])[]
  /** Ids for which details cannot be had, with the reason. */
  readonly faults: Map<string, string>
  /** Ids that the server finds by a filter. */
  found: readonly string[]
  /** Opens the page with these events, the newest first. */
  open(welcome: Partial<Welcome>, details: readonly Detail[], id?: string): Promise<void>
  /** Adds or changes events. */
  add(details: readonly Detail[], gone?: readonly string[]): void
  /** Changes the data that the page loads at the start. */
  change(welcome: Partial<Welcome>): void
  close(): Promise<void>
}

export async function openInspectorStage(): Promise<InspectorStage> {
  const files = await builtFiles()
  const details = new Map<string, Detail>()
  let welcome: Welcome = NOTHING
  let send: (event: StreamedEvent) => void = () => {}
  const act = (action: string) => async (body: string) => {
    stage.orders.push([action, JSON.parse(body)])
    const given = stage.answers.get(action)
    const answer = (Array.isArray(given) ? given.shift() : given) ?? NO_ANSWER
    if (answer instanceof Error) throw answer
    return inspectorJson(answer)
  }
  const inspector = inspectorServer(
    {
      ...{ command: 'hookline test', files, key: KEY, run: 'r' },
      welcome: () => welcome,
      summaries: () => [...details.values()].map(summaryOf),
      listen(listener) {
        send = listener
        return () => {}
      },
      async find(id) {
        const fault = stage.faults.get(id)
        if (fault !== undefined) throw new UserError({ message: fault })
        const detail = details.get(id)
        return detail && JSON.stringify(detail)
      },
      search: () => stage.found,
      actions: new Map<string, (body: string) => Promise<InspectorAnswer>>(
        ['replay', 'open'].map((action) => [action, act(action)]),
      ),
    },
    (error) => process.stderr.write(`${error}\n`),
  )
  const server = createServer((request, response) => {
    if (!inspector.route(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const base = `http://localhost:${(server.address() as AddressInfo).port}` // it listens on a port
  const browser: Browser = await launch(CHROMIUM ?? '')
  const context = await browser.newContext({
    ...{ permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce' },
    ...{ locale: 'en-US', timezoneId: 'UTC' },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  // The day of the events that are shown with their time alone.
  await page.clock.setFixedTime(new Date('2026-01-03T12:00:00Z'))
  await page.goto(base + inspectorPath(KEY))
  await live(page)
  const stage: InspectorStage = {
    ...{ page, base, answers: new Map(), orders: [], faults: new Map(), found: [] },
    async open(facts, all, id = '') {
      await page.setViewportSize({ width: 1280, height: 720 })
      welcome = { ...NOTHING, ...facts }
      details.clear()
      for (const detail of all.toReversed()) details.set(detail.id, detail)
      await page.evaluate('localStorage.clear()')
      await page.goto('about:blank')
      await page.goto(`${base}/inspector/${id && `#${id}`}`)
      await live(page)
      if (id === '' && all.length > 0) {
        await page.locator('#detail h2').waitFor({ state: 'attached' })
      }
    },
    add(all, gone = []) {
      for (const detail of all) details.set(detail.id, detail)
      for (const id of gone) details.delete(id)
      send(listChanged({ summaries: all.map(summaryOf), gone }))
    },
    change(facts) {
      welcome = { ...NOTHING, ...facts }
      send({ name: 'changed', data: '{}' })
    },
    async close() {
      await browser.close()
      inspector.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
  return stage
}

const NO_ANSWER = new UserError({ message: 'no answer' })

const NOTHING: Welcome = { triggers: [], polled: [], polling: false, problems: [], relay: null }

/** The files of the page, which only a bundle has. */
async function builtFiles(): Promise<ReadonlyMap<string, string>> {
  const dev = await startDev({ files: {} })
  const get = async (name: string) => (await ask(dev.url, `/inspector/${name}`)).body
  const index = await get('')
  const names = [...index.matchAll(/(?:src|href)="\/inspector\/([^"]+)"/g)].map(
    ([, name = '']) => name,
  )
  const files = new Map([['index.html', index]])
  for (const name of names) files.set(name, await get(name))
  await dev.stop()
  return files
}

function summaryOf(detail: Detail): Summary {
  const { id, number, time, origin, delivery, method, path, workflow, trigger, event } = detail
  const { outcome, count, reason, milliseconds, jobsResult, relay } = detail
  const named = { id, number, time, origin, delivery, method, path, workflow, trigger, event }
  return { ...named, outcome, count, reason, milliseconds, jobsResult, relay }
}
