import type { Document, Node } from 'yaml'
import type { Source } from '../protocol/errors.ts'
import type { Contexts } from './expressions.ts'

/** What reading a part of a workflow takes. */
export interface Reading {
  readonly source: Source
  readonly document: Document.Parsed
  readonly contexts: Contexts
}

/** A key under `on:` with its options, whichever way it was written. */
export interface TriggerNodes {
  readonly key: Node
  readonly options: Node | null
}
