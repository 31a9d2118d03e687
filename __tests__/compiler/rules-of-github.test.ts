import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { SCOPES } from '../../src/compiler/permissions.ts'
import { INPUTS_PLACES, isWithin, NEEDS_PLACES } from '../../src/workflow/file-expressions.ts'

/** GitHub's own schema of a workflow file, which its parser uses. */
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

describe.each([
  ['inputs', INPUTS_PLACES],
  ['needs', NEEDS_PLACES],
])('places where %s can be read', (context, named) => {
  const places = placesWith(context, 'workflow-root-strict', [], [])

  test('GitHub has some', () => {
    expect(places.length).toBeGreaterThan(20)
  })

  test.each(places)('%s is one', (place) => {
    expect(isWithin(place.split('.'), named)).toBe(true)
  })

  test('every place that we name is one of GitHub', () => {
    expect(named.filter((place) => !places.includes(place))).toEqual([])
  })
})

test.each([
  ['steps.0.parallel.1.run', true],
  ['steps.0.parallel.1.parallel.2.run', true],
  ['steps.0.parallel.1.uses', false],
  ['steps.0.with.parallel', true],
  ['steps.0.parallel', false],
])('a step in "parallel:" reads what a step does: %s', (path, expected) => {
  expect(definitions['parallel-steps']?.sequence?.['item-type']).toBe('steps-item')
  expect(isWithin(['jobs', 'a', ...path.split('.')], NEEDS_PLACES)).toBe(expected)
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

/**
 * The highest paths at which an expression can read a context; `on:` and `run-name` are not parts
 * of jobs.
 */
function placesWith(
  context: string,
  name: string,
  path: readonly string[],
  seen: readonly string[],
): string[] {
  const definition = definitions[name]
  if (!definition || seen.includes(name) || ['on', 'run-name'].includes(path[0] ?? '')) return []
  if (definition.context?.includes(context)) return [path.join('.')]
  const { properties = {}, 'loose-value-type': loose } = definition.mapping ?? {}
  const next = (type: string, ...keys: string[]) =>
    placesWith(context, type, [...path, ...keys], [...seen, name])
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
