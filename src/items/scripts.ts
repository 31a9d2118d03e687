/** JavaScript of the user, ready to be run on items. */
export interface Script {
  /** The option it stands in: `filterScript`. */
  readonly option: string
  readonly parameters: readonly string[]
  /** The body of a function with these parameters. */
  readonly body: string
  /**
   * An expression that calls `script` on the parsed `items`, through `call`, which refuses a promise.
   * Its value is what comes back, as JSON.
   */
  readonly drive: string
}

/** How the user's own code, and the user's own patterns, are kept from doing harm by mistake. */
export interface Scripts {
  /**
   * Runs a script with no access to anything but the items.
   *
   * @param items JSON text of an array
   * @returns JSON text
   * @throws ScriptFailure
   */
  run(script: Script, items: string): Promise<string>
  /**
   * Does some work that does not wait for anything, and breaks it off after so many milliseconds.
   *
   * @throws ScriptFailure when it was broken off
   */
  within<Result>(milliseconds: number, work: () => Result): Promise<Result>
}

/** A script that does not compile, failed, or took too long. */
export class ScriptFailure extends Error {
  override readonly name = 'ScriptFailure'
}
