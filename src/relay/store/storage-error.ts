/** The words of the log. */
export type StorageFault = 'disk full' | 'disk fails' | 'not writable' | 'damaged' | 'file gone'

/** The disk is full, missing or failing. Nothing was written. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly reason: StorageFault

  constructor(reason: StorageFault, options?: ErrorOptions) {
    super(`the database of the relay cannot be read or written: ${reason}`, options)
    this.reason = reason
  }
}

/** For `catch`. @throws StorageError always */
export function diskFails(cause: unknown): never {
  throw new StorageError('disk fails', { cause })
}
