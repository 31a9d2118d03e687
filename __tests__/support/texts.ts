import fc from 'fast-check'

/*
 * In place of `unit: 'binary'` and `webPath` of the library, which take a second of every suite: they
 * make a map of a million characters before the first text.
 */

/** Any character but half of a surrogate pair: a `unit` of texts. */
export const anyCharacter = fc
  .nat(0x10_ffff - 0x800)
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800))

const unreserved = [...'abcxyzABCXYZ0189-._~', ..."!$&'()*+,;=:@"]

/** The path of a URL: segments of what may stand there as it is, and of percent-encoded characters. */
export const webPath = fc
  .array(
    fc.string({
      unit: fc.oneof(
        { arbitrary: fc.constantFrom(...unreserved), weight: 4 },
        { arbitrary: anyCharacter.map(encodeURIComponent), weight: 1 },
      ),
    }),
  )
  .map((segments) => segments.map((segment) => `/${segment}`).join(''))
