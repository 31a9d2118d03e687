import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import * as v from 'valibot'
import { parse } from 'yaml'
import { CONFIG_OPTIONS, configSchema } from '../../../src/triggers/config-options.ts'
import { dispatchEvent } from '../../support/action.ts'
import { itemsOf, runJob } from './scene.ts'

const text = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')
const [, recipes = ''] = text.split('\n## Recipes\n')

/** The first YAML block below a heading. */
function recipe(title: string): string {
  return recipes.split(`### ${title}\n`)[1]?.match(/```yaml\n([\s\S]*?)```/)?.[1] ?? ''
}

function webhook(title: string, headers: object, body: unknown, run = {}) {
  const payload = { path: 'hook/webhook', method: 'POST', headers, body: JSON.stringify(body) }
  return { ...dispatchEvent(payload), inputs: { on: recipe(title), ...run } }
}

test('every key has a line with words, and none is left over', () => {
  const rows = [...text.matchAll(/^- `(\w+)` \((?!\)|,)(.+?)\)\. (.{20,})$/gm)]
  expect(rows.map(([, key]) => key)).toEqual(Object.keys(CONFIG_OPTIONS))
})

describe('the recipe', () => {
  const titles = [...recipes.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title)

  test.each(titles)('"%s" has a config that is accepted', (title) => {
    const triggers: [string, { config: unknown }][] = Object.entries(parse(recipe(title)))
    expect(triggers).toHaveLength(1)
    for (const [, { config }] of triggers)
      expect(v.safeParse(configSchema, config).issues).toBeUndefined()
  })

  test.each([
    ['issues', 'opened', 1],
    ['issues', 'closed', 0],
    ['pull_request', 'opened', 0],
  ])('only opened issues: %s %s', async (event, action, count) => {
    const body = { action, issue: { title: 'T', html_url: 'https://x', body: 'long' } }
    const run = await runJob(webhook('Only opened issues', { 'X-GitHub-Event': event }, body))
    const outputs = { body: { issue: { title: 'T', html_url: 'https://x' } } }
    expect(itemsOf(run).length).toBe(count)
    if (count) expect(itemsOf(run)).toMatchObject([{ webhook: { outputs } }])
  })

  test.each([
    [{ lines: [{ price: 2 }, { price: 3 }] }, { outcome: 'success', outputs: { total: 5 } }],
    [{}, { outcome: 'failure', outputs: {} }],
  ])('a failure that jobs learn of: %j', async (body, webhookContext) => {
    const run = await runJob(webhook('A failure that jobs learn of', {}, body))
    expect(itemsOf(run)).toMatchObject([{ webhook: webhookContext }])
  })
})
