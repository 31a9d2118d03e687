import { expect, test } from '@jest/globals'
import { recordedOutputs, recordOutputs } from '../../scripts/docs/outputs.js'
import { findNode24 } from '../../scripts/node24.js'

const testWithSqlite = findNode24() ? test : test.skip

testWithSqlite(
  'each command prints what docs/reference/commands.md shows (npm run docs)',
  async () => {
    expect(await recordOutputs()).toEqual(await recordedOutputs())
  },
  300_000,
)
