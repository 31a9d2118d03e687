import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { caseFiles } from '../support/case-files.ts'
import {
  type CaseServer,
  type CommandCaseFile,
  NOTHING,
  startCaseServer,
} from '../support/command-cases.ts'

const FOLDER = fileURLToPath(new URL('cases', import.meta.url))

let server: CaseServer
beforeAll(async () => {
  server = await startCaseServer()
})
afterAll(() => server.close())

describe.each(caseFiles(FOLDER))('$path', ({ text }) => {
  const file: CommandCaseFile = parse(text, { merge: true })
  test.each(file.cases)('$name: $run', async (wanted) => {
    const { code, output, errors, calls, written } = { ...NOTHING, ...wanted }
    expect(await server.outcomeOf(file, wanted)).toEqual({ code, output, errors, calls, written })
  })
})
