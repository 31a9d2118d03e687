// npm run screenshots
//
// Makes every picture of README and docs, from real processes. `pictures.json` records a hash of what each
// of them shows; `npm test` fails when that changes.
import { mkdir, writeFile } from 'node:fs/promises'
import { makePictures, PICTURES_FILE } from './screenshots/pictures.js'

await mkdir('docs/images', { recursive: true })
const shown = await makePictures((file, bytes) => writeFile(`docs/images/${file}`, bytes))
await writeFile(PICTURES_FILE, `${JSON.stringify(shown, null, 2)}\n`)
