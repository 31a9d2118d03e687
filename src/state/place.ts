import type { GitHubCall } from '../wire/github.ts'
import type { Http } from '../wire/http.ts'

/** The outside world, as far as stores need it. */
export interface StorePorts {
  /** Ends after so many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What a run gives a store to work with. */
export interface StorePlace extends StorePorts {
  /** `owner/name` of the run's repository. */
  readonly repository: string
  readonly files: Files
  readonly github: GitHubPort
  /** Any other service, for a store that lies there. */
  readonly http: Http
  /** What an earlier process of the same job wrote to a branch. */
  readonly known: KnownTexts
}

/** Files, as far as a store needs them. Paths may be relative to the working copy. */
export interface Files {
  /** `undefined` when there is no such file. */
  read(path: string): Promise<string | undefined>
  /** @returns false when there is a file already */
  create(path: string, text: string): Promise<boolean>
  /** Writes a new file, down to the disk. */
  write(path: string, text: string): Promise<void>
  /** Puts a file in another's place at once. @returns false when it is not there any more */
  rename(from: string, to: string): Promise<boolean>
  remove(path: string): Promise<void>
  /** What follows the path in the names of the files beside it that begin with it. */
  suffixes(path: string): Promise<string[]>
  /** When a file was written or renewed, in milliseconds since 1970; `undefined` when it is gone. */
  renewedAt(path: string): Promise<number | undefined>
  /** Renews a file every so many milliseconds. @returns what stops it */
  keepRenewing(path: string, every: number): () => void
  /** A name that no other process has, nor another call. */
  unique(): string
}

/**
 * What an earlier process of this job wrote to a branch, by its name: what GitHub need not be asked
 * for. A text that is not GitHub's any more, or never was, is refused as a conflict.
 */
export interface KnownTexts {
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
}

/** GitHub for the repository of the run, with the token of the run. */
export interface GitHubPort {
  /** Base address of its REST API. */
  readonly apiUrl: URL
  readonly call: GitHubCall
}
