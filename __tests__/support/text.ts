import fc from 'fast-check'

const SURROGATES = 0x800

/**
 * Any character of Unicode, as `unit` of `fc.string`. The library's own `'binary'`, which `fc.webPath`
 * uses too, first makes a table of all of them: a second of CPU for each suite.
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
