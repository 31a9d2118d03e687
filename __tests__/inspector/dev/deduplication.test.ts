import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { RunningCommand } from '../../support/cli.ts'

test('hookline dev remembers, as long as it runs, what it has handed on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-dev-'))
  await mkdir(join(folder, 'workflows'))
  const text = 'on: { webhook: { config: { shouldDeduplicate: true } } }'
  await writeFile(join(folder, 'workflows/hook.yml'), text)
  const command = new RunningCommand(['dev', '--port', '0', '--json'], { cwd: folder })
  try {
    const [, url = ''] = await command.printed(/^hookline dev listening on (http:\S+)\n/)
    for (const id of [1, 1, 2]) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ id })
      await fetch(`${url}/webhook/hook/webhook`, { method: 'POST', headers, body })
    }
    const [, first, second, third] = await command.printed(
      /"count":(\d)[\s\S]*"count":(\d)[\s\S]*"count":(\d)/,
    )
    expect([first, second, third]).toEqual(['1', '0', '1'])
  } finally {
    await command.stop()
    await rm(folder, { recursive: true })
  }
})
