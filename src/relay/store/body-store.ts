/** An upload as it begins. */
export interface NewBody {
  /** SHA-256 of the random part of its address, in hexadecimal digits; the name of its pieces, too. */
  readonly hash: string
  readonly delivery: string
  /** Milliseconds since 1970. */
  readonly created: number
}

/** Which bodies there are. Every method rejects with StorageError if the storage fails. */
export interface BodyRegistry {
  /** Begins an upload: it has no bytes, and cannot be found. */
  add(body: NewBody): Promise<void>
  /**
   * Reserves room for further bytes of an upload.
   *
   * @param quota bytes of all bodies together
   * @returns false if there is no room, or no such upload
   */
  reserve(hash: string, bytes: number, quota: number): Promise<boolean>
  /** Ends an upload: from now on it can be found. */
  publish(hash: string): Promise<void>
  /** @returns the bytes of a published body; `null` if there is none */
  find(hash: string): Promise<number | null>
  delete(hash: string): Promise<void>
}

/** The encrypted pieces of bodies: files on Node, a Durable Object on Workers. */
export interface PieceStore {
  /** Pieces come in order, from number 0. */
  put(hash: string, number: number, piece: Uint8Array): Promise<void>
  /** @throws Error if the piece is not there */
  get(hash: string, number: number): Promise<Uint8Array<ArrayBuffer>>
  /** Resolves when all pieces of a body are on disk. */
  sync(hash: string): Promise<void>
  /** @param count of pieces that may be there */
  delete(hash: string, count: number): Promise<void>
}

/** Bytes of each piece of a body but the last. An upload has one piece in memory. */
export const PIECE_BYTES = 256 * 1024

/** Pieces of a body with so many bytes. */
export function piecesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / PIECE_BYTES))
}
