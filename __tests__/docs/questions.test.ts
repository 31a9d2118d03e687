import { expect, test } from '@jest/globals'
import { PAGES } from './pages.ts'

/** Everyday questions: words of the heading, and what its section must say. */
const QUESTIONS: readonly (readonly [heading: string, answer: RegExp])[] = [
  ['field of the event in an `if`', /^- if: fromJSON\(steps\.hookline\.outputs\.on/m],
  ['not in the list', /`hmac`/],
  ['two repositories', /`--target`/],
  ['try a branch', /`hookline dev`[\s\S]*`--ref`/],
  ['receive files', /`file_id`/],
  ['debounce', /`--batch 600 --debounce 60`/],
  ['at an exact time', /cron service/],
  ['button in a chat', /`buttons: /],
  ['contain data from the run', /^No\b/m],
  ['test locally', /`hookline dev`/],
  ['Windows', /PowerShell/],
  ['red in my editor', /schema/],
  ['200, but nothing runs', /`hookline deliveries show <id>`/],
  ['ran twice', /drop duplicate events/],
  ['403', /Contents: Read and write/],
  ['Signature verification failed', /API key/],
  ['send it again', /`hookline deliveries replay <id>`/],
  ['GitHub is down', /72 hours/],
  ['stopped sending', /`--expect 2h`/],
  ['What does it cost', /one minute of your plan/],
  ['pay less, or nothing, in a private repository', /self-hosted runner/],
  ['exactly once', /at least once/],
  ['order of events', /`queue: max`/],
  ['limits', /256 KB/],
  ['GitHub Enterprise Server', /two variables/],
  ['Forgejo', /`workflow`/],
  ['license', /MIT license[\s\S]*issues/],
  ['hosted relay', /^No\b/m],
  ['Docker', /`docker compose up`/],
  ['permissions', /Actions: Read/],
  ['finder of a webhook URL', /one workflow/],
  ['monitor', /Prometheus/],
  ['rotate', /`hookline endpoint update`/],
  ['upgrade', /Dependabot/],
  ['uninstall', /`hookline endpoint delete <name>`/],
]

const textOf = (name: string) => PAGES.find((page) => page.name === name)?.text ?? ''
const SECTIONS = textOf('docs/faq.md')
  .split(/^### /m)
  .slice(1)
  .map((section) => section.split(/^(?:## |---)/m)[0] ?? '')

test('README.md links the page of questions and answers', () => {
  expect(textOf('README.md')).toContain('](docs/faq.md)')
})

test.each(QUESTIONS)('"%s" has one heading, and below it an answer', (heading, answer) => {
  const found = SECTIONS.filter((section) => section.split('\n')[0]?.includes(heading))
  expect(found).toEqual([expect.stringMatching(answer)])
})

test('no answer only names another page', () => {
  const empty = SECTIONS.filter((section) => /^.*\n\nSee \[/.test(section))
  expect(empty).toEqual([])
  expect(SECTIONS).toHaveLength(QUESTIONS.length)
})

test('README.md itself says what it costs, and names license and support', () => {
  expect(textOf('README.md')).toMatch(/^## What it costs$[\s\S]*minute of your plan/m)
  expect(textOf('README.md')).toMatch(
    /^## License, support, security$[\s\S]*MIT license[\s\S]*issues/m,
  )
})
