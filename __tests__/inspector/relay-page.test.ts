import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Browser, Page, Response, Route } from 'playwright-core'
import { launch } from '../../scripts/chromium.js'
import { type AdminStandIn, standInDelivery, startAdminStandIn } from '../support/admin-stand-in.ts'
import { axe, expectNone, overflow } from '../support/axe.ts'
import { CHROMIUM, copied, live, rows } from '../support/browser.ts'
import { RunningCommand } from '../support/cli.ts'
import { startDev } from '../support/dev.ts'
import { detail } from '../support/inspector.ts'
import { ADMIN_BEARER, RELAY_KEY } from '../support/relay-keys.ts'

const inBrowser = CHROMIUM ? describe : describe.skip

const NATIVE = `
on: { repository_dispatch: { types: [webhook] } }
jobs:
  on:
    outputs: { on: "\${{ steps.hookline.outputs.on }}" }
    steps:
      - { id: hookline, uses: hookline/hookline@v1, with: { on: webhook } }
  ship: { needs: on }
`

const HOSTILE = '<img src=x onerror="window.hit=1">'

const STAGES = [
  { stage: 'received', state: 'ok', at: '2026-01-02T00:00:00.000Z', found: 'POST orders/webhook' },
  {
    stage: 'verified',
    state: 'failed',
    at: '2026-01-02T00:00:00.000Z',
    found: 'the signature is not valid',
    wanted: 'a request that stripe verifies',
    cure: 'Store the secret: hookline endpoint update octo/orders --secret-env KEY, then: hookline doctor',
  },
]

inBrowser('the page of a relay', () => {
  let browser: Browser
  let page: Page
  let relay: AdminStandIn
  let folder: string
  let command: RunningCommand | undefined
  beforeAll(async () => {
    browser = await launch(CHROMIUM ?? '')
    relay = await startAdminStandIn()
    folder = await mkdtemp(join(tmpdir(), 'hookline-open-'))
    await mkdir(join(folder, '.github/workflows'), { recursive: true })
    await writeFile(join(folder, '.github/workflows/orders.yml'), NATIVE)
  })
  beforeEach(async () => {
    const permissions = ['clipboard-read', 'clipboard-write']
    const context = await browser.newContext({ permissions, reducedMotion: 'reduce' })
    page = await context.newPage()
    page.setDefaultTimeout(60_000)
    relay.deliveries = []
    relay.details.clear()
    relay.calls.length = 0
    relay.replayed.length = 0
    relay.fails = undefined
  })
  afterEach(async () => {
    await page.context().close()
    await command?.stop()
  })
  afterAll(async () => {
    await browser.close()
    await relay.close()
    await rm(folder, { recursive: true })
  })

  async function open(dev?: string): Promise<string> {
    command = new RunningCommand(['deliveries', '--open', '--relay', relay.url], {
      cwd: folder,
      env: { HOOKLINE_RELAY_KEY: RELAY_KEY, ...(dev && { PORT: new URL(dev).port }) },
    })
    const [, address = ''] = await command.printed(/^Inspector of \S+: (http:\S+)\n/)
    await page.goto(address)
    await live(page)
    return address
  }

  /** What was copied, as soon as it matches. */
  async function copies(pattern: RegExp): Promise<string> {
    for (;;) {
      const text = await copied(page)
      if (pattern.test(text)) return text
      await page.waitForTimeout(20)
    }
  }

  const request = () => page.locator('#detail')
  const listOf = (...numbers: readonly number[]) => numbers.map((number) => standInDelivery(number))

  test('lists deliveries newest first, and shows new ones and their changes', async () => {
    relay.deliveries = [standInDelivery(2, { outcome: 'running' }), standInDelivery(1)]
    await open()
    await rows(page).nth(1).waitFor()
    expect(await rows(page).locator('.path').allInnerTexts()).toEqual([
      'orders/webhook/2',
      'orders/webhook/1',
    ])
    await rows(page).first().getByText('running').waitFor()
    // The result of the run stands beside the state.
    relay.deliveries = [
      standInDelivery(3),
      standInDelivery(2, { outcome: 'failure' }),
      standInDelivery(1),
    ]
    await rows(page).nth(1).locator('.jobs-result.bad').getByText('failure').waitFor()
    await request().getByText('orders/webhook/3').first().waitFor()
    relay.deliveries = listOf(3)
    await rows(page).getByText('orders/webhook/1').waitFor({ state: 'detached' })
  })

  test('explains each stage with its cure, and shows a failed signature in red', async () => {
    const refused = standInDelivery(1, {
      state: 'refused',
      reason: 'invalid_signature',
      outcome: null,
    })
    relay.deliveries = [refused]
    const stored = {
      ...{ method: 'POST', path: 'orders/webhook', query: '', body: '{"order"', isCut: true },
      headers: { 'content-type': null },
    }
    relay.details.set(refused.id, { request: stored, stages: STAGES })
    await open()
    const stages = page.getByRole('region', { name: 'Explanation' })
    await stages.getByText('a request that stripe verifies').waitFor()
    await stages.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('Copied the cure').waitFor()
    expect(await copied(page)).toBe(
      `hookline endpoint update octo/orders --relay ${relay.url} --secret-env KEY && hookline doctor`,
    )
    const color = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`)
    // The red of a fault.
    expect(await color('#rows .outcome')).toBe('rgb(179, 38, 30)')
    expect(await color('.stage.failed .stage-state')).toBe('rgb(179, 38, 30)')
    // A refused request has no payload to send.
    expect(await page.getByRole('button', { name: 'Replay', exact: false }).count()).toBe(0)
    expect(await page.getByRole('checkbox').first().isDisabled()).toBe(true)
    await page.getByText('the beginning of the body of a refused request').waitFor()
  })

  test('filters by endpoint, state and outcome, and says if nothing matches', async () => {
    relay.deliveries = [
      standInDelivery(4, { endpoint: 'stock' }),
      standInDelivery(3, { state: 'dead', outcome: null, reason: 'too_old' }),
      standInDelivery(2, { outcome: 'nothing_fired', outcomeReason: 'filter: 1 is not 2' }),
      standInDelivery(1),
    ]
    await open()
    const choose = (name: string, value: string) =>
      page.getByRole('combobox', { name, exact: true }).selectOption(value)
    await choose('Endpoint', 'octo/stock')
    await page.getByText('1 of 4 deliveries').waitFor()
    await choose('State', 'dead')
    await page.getByText('0 of 4 deliveries').waitFor()
    await page.locator('.unmatched').getByText('No delivery matches the filter.').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await choose('Outcome of the run', 'nothing_fired')
    await rows(page).getByText('filter: 1 is not 2').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('searchbox').fill('orders/webhook/1')
    await page.getByText('0 of 4 deliveries').waitFor()
  })

  test('replays a selection, and asks with its number first', async () => {
    relay.deliveries = [
      standInDelivery(30, { state: 'refused', outcome: null }),
      ...Array.from({ length: 29 }, (_, at) =>
        standInDelivery(29 - at, { state: 'dead', outcome: null, reason: 'too_old' }),
      ),
    ]
    await open()
    await rows(page).first().waitFor()
    await page.keyboard.press('a')
    await page.getByRole('button', { name: 'Replay 29 deliveries…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay 29 deliveries?' })
    await dialog.waitFor()
    expect(relay.replayed).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.keyboard.press('r')
    await dialog.getByRole('button', { name: 'Replay 29' }).click()
    await page.getByText('29 deliveries replayed').waitFor()
    expect(new Set(relay.replayed).size).toBe(29)
    expect(relay.replayed).toHaveLength(29)
    // One, which GitHub accepted already.
    relay.deliveries = [standInDelivery(31), ...relay.deliveries]
    await request().getByText('orders/webhook/31').first().waitFor()
    await page.getByRole('button', { name: 'Replay r' }).click()
    const one = page.getByRole('dialog', { name: 'Replay 1 delivery?' })
    await one.getByText('GitHub accepted the event already').waitFor()
    await one.getByRole('button', { name: 'Replay 1' }).click()
    await page.getByText('1 delivery replayed').waitFor()
    expect(relay.replayed.at(-1)).toBe(standInDelivery(31).id)
  })

  test('a click on a value copies the form that fits the workflow file, also for a later job', async () => {
    relay.deliveries = listOf(1)
    await open()
    await page.getByRole('button', { name: 'id: 7', exact: true }).click()
    await page.getByText('Copied the expression').waitFor()
    expect(await copied(page)).toBe(
      "${{ fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.order.id }}",
    )
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'id: 7', exact: true }).click()
    await expect(copies(/needs/)).resolves.toBe(
      "${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.order.id }}",
    )
  })

  test('an event that arrives never takes the selection away, and Escape follows the newest again', async () => {
    relay.deliveries = listOf(2, 1)
    await open()
    await request().getByRole('heading', { name: 'orders/webhook/2' }).waitFor()
    // A pointer in the request is enough.
    await request().locator('.headers dd').first().click()
    relay.deliveries = listOf(3, 2, 1)
    await page.getByRole('button', { name: '1 newer' }).waitFor()
    await request().getByRole('heading', { name: 'orders/webhook/2' }).waitFor()
    await page.keyboard.press('Escape')
    await request().getByRole('heading', { name: 'orders/webhook/3' }).waitFor()
    relay.deliveries = listOf(4, 3, 2, 1)
    await request().getByRole('heading', { name: 'orders/webhook/4' }).waitFor()
  })

  test('opens a request in a running dev, signed again with the secret of .env', async () => {
    const files = {
      '.env': 'KEY=whsec_c2VjcmV0LW9mLXRoZS10ZXN0',
      'workflows/signed.yml':
        'on: { webhook: { verify: { scheme: stripe, secret: "${{ secrets.KEY }}" } } }',
    }
    const dev = await startDev({ files })
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, 'workflows'), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    relay.deliveries = [standInDelivery(1, { path: 'signed/webhook' })]
    await open(dev.url)
    await page.getByRole('button', { name: 'Open in dev' }).click()
    await page.getByText(`Sent to ${dev.url}, response 200`).waitFor()
    expect(await detail(dev.url, 1)).toMatchObject({ outcome: 'fired', path: 'signed/webhook' })
    await command?.stop()
    // Something else at this address would get a private payload.
    relay.calls.length = 0
    await open(relay.url)
    await page.getByRole('button', { name: 'Open in dev' }).click()
    await page.getByText('is not hookline dev').waitFor()
    expect(relay.calls.filter((call) => call.includes('/webhook/'))).toEqual([])
    await dev.stop()
  })

  test('shows why the relay does not answer, and goes on when it does', async () => {
    relay.deliveries = listOf(1)
    await open()
    await rows(page).first().waitFor()
    relay.fails = 503
    await page.locator('#connection').getByText('the disk fails').waitFor()
    await rows(page).first().waitFor()
    relay.fails = undefined
    relay.deliveries = listOf(2, 1)
    await live(page)
    await rows(page).getByText('orders/webhook/2').waitFor()
  })

  test('10,000 deliveries scroll without a stutter', async () => {
    relay.deliveries = Array.from({ length: 12_000 }, (_, at) => standInDelivery(12_000 - at))
    await open()
    await page.getByText('The newest 10,000 deliveries').waitFor()
    expect(await rows(page).count()).toBeLessThan(60)
    const session = await page.context().newCDPSession(page)
    // Time of the processor, because a busy machine lengthens every frame.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const busy = async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
    }
    const started = await busy()
    // The whole list passes, in steps of more than a screen.
    const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
      const rows = document.getElementById('rows')
      const frames = []
      let before = performance.now()
      const step = (now) => {
        frames.push(now - before)
        before = now
        if (frames.length > 120) return resolve(frames.slice(1))
        rows.scrollTop = frames.length * rows.scrollHeight / 120
        requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
    })`)
    const perFrame = ((await busy()) - started) / frames.length
    await page.locator('#rows li[aria-posinset="10000"]').waitFor()
    // The list that is read stays in its place while others arrive.
    await page.evaluate("document.getElementById('rows').scrollTop = 200_000")
    const place = () =>
      page.evaluate(`(() => {
        const top = document.getElementById('rows').getBoundingClientRect().top
        const line = [...document.querySelectorAll('#rows li')].find(
          (one) => one.getBoundingClientRect().bottom > top + 1)
        return line.dataset.id + ' ' + Math.round(line.getBoundingClientRect().top - top)
      })()`)
    await page.locator('#rows li[aria-posinset="3190"]').waitFor({ state: 'attached' })
    await page.waitForTimeout(500)
    const before = await place()
    const still = await busy()
    relay.deliveries = [standInDelivery(12_001), ...relay.deliveries]
    await page.waitForTimeout(3000)
    expect(await place()).toBe(before)
    const perArrival = (await busy()) - still
    const median = frames.toSorted((one, other) => one - other)[60] ?? 0
    const figures = [median, perFrame, perArrival].map(Math.round)
    process.stderr.write(
      `10,000 deliveries: frame, work of a frame, of an arrival: ${figures} ms\n`,
    )
    expect(perFrame).toBeLessThan(200)
    expect(perArrival).toBeLessThan(2000)
    await page.keyboard.press('Escape')
    await rows(page).first().getByText('orders/webhook/12001').waitFor()
  })

  test('is usable by the keyboard alone', async () => {
    // The page is not live before it knows that its source is a relay, which has keys of its own.
    const ofDev = page.locator('#composer, button:has-text("New request")')
    const foundEarly: number[] = []
    const slowly = async (route: Route) => {
      await page.waitForTimeout(300)
      await page.keyboard.press('n')
      foundEarly.push(await ofDev.count())
      await route.continue()
    }
    await page.route('**/inspector/run', slowly, { times: 1 })
    relay.deliveries = Array.from({ length: 200 }, (_, at) => standInDelivery(200 - at))
    await open()
    expect(foundEarly).toEqual([0])
    await rows(page).first().waitFor()
    for (const key of ['j', 'j', 'm', 'j', 'm']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Replay 2 deliveries…' }).waitFor()
    await page.keyboard.press('r')
    const dialog = page.getByRole('dialog', { name: 'Replay 2 deliveries?' })
    await dialog.waitFor()
    // Keys of the page have no effect in it.
    await page.keyboard.press('a')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('2 deliveries replayed').waitFor()
    expect(relay.replayed).toEqual([standInDelivery(198).id, standInDelivery(197).id])
    for (let at = 0; at < 60; at++) await page.keyboard.press('j')
    const line = page.locator('#rows [aria-current]')
    await line.waitFor()
    await line.getByText('orders/webhook/137').waitFor()
    expect(
      await page.evaluate(
        "document.querySelector('#rows [aria-current]').getBoundingClientRect().bottom <= innerHeight",
      ),
    ).toBe(true)
  })

  test('axe finds nothing, in light, dark and on a screen of 375 px', async () => {
    const refused = standInDelivery(3, {
      state: 'refused',
      reason: 'invalid_signature',
      outcome: null,
    })
    relay.deliveries = [
      refused,
      standInDelivery(2, { state: 'waiting', reason: 'rate_limited', outcome: null }),
      standInDelivery(1, { outcome: 'failure' }),
    ]
    relay.details.set(refused.id, { stages: STAGES })
    await open()
    await page.getByRole('region', { name: 'Explanation' }).waitFor()
    await page.evaluate(axe)
    await expectNone(page)
    await page.keyboard.press('j')
    await page.keyboard.press('m')
    await page.getByRole('button', { name: 'id: 7', exact: true }).click()
    await expectNone(page)
    await page.keyboard.press('r')
    await page.getByRole('dialog', { name: 'Replay 1 delivery?' }).waitFor()
    await expectNone(page)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 375, height: 720 })
    await expectNone(page)
    expect(await overflow(page)).toBe(0)
    await page.getByRole('link', { name: 'All deliveries' }).click()
    await rows(page).first().waitFor()
    await expectNone(page)
    expect(await overflow(page)).toBe(0)
  })

  test('the key of the relay reaches neither the page nor an address, and no HTML of a relay is run', async () => {
    const hostile = standInDelivery(1, {
      ...{ path: HOSTILE, reason: HOSTILE, state: 'dead', outcome: HOSTILE, endpoint: HOSTILE },
    })
    relay.deliveries = [hostile]
    const link = (found: string) => ({ stage: found, state: 'ok', found })
    const run = 'https://github.com/octo/shop/actions/runs/7'
    const stage = {
      stage: HOSTILE,
      state: 'failed',
      found: HOSTILE,
      wanted: HOSTILE,
      cure: HOSTILE,
    }
    relay.details.set(hostile.id, {
      stages: [link('javascript:window.hit=1'), link(run), stage],
    })
    const answers: Promise<string>[] = []
    const textOf = async (response: Response) => {
      const type = response.headers()['content-type'] ?? ''
      const body = /event-stream/.test(type) ? '' : await response.text().catch(() => '')
      return `${response.url()} ${JSON.stringify(response.headers())} ${body}`
    }
    page.on('response', (response) => answers.push(textOf(response)))
    await open()
    await page.getByRole('region', { name: 'Explanation' }).getByText(HOSTILE).first().waitFor()
    await page.reload()
    await live(page)
    await page.getByRole('region', { name: 'Explanation' }).getByText(HOSTILE).first().waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.locator('#app img, #app a[href^="javascript"]').count()).toBe(0)
    expect(await page.getByRole('link', { name: run }).getAttribute('href')).toBe(run)
    const texts = await Promise.all(answers)
    const all = [...texts, await page.content(), command?.stdout, command?.stderr].join('\n')
    expect(texts.length).toBeGreaterThan(5)
    for (const secret of [RELAY_KEY, ADMIN_BEARER]) expect(all).not.toContain(secret)
  })
})
