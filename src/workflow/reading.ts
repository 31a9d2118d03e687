import type { Document, Node } from 'yaml'
import type { Source } from '../wire/errors.ts'
import type { Contexts } from './expressions.ts'

/** What reading a part of a workflow takes. */
export interface Reading {
  readonly source: Source
  readonly document: Document.Parsed
  readonly contexts: Contexts
  /**
   * True when the contexts hold stand-ins, as they do before a run: then it says nothing that an
   * option does not accept the value of an expression.
   */
  readonly standIns?: boolean
}

/** A key under `on:` with its options, whichever way it was written. */
export interface TriggerNodes {
  readonly key: Node
  readonly options: Node | null
}
