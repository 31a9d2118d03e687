import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { printable } from '../../src/wire/printable.ts'
import { dispatchEvent, runAction, runInShared } from '../support/action.ts'
import { fc } from '../support/properties.ts'
import { ALL_HOSTILE, BREAKS, COMMANDS, foreignCommands, HOSTILE } from './hostile.ts'
import { fire, payload } from './step.ts'

const inputs = { on: 'webhook: {method: post, path: "/a/:b"}' }

describe('no workflow command comes from outside', () => {
  const everywhere = {
    path: `hook/webhook/a/${ALL_HOSTILE}?${ALL_HOSTILE}`,
    method: 'POST',
    headers: {
      'x-hookline-delivery': ALL_HOSTILE,
      'x-hookline-received-at': ALL_HOSTILE,
      [ALL_HOSTILE]: 'x',
    },
    body: ALL_HOSTILE,
  }

  test.each<[string, unknown]>([
    [
      'in every part of a request that fires',
      { ...everywhere, path: `hook/webhook/a/${encodeURIComponent(ALL_HOSTILE)}` },
    ],
    ['in a path that does not match', everywhere],
    ['as the workflow', { ...everywhere, path: `${ALL_HOSTILE}/webhook` }],
    ['as the trigger', { ...everywhere, path: `hook/${ALL_HOSTILE}` }],
    ['as the method', { ...everywhere, method: ALL_HOSTILE }],
    [
      'as the encoding of the body',
      { ...everywhere, headers: { 'x-hookline-body-encoding': ALL_HOSTILE } },
    ],
    ['as headers that are no JSON', { ...everywhere, headers: ALL_HOSTILE }],
    ['as the whole payload', ALL_HOSTILE],
  ])('hostile text %s', async (where, clientPayload) => {
    const run = await runInShared({ ...dispatchEvent(clientPayload), inputs })
    // The step fails for an encoding that it does not know.
    const exitCode = where === 'as the encoding of the body' ? 1 : 0
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode, stderr: '' })
    expect(foreignCommands(run.stdout)).toEqual([])
  })

  test.each<[string, string, string]>([
    ['an event', '{', ALL_HOSTILE],
    ['the name of an event', ALL_HOSTILE, '{}'],
  ])('hostile text as %s', async (_, event, text) => {
    const run = await runAction({ event: event.replaceAll('\0', ''), payload: text, inputs })
    expect(foreignCommands(run.stdout)).toEqual([])
  })

  const inYaml = HOSTILE.map((text) => text.replaceAll('\0', ''))

  test.each([
    ['a trigger', (text: string) => JSON.stringify({ [text]: {} })],
    ['an option', (text: string) => JSON.stringify({ webhook: { [text]: 1 } })],
    ['a method', (text: string) => JSON.stringify({ webhook: { method: text } })],
    ['a pattern', (text: string) => JSON.stringify({ webhook: { path: `/:${text}(` } })],
    ['an expression', (text: string) => `webhook: {path: ${JSON.stringify(`$\{{ x ${text}`)}}`],
    ['broken YAML', (text: string) => `webhook: [${text}`],
    ['broken YAML, from the first column on', (text: string) => `${text}\n${text}: [`],
  ])('hostile text as %s of an on: section', async (_, on) => {
    const all = inYaml.join('')
    for (const text of [all, `\r${COMMANDS.join('\r')}`]) {
      const run = await fire(on(text))
      expect(run.exitCode).toBe(1)
      expect(foreignCommands(run.stdout)).toEqual([])
    }
  })

  test('hostile text as names of files, and as secrets', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'hookline-hostile-'))
    const name = 'a\n::error::x\r::add-mask::x##[error]x.yml'
    await mkdir(join(workspace, 'workflows'))
    await writeFile(join(workspace, 'workflows', name), 'on: [')
    await writeFile(join(workspace, 'workflows/hook.yml'), 'on: webhook')
    for (const path of [name.replace('.yml', ''), 'hook', 'none']) {
      const secrets = JSON.stringify({ [ALL_HOSTILE]: 'webhook' })
      const event = dispatchEvent(payload({ path: `${encodeURIComponent(path)}/webhook` }))
      const run = await runInShared({ ...event, inputs: { secrets }, workspace })
      expect(foreignCommands(run.stdout)).toEqual([])
    }
    await rm(workspace, { recursive: true })
  })

  test('the check of these tests detects', () => {
    expect(foreignCommands('::error::a\n::warning title=Hookline::b\ntext')).toEqual([])
    const foreign = [
      '::add-mask::x',
      ' ::error::x',
      '\u0085::debug::x',
      'a ##[error]x',
      '::notice::x',
    ]
    expect(foreignCommands(foreign.join('\r'))).toEqual(foreign)
  })

  test('any text is printed without a command in it', () => {
    const part = fc.oneof(fc.constantFrom(...COMMANDS, ...BREAKS, ':', '#', '['), fc.string())
    const property = fc.property(fc.array(part), (parts) => {
      const lines = printable(parts.join('')).split(/\r\n|\r|\n/)
      expect(lines.filter((line) => /^[\s\u0085]*::|##\[/.test(line))).toEqual([])
    })
    fc.assert(property, { numRuns: 1000 })
  })
})
