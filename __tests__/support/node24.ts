import { spawnSync } from 'node:child_process'

/** A Node that has SQLite: 22.13, and runs TypeScript as it is: 22.18 (23.6). */
const OLDEST = [22, 18] as const

/**
 * The Node that what needs `node:sqlite` runs on: the one that `HOOKLINE_NODE24` names, else this one
 * when it is new enough; `undefined` when there is none, and what needs it is skipped.
 */
export const NODE24: string | undefined = found()

/** `describe`, or `describe.skip` with the reason in the name. */
export function describeOnNode24(
  describe: { (name: string, body: () => void): void; skip(name: string, body: () => void): void },
  name: string,
  body: (node: string) => void,
): void {
  if (NODE24 !== undefined) return describe(name, () => body(NODE24))
  const reason = 'skipped: needs Node 24, set HOOKLINE_NODE24 to its path'
  describe.skip(`${name} (${reason})`, () => body(''))
}

function found(): string | undefined {
  const named = process.env.HOOKLINE_NODE24
  if (named) {
    const { status, stdout } = spawnSync(named, ['--version'], { encoding: 'utf8' })
    if (status === 0 && isNewEnough(stdout)) return named
    throw new Error(`HOOKLINE_NODE24 names no Node 24: ${named}`)
  }
  return isNewEnough(process.version) ? process.execPath : undefined
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}
