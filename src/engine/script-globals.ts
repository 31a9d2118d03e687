import { urlSource } from './url-source.ts'

const URLS = /\b(?:URL|URLSearchParams)\b/

const CONSOLE = /\bconsole\b/

const ENCODINGS = /\b(?:TextEncoder|TextDecoder|btoa|atob)\b/

/**
 * Source code that defines the globals that a script uses beyond the language. It runs inside the
 * script's engine, so it gives no access to objects of this process.
 */
export async function scriptGlobals(script: string): Promise<string> {
  const hasUrls = URLS.test(script)
  const parts = [
    CONSOLE.test(script) ? DEFINE_CONSOLE : '',
    hasUrls || ENCODINGS.test(script) ? DEFINE_ENCODINGS : '',
    hasUrls ? defineUrls(await urlSource()) : '',
  ]
  return parts.join('\n').trim()
}

/** The output of a script could contain the payload, so `console` prints nothing. */
const DEFINE_CONSOLE = `globalThis.console = Object.fromEntries(
  ['log', 'info', 'warn', 'error', 'debug'].map((name) => [name, () => {}]),
)`

/** @param source code that itself uses the encodings */
const defineUrls = (source: string) => `{
  const exports = {}
  ;(() => {
${source}
  })()
  globalThis.URL = exports.URL
  globalThis.URLSearchParams = exports.URLSearchParams
}`

/** `atob` accepts forgiving base64: https://infra.spec.whatwg.org/#forgiving-base64 */
const DEFINE_ENCODINGS = `{
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  globalThis.TextEncoder = class TextEncoder {
    encode(text = '') {
      const found = encodeURIComponent(String(text).toWellFormed()).match(/%[0-9A-F]{2}|[^%]/g) ?? []
      return Uint8Array.from(found, (one) =>
        one[0] === '%' ? Number('0x' + one.slice(1)) : one.charCodeAt(0),
      )
    }
  }
  globalThis.TextDecoder = class TextDecoder {
    decode(bytes = []) {
      const text = Array.from(bytes, (byte) => '%' + byte.toString(16).padStart(2, '0')).join('')
      return decodeURIComponent(text)
    }
  }
  globalThis.btoa = (given) => {
    const text = String(given)
    if (/[^\\0-\\xff]/.test(text)) throw new TypeError('not valid')
    let encoded = ''
    for (let at = 0; at < text.length; at += 3) {
      const [one, two, three] = [0, 1, 2].map((next) => text.charCodeAt(at + next))
      const bits = (one << 16) | (two << 8) | three // past the end is NaN, which counts as 0
      const digits = [18, 12, 6, 0].map((shift) => DIGITS[(bits >> shift) & 63]).join('')
      encoded += at + 1 >= text.length ? digits.slice(0, 2) + '==' : at + 2 >= text.length ? digits.slice(0, 3) + '=' : digits
    }
    return encoded
  }
  globalThis.atob = (given) => {
    const spaceless = String(given).replace(/[\\t\\n\\f\\r ]/g, '')
    const text = spaceless.length % 4 === 0 ? spaceless.replace(/==?$/, '') : spaceless
    if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) throw new TypeError('not valid')
    let [bits, count, decoded] = [0, 0, '']
    for (const digit of text) {
      bits = ((bits << 6) | DIGITS.indexOf(digit)) & 0xffff
      count += 6
      if (count < 8) continue
      count -= 8
      decoded += String.fromCharCode((bits >> count) & 255)
    }
    return decoded
  }
}`
