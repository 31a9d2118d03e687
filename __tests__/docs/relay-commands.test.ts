import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from '@jest/globals'

/** The commands of the numbered steps of a section, an editor included. */
function commandsOf(page: string, section: string): string[] {
  const text = readFileSync(new URL(`../../docs/host/${page}`, import.meta.url), 'utf8')
  const [, body = ''] = new RegExp(`^## ${section}\\n(.*?)(?=^##)`, 'ms').exec(text) ?? []
  // Text that is not indented follows the steps.
  const steps = body
    .split(/^\d+\. /m)
    .slice(1)
    .map((step) => step.split(/\n\n(?! )/)[0] ?? '')
  return steps.flatMap((step) => {
    const [, block] = /```sh\n(.*?)```/s.exec(step) ?? []
    const inline = step.matchAll(
      /`((?:sudo|sudoedit|git|install|nano|docker|npx|node|curl|echo|openssl) [^`]+)`/g,
    )
    return block === undefined ? [...inline].map(([, command = '']) => command) : [block.trim()]
  })
}

test.each([
  ['relay.md', 'systemd', 5],
  ['relay.md', 'Docker', 5],
  ['workers.md', 'Deploy', 4],
])('%s, section %s, needs %i commands from nothing to an endpoint', (page, section, most) => {
  const commands = commandsOf(page, section)
  expect(commands).toHaveLength(most)
  expect(commands[0]).toContain('git clone')
  expect(commands.at(-1)).toContain('endpoint create hook')
  // The reader neither invents nor copies a key.
  expect(commands.join('\n')).not.toMatch(/relay key\b|export HOOKLINE_RELAY_KEY/)
})

test('the command of workers.md writes a new relay key and the token, for the user alone', () => {
  const [, command = ''] = commandsOf('workers.md', 'Deploy')
  const folder = mkdtempSync(join(tmpdir(), 'workers-'))
  try {
    const input = `github_pat_${'a'.repeat(40)}\n`
    const printed = execFileSync('bash', ['-c', command], { cwd: folder, input, encoding: 'utf8' })
    const file = join(folder, '.dev.vars')
    const { HOOKLINE_RELAY_KEY = '', ...others } = parseEnv(readFileSync(file, 'utf8'))
    expect(Buffer.from(HOOKLINE_RELAY_KEY, 'base64')).toHaveLength(32)
    expect(others).toEqual({ HOOKLINE_GITHUB_TOKEN: input.trim() })
    expect([printed, (statSync(file).mode & 0o777).toString(8)]).toEqual(['', '600'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
