// npm run screenshots
//
// Makes every picture of README and docs, from real processes. `pictures.json` records a hash of what each
// of them shows; `npm test` fails when that changes. A picture that shows the same stays as it is.
import { mkdir, writeFile } from 'node:fs/promises'
import { makePictures, PICTURES_FILE, recordedPictures } from './screenshots/pictures.js'

await mkdir('docs/images', { recursive: true })
const before = await recordedPictures().catch(() => undefined)
/** @type {Map<string, Buffer>} */
const pictures = new Map()
const shown = await makePictures(async (file, bytes) => void pictures.set(file, bytes))
for (const [file, bytes] of pictures) {
  if (before?.[file] !== shown[file]) await writeFile(`docs/images/${file}`, bytes)
}
await writeFile(PICTURES_FILE, `${JSON.stringify(shown, null, 2)}\n`)
