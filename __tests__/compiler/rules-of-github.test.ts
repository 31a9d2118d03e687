import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { SCOPES } from '../../src/compiler/permissions.ts'
import { EXPRESSION_PLACES, isWithin } from '../../src/compiler/places.ts'

/** GitHub's own description of a workflow file, which its parser reads. */
interface Definition {
  readonly context?: readonly string[]
  readonly 'one-of'?: readonly string[]
  readonly sequence?: { readonly 'item-type': string }
  readonly mapping?: {
    readonly properties?: Readonly<Record<string, string | { readonly type: string }>>
    readonly 'loose-value-type'?: string
  }
}

const definitions = readDefinitions()

describe('places of expressions', () => {
  const places = placesWithInputs('workflow-root-strict', [], [])

  test('GitHub has some', () => {
    expect(places.length).toBeGreaterThan(20)
  })

  test.each(places)('%s can read inputs', (place) => {
    expect(isWithin(place.split('.'), EXPRESSION_PLACES)).toBe(true)
  })

  test('every place that we name is one of GitHub', () => {
    expect(EXPRESSION_PLACES.filter((place) => !places.includes(place))).toEqual([])
  })
})

test('the scopes of a token are those of GitHub that can be read', () => {
  const scopes = definitions['permissions-mapping']?.mapping?.properties ?? {}
  const readable = Object.entries(scopes).filter(
    ([, value]) => !typeName(value).includes('write-or'),
  )
  expect(SCOPES).toEqual(readable.map(([scope]) => scope))
})

function readDefinitions(): Readonly<Record<string, Definition>> {
  const path = '../../node_modules/@actions/workflow-parser/dist/workflow-v1.0.min.json'
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).definitions
}

/** The highest places at which an expression may read `inputs`; `on:` and `run-name` become no jobs. */
function placesWithInputs(
  name: string,
  path: readonly string[],
  seen: readonly string[],
): string[] {
  const definition = definitions[name]
  if (!definition || seen.includes(name) || ['on', 'run-name'].includes(path[0] ?? '')) return []
  if (definition.context?.includes('inputs')) return [path.join('.')]
  const { properties = {}, 'loose-value-type': loose } = definition.mapping ?? {}
  const next = (type: string, ...keys: string[]) =>
    placesWithInputs(type, [...path, ...keys], [...seen, name])
  const found = [
    ...(definition['one-of'] ?? []).flatMap((type) => next(type)),
    ...Object.entries(properties).flatMap(([key, value]) => next(typeName(value), key)),
    ...(loose ? next(loose, '*') : []),
    ...(definition.sequence ? next(definition.sequence['item-type'], '*') : []),
  ]
  return [...new Set(found)]
}

function typeName(value: string | { readonly type: string }): string {
  return typeof value === 'string' ? value : value.type
}
