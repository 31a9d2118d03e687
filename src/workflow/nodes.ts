import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Scalar,
  visit,
} from 'yaml'
import type { Position, Source } from '../wire/errors.ts'
import { type Path, pairKey, pairOf, pairsOf, positionAt, rangeOf } from './yaml.ts'

/** A parsed workflow file, of Hookline or native, or a parsed action. */
export interface ParsedFile {
  readonly source: Source
  readonly document: Document.Parsed
}

/** A node on the way of a reader: aliases are replaced by the nodes of their anchors. */
export interface Place {
  readonly node: Node | null
  /** The alias at this position itself, if there is one. */
  readonly alias: Alias | undefined
  /**
   * True if a change here affects other positions: the node has an anchor, or was reached by an
   * alias.
   */
  readonly isShared: boolean
  /** The path on which the node was reached, possibly through aliases. */
  readonly path: Path
  readonly anchors: Anchors
}

/** The nodes of a document's aliases, collected at the first alias. */
class Anchors {
  readonly #document: Document.Parsed
  #named: ReadonlyMap<Alias, Node> | undefined

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  get(alias: Alias): Node | undefined {
    this.#named ??= this.#all()
    return this.#named.get(alias)
  }

  #all(): ReadonlyMap<Alias, Node> {
    const named = new Map<string, Node>()
    const anchors = new Map<Alias, Node>()
    visit(this.#document, {
      Node(_, node) {
        const anchor = isAlias(node) ? named.get(node.source) : undefined
        if (isAlias(node) && anchor) anchors.set(node, anchor)
        if (!isAlias(node) && 'anchor' in node && node.anchor) named.set(node.anchor, node)
      },
    })
    return anchors
  }
}

export interface MappingEntry {
  readonly name: string
  readonly key: Node
  readonly value: Place
}

/** The top of a document, with one table of anchors. */
export function topOf(document: Document.Parsed): Place {
  const anchors = new Anchors(document)
  return placeOf(document.contents, { isShared: false, path: [], anchors })
}

/** The node below a chain of keys. */
export function childOf(place: Place | undefined, ...keys: readonly string[]): Place | undefined {
  let at = place
  for (const key of keys) {
    if (!at || !isMap(at.node)) return undefined
    const pair = pairOf(at.node, key)
    at = pair && placeOf(pair.value, below(at, key))
  }
  return at
}

export function entriesOf(place: Place | undefined): MappingEntry[] {
  if (!place || !isMap(place.node)) return []
  return pairsOf(place.node).map((pair) => {
    const name = pairKey(pair)
    return { name, key: pair.key, value: placeOf(pair.value, below(place, name)) }
  })
}

export function itemsOf(place: Place | undefined): Place[] {
  if (!place || !isSeq(place.node)) return []
  const nodes = place.node.items as (Node | null)[] // a parsed document contains nodes only
  return nodes.map((node, at) => placeOf(node, below(place, at)))
}

export interface TextPlace extends Place {
  readonly node: Scalar<string>
}

export function textAt(place: Place | undefined): TextPlace | undefined {
  return place && isText(place.node) ? { ...place, node: place.node } : undefined
}

/** The position of a string, or of the alias that stands for it. */
export function writtenAt(source: Source, { node, alias }: TextPlace): Position {
  return positionAt(source, ...rangeOf(alias ?? node))
}

/** The string at a position; `undefined` if it is no string. */
export function textOf(place: Place | undefined): string | undefined {
  return textAt(place)?.node.value
}

/** The strings of a value such as `needs`, which is one string or a list of strings. */
export function textsAt(place: Place | undefined): TextPlace[] {
  return [place, ...itemsOf(place)].flatMap((one) => textAt(one) ?? [])
}

/**
 * Every string at a position and below it. Each node counts once, even if several aliases lead to
 * it.
 */
export function textsBelow(place: Place | undefined): TextPlace[] {
  const texts: TextPlace[] = []
  const seen = new Set<Node>()
  const waiting = place ? [place] : []
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    const { node } = at
    if (!node || seen.has(node)) continue
    seen.add(node)
    if (isText(node)) texts.push({ ...at, node })
    const inside = [...entriesOf(at).map(({ value }) => value), ...itemsOf(at)]
    waiting.push(...inside.reverse())
  }
  return texts
}

function below({ isShared, path, anchors }: Place, key: string | number) {
  return { isShared, path: [...path, key], anchors }
}

function placeOf(
  node: Node | null,
  { isShared, path, anchors }: Pick<Place, 'isShared' | 'path' | 'anchors'>,
): Place {
  const alias = isAlias(node) ? node : undefined
  const target = alias ? (anchors.get(alias) ?? null) : node
  const isAnchor = target !== null && 'anchor' in target && target.anchor !== undefined
  return { node: target, alias, isShared: isShared || isAnchor, path, anchors }
}

function isText(node: Node | null): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string'
}
