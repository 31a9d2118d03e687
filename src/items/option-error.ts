/** A mistake in `config` that shows only when it meets items; the engine knows where it stands. */
export class OptionError extends Error {
  override readonly name = 'OptionError'
  /** Key of `config`. */
  readonly option: string

  constructor(option: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.option = option
  }
}
