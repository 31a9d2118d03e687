import type { RelayResponse } from '../../wire/http.ts'

/** What an event says of a body that the relay stores, in place of the body. */
export interface BodyReference {
  /** Anyone with this address can read the body. */
  readonly bodyUrl: string
  /** In hexadecimal digits. */
  readonly bodySha256: string
  /** Bytes. */
  readonly bodyLength: number
}

/**
 * Stores bodies that are too large for an event, until the action has fetched them. The event contains
 * their address.
 */
export interface LargeBodies {
  /** The most bytes of one body. */
  readonly most: number
  /** Begins to store the body of a delivery. */
  begin(delivery: string): BodyUpload
  /** The response to a request for a stored body. Never rejects. */
  serve(method: string, path: string): Promise<RelayResponse>
}

/** A body that is being stored. Its request ends with `keep` or `discard`. */
export interface BodyUpload {
  /** @throws RelayError 503 if the quota or the disk is full */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Ends the body: all of it is stored, and cannot be read yet.
   *
   * @throws RelayError 503 if the disk fails
   */
  finish(): Promise<BodyReference>
  /** Reads the whole body. Memory holds only one such body, so a call may wait for another call. */
  inspect<Result>(use: (bytes: Uint8Array) => Promise<Result>): Promise<Result>
  /**
   * Makes the body readable at its address. To be called before GitHub can have the event: if the relay is
   * killed after this call, nobody knows whether GitHub has the event, and the body stays for 7 days.
   *
   * @throws RelayError 503 if the disk fails
   */
  publish(): Promise<void>
  /** GitHub has the event, or the outbox: the body stays until 7 days after GitHub accepted it. */
  keep(): void
  /** Deletes the body, unless it is kept. Never rejects. */
  discard(): Promise<void>
}

/** The paths of stored bodies: 256 random bits in base64url. The id of an endpoint has 22 characters. */
export const BODY_PATH = /^\/-\/bodies\/(?![\w-]{22}(?:\/|$))/
