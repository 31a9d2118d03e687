import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { summaryHtml } from '../../src/action/summary.ts'
import { NOTHING } from '../../src/engine/evaluation.ts'
import { fire } from './step.ts'

describe('R42: the job summary is text, whatever comes', () => {
  const MARKUP = '<script>alert(1)</script><img src=x onerror=y> | "q" \'a\' `c` &amp;\n\n# h\n'

  /** Tags of the summary's own making. */
  const TAGS = /<\/?(h3|p|b|code|table|tr|th|td)>/g

  test('any text in any place of it', () => {
    const part = fc.oneof(
      fc.constantFrom('<', '>', '&', '"', "'", '|', '`', '\n', '\r\n', '<!--', ']]>'),
      fc.string(),
    )
    const texts = fc.array(part).map((parts) => parts.join(''))
    const property = fc.property(texts, (at) => {
      const decisions = [{ trigger: at, fired: false, reason: at, checks: [] }]
      const evaluation = {
        ...NOTHING,
        workflow: at,
        trigger: at,
        decisions,
        reason: at,
        delivery: at,
        warnings: [at],
      }
      for (const items of [[], [{}]]) {
        const html = summaryHtml({ ...evaluation, items }).replace(TAGS, '')
        expect(html).not.toMatch(/[<>"'|`]|&(?!#\d+;)/)
        expect(html.split('\n').length).toBeLessThan(12)
      }
    })
    fc.assert(property, { numRuns: 1000 })
  })

  test('a delivery id, a name and a pattern of markup', async () => {
    const sent = { path: `${MARKUP}/${MARKUP}`, headers: { 'x-hookline-delivery': MARKUP } }
    const other = await fire('webhook', sent)
    const on = JSON.stringify({ webhook: { path: '/<b>|<i>' } })
    const pattern = await fire(on, { ...sent, path: 'hook/webhook/x' })
    for (const { summary, exitCode } of [other, pattern]) {
      expect(exitCode).toBe(0)
      expect(summary).toContain('&#60;script&#62;')
      expect(summary.replace(TAGS, '')).not.toMatch(/[<>|]/)
    }
  })
})
