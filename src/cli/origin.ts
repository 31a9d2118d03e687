import { git } from './git.ts'

/** The git remote `origin`, taken apart. */
export interface Origin {
  /** `owner/name` */
  readonly repository: string
  /** Address of the pages of its host: `https://github.example.com`; `undefined` for a local path. */
  readonly webUrl: string | undefined
}

/** `undefined` without a remote that names owner and repository. */
export function originHere(): Origin | undefined {
  return parseOrigin(git('.', 'remote', 'get-url', 'origin') ?? '')
}

/** @param remote such as `https://host/owner/name.git`, `git@host:owner/name` or `ssh://git@host/owner/name` */
export function parseOrigin(remote: string): Origin | undefined {
  // The host after `//` is no owner. An owner of Forgejo may contain dots.
  const [, place = '', owner, name] =
    /^(.*?)(?<!:\/)[/:](\w[\w.-]*)\/([\w.-]+?)(?:\.git)?\/?$/s.exec(remote.trim()) ?? []
  if (!owner || !name) return undefined
  return { repository: `${owner}/${name}`, webUrl: webUrlOf(place) }
}

/** @param place the part of a remote in front of owner and name */
function webUrlOf(place: string): string | undefined {
  if (/^https?:\/\//i.test(place) && URL.canParse(place)) {
    const { protocol, host, pathname } = new URL(place)
    return knownHost(host) && `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
  }
  const [, host = ''] =
    /^(?:ssh|git(?:\+ssh)?):\/\/(?:[^@/]*@)?([^:/]+)/i.exec(place) ??
    /^(?:[^@/]+@)?([^:/@]+)$/.exec(place) ??
    []
  const web = host.toLowerCase().replace(/^ssh\.(?=github\.com$)/, '')
  return knownHost(web) && `https://${web}`
}

/** A name without a dot is an alias of the user's SSH configuration. */
function knownHost(host: string): string | undefined {
  return host.includes('.') || host.startsWith('localhost') ? host : undefined
}
