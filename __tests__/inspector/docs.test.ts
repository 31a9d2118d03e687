import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { offers, onExpression } from '../../src/inspector/page/expression.ts'
import { fixtureName, fixtureText } from '../../src/inspector/page/request-text.ts'
import { BOUNDS } from '../../src/inspector/recorder.ts'
import { type Dev, startDev } from '../support/dev.ts'

const page = readFileSync(new URL('../../docs/reference/inspector.md', import.meta.url), 'utf8')

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? ''
}

describe('docs/reference/inspector.md', () => {
  test('names the expressions that are offered', () => {
    const issue = { title: 'it breaks' }
    const shared = { trigger: 'webhook', item: 0, fields: ['body'] }
    const title = { ...shared, path: ['body', 'issue', 'title'], value: issue.title }
    const job = { file: 'w.yml', job: 'on', step: { id: 'hookline' } }
    const outputs = { on: '${{ steps.hookline.outputs.on }}' }
    const all = offers(title, [
      { kind: 'source', file: 'w.yml' },
      { kind: 'steps', ...job },
      { kind: 'needs', ...job, reader: 'later', outputs },
      { kind: 'matrix', file: 'w.yml', reader: 'each', name: 'on' },
    ])
    for (const { expression } of all) expect(page).toContain(`\`${expression}\``)
    const whole = { ...shared, path: ['body', 'issue'], value: issue }
    expect(page).toContain(`\`${onExpression(whole)}\``)
  })

  test('shows a fixture as it is saved', async () => {
    const fixture = JSON.parse(block('json'))
    const saved = JSON.parse(fixtureText({ ...fixture, encoding: 'text' }))
    expect(saved).toEqual(fixture)
    expect(fixtureName({ ...fixture, encoding: 'text' })).toBe('post-hook-webhook-issues-128.json')
    const dev: Dev = await startDev({ files: { 'workflows/hook.yml': 'on: webhook' } })
    const { method, path, headers, body } = fixture
    await fetch(dev.hook(path), { method, headers, body })
    await dev.command.printed(/outputs\.body = \{"action":"opened"\}/)
    await dev.stop()
  })

  test('says how much is kept', () => {
    expect(page).toContain(`the last ${BOUNDS.requests} requests, and ${BOUNDS.bytes / 2 ** 20} MB`)
  })

  test('names every key of the page', () => {
    const sources = ['main', 'detail'].map((name) =>
      readFileSync(new URL(`../../src/inspector/page/${name}.tsx`, import.meta.url), 'utf8'),
    )
    const keys = [...sources.join('\n').matchAll(/keys: \['([^']+)'|^ {2}(\w): \{$/gm)].map(
      ([, key, action]) => key ?? action ?? '',
    )
    expect(keys.length).toBeGreaterThan(14)
    const shown = (key: string) => `\`${key === 'Escape' ? 'Esc' : key}\``
    expect(keys.filter((key) => !page.includes(shown(key)))).toEqual([])
  })

  test('shows pictures that are there', () => {
    const pictures = [...page.matchAll(/!\[[^\]]+\]\((\.\.\/images\/[^)]+)\)/g)].map(
      ([, path]) => path,
    )
    expect(pictures).toHaveLength(4)
    for (const path of pictures) {
      const bytes = readFileSync(new URL(`../../docs/reference/${path}`, import.meta.url))
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    }
  })
})
