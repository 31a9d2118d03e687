import { execFileSync } from 'node:child_process'

/** Looks for programs in PATH. @returns false if one of them is missing. */
export function areInstalled(...programs: readonly string[]): boolean {
  try {
    execFileSync('sh', ['-ec', 'for program; do command -v "$program"; done', 'sh', ...programs], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}
