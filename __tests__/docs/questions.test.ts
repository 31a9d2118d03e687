import { expect, test } from '@jest/globals'
import { PAGES, prose } from './pages.ts'

/**
 * Questions of new users: a word of the question in README.md's link, the page behind the link, and
 * the heading or sentence that answers the question.
 */
const QUESTIONS: readonly (readonly [
  question: string,
  link: string,
  page: string,
  answer: RegExp,
])[] = [
  [
    'Signature verification failed',
    'troubleshooting',
    'docs/troubleshooting.md',
    /^## Signature verification failed$/m,
  ],
  [
    'My webhook returns 403',
    'frequently asked questions',
    'docs/faq.md',
    /^## My webhook returns 403/m,
  ],
  [
    'Does it work with GitHub Enterprise Server?',
    'GitHub Enterprise',
    'docs/host/github-enterprise.md',
    /^# GitHub Enterprise Server/m,
  ],
  ['Does it work with Forgejo?', 'Forgejo', 'docs/host/forgejo-gitea.md', /^# Forgejo and Gitea$/m],
  [
    'How do I receive files, from a form or a bot?',
    'receive files',
    'docs/guides/receive-files.md',
    /^## From a form$[\s\S]*^## From a bot$/m,
  ],
  [
    'How do I stop or uninstall it?',
    'uninstall',
    'docs/guides/uninstall.md',
    /^# Stop and uninstall$/m,
  ],
  [
    'How do I rotate a secret?',
    'rotate secrets',
    'docs/guides/rotate-secrets.md',
    /^# Rotate secrets$/m,
  ],
  ['How do I upgrade the action?', 'upgrade', 'docs/guides/upgrade.md', /upgrade the action$/m],
  ['How do I upgrade a relay?', 'upgrade', 'docs/host/upgrade.md', /^# Upgrade a relay$/m],
  [
    'Is an event delivered exactly once?',
    'an event can arrive twice',
    'docs/learn/delivery-guarantees.md',
    /^## At least once, not exactly once$/m,
  ],
  [
    'How do I drop duplicates?',
    'drop duplicates',
    'docs/guides/duplicates-and-batches.md',
    /shouldDeduplicate: true/,
  ],
  [
    'How do I use a field of the event in an if?',
    'use event data',
    'docs/guides/use-event-data.md',
    /^- if: fromJSON|^ {6}- if: fromJSON/m,
  ],
  ['How do I run it with Docker?', 'Docker', 'docs/host/docker.md', /^# Run a relay with Docker$/m],
  [
    'Does it work on Windows?',
    'frequently asked questions',
    'docs/faq.md',
    /^## Does it work on Windows\?$[\s\S]*PowerShell/m,
  ],
  ['How do I monitor it?', 'monitoring', 'docs/host/monitoring.md', /^# .*[Mm]onitor/m],
  [
    'How do I test locally?',
    'test locally',
    'docs/guides/test-locally.md',
    /^# Test a workflow locally$/m,
  ],
  ['How do I send a button?', 'buttons', 'docs/guides/reply.md', /^## Add buttons to a reply$/m],
  ['What are the limits?', 'limits', 'docs/reference/limits.md', /^# Limits$/m],
  [
    'How do I debounce many events?',
    'batch and debounce',
    'docs/guides/duplicates-and-batches.md',
    /--debounce 60/,
  ],
]

const README = textOf('README.md')

function textOf(name: string): string {
  const page = PAGES.find((one) => one.name === name)
  return page ? prose(page) : ''
}

test.each(QUESTIONS)('%s: one click from README.md', (_, link, page, answer) => {
  const links = [...README.matchAll(/\[([^\]]+)\]\(([^)\s#]+)/g)]
  const targets = links.filter(([, text = '']) => text.includes(link)).map(([, , to]) => to)
  expect(targets).toContain(page)
  expect(PAGES.find(({ name }) => name === page)?.text).toMatch(answer)
})

test('README.md itself says what it costs, and names license and support', () => {
  expect(README).toMatch(/^## What it costs$[\s\S]*minute of your plan/m)
  expect(README).toMatch(/^## License, support, security$[\s\S]*MIT license[\s\S]*issues/m)
})

test('the page of frequent questions has a heading for each of these', () => {
  const headings = [...textOf('docs/faq.md').matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  const words = ['403', 'Signature', 'cost', 'locally', 'Enterprise', 'Forgejo', 'exactly once']
  const others = ['debounce', 'files', 'rotate', 'upgrade', 'uninstall', 'monitor', 'button']
  const last = ['limits', 'license']
  for (const word of [...words, ...others, ...last]) {
    expect(headings.filter((title) => title.includes(word))).not.toEqual([])
  }
})
