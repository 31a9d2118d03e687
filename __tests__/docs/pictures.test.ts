import { expect, test } from '@jest/globals'
import { findNode24 } from '../../scripts/node24.js'
import { makePictures, recordedPictures } from '../../scripts/screenshots/pictures.js'
import { CHROMIUM } from '../support/browser.ts'

const testInBrowser = CHROMIUM && findNode24() ? test : test.skip

testInBrowser('each picture shows what the programs show now (npm run screenshots)', async () => {
  expect(await makePictures()).toEqual(await recordedPictures())
})
