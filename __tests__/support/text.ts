import { fc } from './properties.ts'

const SURROGATES = 0x800

/**
 * Any Unicode character, as `unit` of `fc.string`. The library's own `'binary'`, which `fc.webPath`
 * also uses, first creates a table of all characters: a second of CPU for each suite.
 */
export const anyCharacter = fc
  .nat({ max: 0x10_ff_ff - SURROGATES })
  .map((point) => String.fromCodePoint(point < 0xd8_00 ? point : point + SURROGATES))

/** The path of a URL, with escapes and without a query. */
export const anyPath = fc
  .array(
    fc.string({
      unit: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(..."azAZ09-._~!$&'()*+,;=:@") },
        { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
      ),
    }),
  )
  .map((segments) => segments.map((segment) => `/${segment}`).join(''))

/** Characters that leave a folder, end a part of a URL, or look as if they did. */
const hostilePiece = fc
  .array(fc.constantFrom(...'./\\?#@: \n', '..', '%2e', '%2F', '-', '_', 'E2'), {
    minLength: 1,
    maxLength: 2,
  })
  .map((pieces) => pieces.join(''))

/** Names as parts of a path, all valid except one with a hostile piece. */
export function partsWithOneHostile(count: number): fc.Arbitrary<readonly string[]> {
  const names = fc.array(fc.constantFrom('a', 'o2', 'hook'), { minLength: count, maxLength: count })
  const place = fc.record({ part: fc.nat({ max: count - 1 }), from: fc.nat({ max: 2 }) })
  return fc
    .tuple(names, hostilePiece, place, fc.boolean())
    .map(([parts, piece, { part, from }, isWhole]) =>
      parts.map((name, at) => {
        if (at !== part) return name
        return isWhole ? piece : name.slice(0, from) + piece + name.slice(from)
      }),
    )
}
