import { execFileSync } from 'node:child_process'

/** `owner/name` of the git remote `origin`; empty where there is none, or no git. */
export function originRepository(): string {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'] as const
    const url = execFileSync('git', ['remote', 'get-url', 'origin'], {
      encoding: 'utf8',
      stdio: [...stdio],
    })
    return repositoryOf(url.trim())
  } catch {
    return ''
  }
}

/** The last two parts of an address: `https://host/owner/name.git` as well as `git@host:owner/name`. */
export function repositoryOf(url: string): string {
  const [, owner, name] = /[/:]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(url) ?? []
  return owner && name ? `${owner}/${name}` : ''
}
