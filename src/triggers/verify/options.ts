import * as v from 'valibot'
import { oneOrMore } from '../trigger.ts'
import { entry, type Given, keys } from './entry.ts'
import type { Scheme, Setting, Settings } from './scheme.ts'
import { SCHEMES } from './schemes.ts'

/** One entry of `verify`: one of its schemes must hold, with the same settings. */
export interface Verification {
  readonly schemes: readonly Scheme[]
  readonly settings: Settings
}

/** The option `verify`; a trigger of one service brings the scheme of that service. */
export function verifyOption(own?: string) {
  return v.pipe(
    v.optional(oneOrMore(verification(own))),
    v.description(
      'How the sender proves who it is: `scheme`, `secret` and what the scheme needs besides; or a list of such entries, of which one must hold. A request that is not verified fires nothing.',
    ),
  )
}

function verification(own: string | undefined) {
  return v.pipe(
    entry,
    v.rawTransform<Given, Verification>(({ dataset, addIssue, NEVER }) => {
      const { scheme: names = own === undefined ? [] : [own], ...given } = dataset.value
      const schemes = names.flatMap((name) => SCHEMES.get(name) ?? [])
      const settings = filled(given)
      const mistakes =
        schemes.length === 0
          ? [`names no "scheme"; there are: ${[...SCHEMES.keys()].join(', ')}`]
          : schemes.flatMap((scheme) => mistakesOf(scheme, settings))
      for (const message of mistakes) addIssue({ message })
      return mistakes.length > 0 ? NEVER : { schemes, settings }
    }),
  )
}

/** A scheme that needs no options. */
export function bareVerification(name: string): Verification {
  const scheme = SCHEMES.get(name)
  return { schemes: scheme ? [scheme] : [], settings: filled({}) }
}

function filled({ secret: secrets = [], ...given }: Omit<Given, 'scheme'>): Settings {
  return {
    secrets,
    tolerance: given.tolerance,
    header: given.header,
    query: given.query,
    field: given.field,
    algorithm: given.algorithm,
    encoding: given.encoding,
    prefix: given.prefix,
    template: given.template,
    timestampHeader: given.timestampHeader,
    url: given.url,
    topic: given.topic,
  }
}

function mistakesOf(scheme: Scheme, settings: Settings): string[] {
  const { name, needs, takes = [] } = scheme
  const given = givenNames(settings)
  const absent = needs.filter((option) => !given.includes(option))
  const idle = given.filter((option) => !needs.includes(option) && !takes.includes(option))
  const mistake = absent.length === 0 ? scheme.mistake?.(settings) : undefined
  return [
    ...absent.map((option) => `the scheme ${name} needs "${option}"`),
    ...idle.map((option) => `the scheme ${name} does not use "${option}"`),
    ...(mistake === undefined ? [] : [mistake]),
  ]
}

function givenNames({ secrets, ...others }: Settings): Setting[] {
  const names = keys(others).filter((name) => others[name] !== undefined)
  return secrets.length > 0 ? ['secret', ...names] : names
}
