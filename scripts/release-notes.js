import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/**
 * The section of a version in a changelog, without its heading.
 *
 * @param {string} changelog in the form of https://keepachangelog.com
 * @param {string} version without a `v`
 * @throws if the section is missing or empty
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => text.startsWith(`[${version}]`))
  const notes = section?.split('\n').slice(1).join('\n').trim()
  if (!notes) throw new Error(`CHANGELOG.md has no section [${version}]`)
  return notes
}

/**
 * The tags of a version: its own, and the tag that moves to the newest version of its major
 * version. Versions 0.x move `v1`, because every page and every written workflow names `@v1`.
 *
 * @param {string} version
 * @throws for a version that is not `major.minor.patch`
 */
export function releaseTags(version) {
  const [, major] = /^(\d+)\.\d+\.\d+$/.exec(version) ?? []
  if (major === undefined) throw new Error(`${version} is no version for a release`)
  return { tag: `v${version}`, moving: `v${Math.max(1, Number(major))}` }
}

/** Prints the values for a release workflow as lines of GITHUB_OUTPUT; the notes go to a file. */
function main() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  const notes = releaseNotes(readFileSync('CHANGELOG.md', 'utf8'), version)
  const { tag, moving } = releaseTags(version)
  if (process.argv[2] === 'notes') console.log(notes)
  else console.log(`version=${version}\ntag=${tag}\nmoving=${moving}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main()
