/**
 * What scripts may use beside the language: as text, since it is run in the context of the script.
 * Only texts go to and fro between it and this process, so no object of this process is in reach.
 */
export const SCRIPT_GLOBALS = /\b(?:URL|URLSearchParams|TextEncoder|TextDecoder|btoa|atob)\b/

/** The parts of a URL that can be read, and all but `origin` be written. */
export const URL_PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const

/** What the process of a script does for it. */
export interface ScriptHost {
  /** A call from the context: `[href, base]`, or `[href, undefined, part, value]` to change a part. */
  urlParts(call: string): string
  /** Encodings, and back; each takes a text and gives one, or nothing where it cannot be. */
  encodings(call: string): string
}

/** Only the text of this function gets into that process, so it names nothing from outside. */
export function scriptHost(parts: typeof URL_PARTS): ScriptHost {
  return {
    urlParts(call) {
      try {
        const [text, base, part, value]: (string | null)[] = JSON.parse(call)
        const url = new URL(text ?? '', base ?? undefined)
        const name = parts.find((one) => one === part)
        if (name !== undefined && name !== 'origin') url[name] = value ?? ''
        return JSON.stringify(Object.fromEntries(parts.map((one) => [one, url[one]])))
      } catch {
        return ''
      }
    },
    encodings(call) {
      try {
        const [name, text]: string[] = JSON.parse(call)
        if (name === 'btoa') return JSON.stringify(btoa(text ?? ''))
        return JSON.stringify(atob(text ?? ''))
      } catch {
        return ''
      }
    },
  }
}

/** Defines them in the context; `urlParts` and `encodings` are hidden from the script after that. */
export const DEFINE_GLOBALS = `((urlParts, encodings) => {
  const { stringify, parse } = JSON
  const { TypeError, Array, Uint8Array, Object, String, encodeURIComponent, decodeURIComponent } = globalThis
  const ask = (host, ...call) => {
    let answer = ''
    try {
      answer = host(stringify(call))
    } catch {
      // What this process throws is an object of its own.
    }
    if (answer === '') throw new TypeError('not valid')
    return parse(answer)
  }
  const encode = (text) =>
    encodeURIComponent(text.toWellFormed ? text.toWellFormed() : text)
      .replace(/[!'()~]/g, (char) => '%' + char.charCodeAt(0).toString(16).toUpperCase())
      .replace(/%20/g, '+')
  const decode = (text) => {
    const spaced = text.replace(/\\+/g, ' ')
    try {
      return decodeURIComponent(spaced)
    } catch {
      return spaced
    }
  }

  class URLSearchParams {
    #pairs = []
    #changed
    constructor(from = '', changed) {
      this.#changed = changed
      if (typeof from === 'string') {
        const parts = from.replace(/^\\?/, '').split('&').filter((part) => part !== '')
        this.#pairs = parts.map((part) => {
          const [name, ...value] = part.split('=')
          return [decode(name), decode(value.join('='))]
        })
      } else {
        const pairs = from[Symbol.iterator] ? [...from] : Object.entries(from)
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)])
      }
    }
    #set(pairs) {
      this.#pairs = pairs
      if (this.#changed) this.#changed(this.toString())
    }
    get size() { return this.#pairs.length }
    get(name) {
      const found = this.#pairs.find(([own]) => own === name)
      return found ? found[1] : null
    }
    getAll(name) { return this.#pairs.filter(([own]) => own === name).map(([, value]) => value) }
    has(name) { return this.#pairs.some(([own]) => own === name) }
    append(name, value) { this.#set([...this.#pairs, [String(name), String(value)]]) }
    delete(name) { this.#set(this.#pairs.filter(([own]) => own !== name)) }
    set(name, value) {
      const at = this.#pairs.findIndex(([own]) => own === name)
      if (at < 0) return this.append(name, value)
      this.#set(this.#pairs.flatMap((pair, here) => {
        if (here === at) return [[pair[0], String(value)]]
        return pair[0] === name ? [] : [pair]
      }))
    }
    sort() { this.#set([...this.#pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) }
    forEach(call) { for (const [name, value] of this.#pairs) call(value, name, this) }
    keys() { return this.#pairs.map(([name]) => name).values() }
    values() { return this.#pairs.map(([, value]) => value).values() }
    entries() { return this.#pairs.map((pair) => [...pair]).values() }
    [Symbol.iterator]() { return this.entries() }
    toString() { return this.#pairs.map((pair) => pair.map(encode).join('=')).join('&') }
  }

  class URL {
    #parts
    #params
    constructor(text, base) {
      this.#read(String(text), base === undefined ? null : String(base))
    }
    #read(...call) {
      this.#parts = ask(urlParts, ...call)
    }
    static canParse(text, base) {
      try {
        return ask(urlParts, String(text), base === undefined ? null : String(base)) !== undefined
      } catch {
        return false
      }
    }
    get searchParams() {
      const changed = (text) => this.#read(this.#parts.href, null, 'search', text)
      this.#params ??= new URLSearchParams(this.#parts.search, changed)
      return this.#params
    }
    toString() { return this.#parts.href }
    toJSON() { return this.#parts.href }
    static {
      for (const part of ${JSON.stringify(URL_PARTS)}) {
        const set = function (value) {
          if (part === 'href') this.#read(String(value), null)
          else this.#read(this.#parts.href, null, part, String(value))
          this.#params = undefined
        }
        const get = function () { return this.#parts[part] }
        Object.defineProperty(URL.prototype, part, { get, ...(part !== 'origin' && { set }) })
      }
    }
  }

  class TextEncoder {
    encode(text = '') {
      const bytes = encodeURIComponent(String(text).toWellFormed ? String(text).toWellFormed() : text)
      const found = bytes.match(/%[0-9A-F]{2}|[^%]/g) ?? []
      return Uint8Array.from(found, (one) => (one[0] === '%' ? Number('0x' + one.slice(1)) : one.charCodeAt(0)))
    }
  }
  class TextDecoder {
    decode(bytes = []) {
      const text = Array.from(bytes, (byte) => '%' + byte.toString(16).padStart(2, '0')).join('')
      return decodeURIComponent(text)
    }
  }
  const btoa = (text) => ask(encodings, 'btoa', String(text))
  const atob = (text) => ask(encodings, 'atob', String(text))
  Object.assign(globalThis, { URL, URLSearchParams, TextEncoder, TextDecoder, btoa, atob })
})`
