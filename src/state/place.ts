import type { GitHubCall } from '../wire/github-api.ts'

/** The environment of a store in a run. */
export interface StorePlace {
  /** Resolves after this many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
  /** A number from 0 to below 1. */
  readonly random: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** `owner/name` of the run's repository. */
  readonly repository: string
  readonly files: Files
  readonly github: GitHubPort
  /** The texts that an earlier process of the same job wrote to a branch. */
  readonly known: KnownTexts
}

/** File operations for a store. Relative paths begin at the working copy. */
export interface Files {
  /** `undefined` if the file does not exist. */
  read(path: string): Promise<string | undefined>
  /** @returns false if the file exists already */
  create(path: string, text: string): Promise<boolean>
  /** Writes a new file, and flushes it to the disk. */
  write(path: string, text: string): Promise<void>
  /** Replaces a file by another one atomically. @returns false if `from` does not exist any more */
  rename(from: string, to: string): Promise<boolean>
  remove(path: string): Promise<void>
  /** The names of the files that begin with this path, each without the path. */
  suffixes(path: string): Promise<string[]>
  /** The file's modification time, in milliseconds since 1970; `undefined` if it does not exist. */
  renewedAt(path: string): Promise<number | undefined>
  /**
   * Updates the file's modification time every so many milliseconds. @returns a function that stops
   * it
   */
  keepRenewing(path: string, every: number): () => void
  /** A name that no other process and no other call gets. */
  unique(): string
}

/**
 * The texts that an earlier process of this job wrote to a branch, by branch, so that GitHub need
 * not be asked. GitHub refuses an outdated or a wrong text as a conflict.
 */
export interface KnownTexts {
  read(name: string): Promise<string | undefined>
  write(name: string, text: string): Promise<void>
}

/** GitHub's API for the repository of the run, with the token of the run. */
export interface GitHubPort {
  /** Base address of the REST API. */
  readonly apiUrl: URL
  readonly call: GitHubCall
}
