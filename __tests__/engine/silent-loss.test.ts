import { describe, expect, test } from '@jest/globals'
import { summaryHtml } from '../../src/action/summary.ts'
import type { WorkflowSource } from '../../src/engine/engine-ports.ts'
import { evaluate } from '../../src/engine/evaluate-event.ts'
import { formatEvent } from '../../src/inspector/event-text.ts'
import { runLocally } from '../../src/inspector/local-engine.ts'
import { openChecks } from '../../src/relay/webhook/verification.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { toBase64, utf8Text } from '../../src/wire/bytes.ts'
import { readOnSection } from '../../src/workflow/workflow.ts'
import { testPorts } from '../support/ports.ts'

const NAME = 'Jürgen'

/** The name in a text; an escaped form that is called text stays as it is. */
const READ = /Jürgen|J%C3%BCrgen|J%FCrgen/

const TYPES = [
  '',
  'application/json',
  'application/problem+json',
  'application/x-ndjson',
  'application/json-seq',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=B',
  'text/plain',
  'application/xml',
]

const CHARSETS = [
  '',
  'utf-8',
  'iso-8859-1',
  'utf-16',
  'utf-16le',
  'shift_jis',
  'euc-jp',
  'none-such',
]

const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\uFEFF${text}`),
  'ISO-8859-1': (text) => Buffer.from(text, 'latin1'),
  'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(text, 'utf16le').swap16(),
  'UTF-16LE with a mark': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
}

const CONTENTS: Readonly<Record<string, string>> = {
  JSON: `{"name":"${NAME}"}`,
  'JSON after a line feed': `\n{"name":"${NAME}"}`,
  'cut JSON': `{"name":"${NAME}"`,
  'JSON in a string': JSON.stringify(`{"name":"${NAME}"}`),
  'JSON lines': `{"name":"${NAME}"}\n{"name":"${NAME}"}\n`,
  'a sequence': `\x1e{"name":"${NAME}"}\n`,
  'a form': `a=1&name=${NAME}`,
  'an escaped form': 'a=1&name=J%C3%BCrgen',
  'a form in ISO-8859-1': 'a=1&name=J%FCrgen',
  'a multipart form': `--B\r\nContent-Disposition: form-data; name="name"\r\n\r\n${NAME}\r\n--B--\r\n`,
  'a cut multipart form': `--B\r\nContent-Disposition: form-data; name="name"\r\n\r\n${NAME}`,
  'a text': `${NAME}, Jürgen, Jürgen`,
  XML: `<name>${NAME}</name>`,
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

const ALL: readonly Sent[] = TYPES.flatMap((type) =>
  CHARSETS.flatMap((charset) =>
    Object.values(ENCODINGS).flatMap((encode) =>
      Object.values(CONTENTS).map((content) => ({
        headers: { 'content-type': charset === '' ? type : `${type}; charset=${charset}` },
        bytes: new Uint8Array(encode(content)),
      })),
    ),
  ),
)

const source: WorkflowSource = {
  calling: 'hook',
  names: () => ['hook'],
  find: (name) => {
    const file = { name: 'workflows/hook.yml', file: 'workflows/hook.yml', text: 'webhook:' }
    return name === 'hook'
      ? readOnSection(name, file, { contexts: {}, triggers: TRIGGERS })
      : undefined
  },
}

/** The event as the relay forwards it. */
function payload({ headers, bytes }: Sent) {
  const text = utf8Text(bytes)
  const encoded = text === undefined ? { 'x-hookline-body-encoding': 'base64' } : {}
  const body = text ?? toBase64(bytes)
  return { path: 'hook/webhook', method: 'POST', headers: { ...headers, ...encoded }, body }
}

const FAULT = /[Tt]he (?:body|multipart form) /

/** @returns the bodies of which the name is lost without a word */
async function silent(isTold: (sent: Sent) => Promise<boolean>): Promise<string[]> {
  const lost: string[] = []
  for (const sent of ALL) {
    if (await isTold(sent)) continue
    lost.push(`${sent.headers['content-type']}: ${Buffer.from(sent.bytes).toString('latin1')}`)
  }
  return lost
}

describe(`${ALL.length} content types, charsets and bodies, of which none loses a value in silence`, () => {
  test('in the outputs and the summary of the action', async () => {
    const found = await silent(async (sent) => {
      const event = {
        name: 'repository_dispatch',
        payload: { action: 'webhook', client_payload: payload(sent) },
      }
      const evaluation = await evaluate(event, source, testPorts({}))
      const around = { arrival: undefined, workflow: 'hook', isPublic: true, secrets: {} }
      const isRead = READ.test(JSON.stringify(evaluation.items[0]?.body))
      return isRead || FAULT.test(summaryHtml(evaluation, around))
    })
    expect(found).toEqual([])
  })

  test('in dev', async () => {
    const ports = { workflows: () => source, engine: () => testPorts({}), now: () => 0 }
    const found = await silent(async (sent) => {
      const printed = formatEvent(await runLocally(payload(sent), ports), [], [])
      return READ.test(printed) || /(?:warning|notice): the (?:body|multipart)/.test(printed)
    })
    expect(found).toEqual([])
  })

  test('in the condition at the relay', async () => {
    const condition = `(contains(toJSON(body), '${NAME}') || contains(toJSON(body), '%FCrgen') || contains(toJSON(body), '%BCrgen')) && contains(body, 'no such text')`
    const found = await silent(async ({ headers, bytes }) => {
      const event = {
        ...{ path: 'hook/webhook', method: 'POST', delivery: 'd', receivedAt: '' },
        headers: new Map(Object.entries(headers)),
        body: { bytes, text: utf8Text(bytes) },
      }
      const checks = await openChecks({ if: condition }, { target: '/', event })
      expect(checks.if()).toBe('false')
      // The first part of the condition holds, or the explanation tells why it does not.
      const told = checks.unmet() ?? ''
      return !told.includes('toJSON') || FAULT.test(told)
    })
    expect(found).toEqual([])
  })
})
