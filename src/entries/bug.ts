/** An error of ours, as far as it may be shown. */
export interface Bug {
  readonly name: string
  /** Where it came from, a line each. */
  readonly frames: readonly string[]
}

/** Kind and place of an unknown error; never its message, which may carry a payload or a token. */
export function bugOf(error: unknown): Bug {
  if (!(error instanceof Error)) return { name: typeof error, frames: [] }
  // A line of the message could look like a frame.
  const place = (error.stack ?? '').replace(error.message, '')
  const frames = place.split('\n').filter((line) => /^\s+at /.test(line))
  return { name: error.name, frames }
}
