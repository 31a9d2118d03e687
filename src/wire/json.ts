import { LIMITS } from './limits.ts'
import { decimalDigits, isPrintedExactly } from './runner-number.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject

export type JsonObject = { [key: string]: Json }

/**
 * The digits of numbers as they were sent, by their values: only of numbers that a runner would print with
 * other digits, and only if JavaScript would do so, too.
 */
export type SentDigits = ReadonlyMap<number, string>

/**
 * A number, in front of which there is no quote, that a double or a runner may change: with 16 digits or
 * more, with an exponent, or below 0.0001.
 */
const RISKY_NUMBER = /(?:^|[[:,\s])-?(?:\d[\d.]{15}|0\.0000|[\d.]+[eE])/

/**
 * Parses JSON without losing a digit: an integer of 16 or more digits becomes a string, because
 * GitHub's expressions print such numbers as `1.23456789012346E+15`.
 *
 * @param digits gets the digits of other numbers
 * @throws SyntaxError if the string is not JSON, or nested deeper than `LIMITS.jsonDepth`; its
 * message does not quote the string
 */
export function parseJson(text: string, digits?: Map<number, string>): Json {
  return parsePlainJson(RISKY_NUMBER.test(text) ? withExactNumbers(text, digits) : text)
}

/** The parsed JSON; `undefined` if the string is not JSON. */
export function tryParseJson(text: string, digits?: Map<number, string>): Json | undefined {
  try {
    return parseJson(text, digits)
  } catch {
    return undefined
  }
}

/**
 * Parses JSON where exact numbers do not matter.
 *
 * @throws SyntaxError as `parseJson` does
 */
export function parsePlainJson(text: string): Json {
  if (isDeeperThan(text, LIMITS.jsonDepth)) {
    throw new SyntaxError(`JSON nested deeper than ${LIMITS.jsonDepth} levels`)
  }
  try {
    return JSON.parse(text) as Json // `JSON.parse` returns `any`, which is JSON by definition
  } catch {
    throw new SyntaxError('not JSON')
  }
}

/** The same, but `undefined` if the string is not JSON. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parsePlainJson(text)
  } catch {
    return undefined
  }
}

/** True if arrays and objects of a JSON string are nested more than `limit` levels deep. */
export function isDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    if (depth > limit) return true
  }
  return false
}

function endOfString(text: string, start: number): number {
  // `indexOf` is native, and almost every character of a batch is within a string.
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
}

/** A whole number of JSON, unless it stands for a key: `{1: 2}` is not JSON, and stays so. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-]|\s*:)/y

/** Numbers whose digits are remembered; the outputs have room for fewer. */
const MOST_DIGITS = 100_000

/** Parts of a text that are joined at a time, because a body can have millions of numbers. */
const MOST_PARTS = 10_000

/** JSON with strings of digits for the numbers that a double would change. Other text remains no JSON. */
function withExactNumbers(text: string, digits: Map<number, string> | undefined): string {
  const joined: string[] = []
  let parts: string[] = []
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') {
      at = endOfString(text, at)
      continue
    }
    if (!isNumberStart(text.charCodeAt(at))) continue
    NUMBER.lastIndex = at
    const [sent] = NUMBER.exec(text) ?? []
    if (sent === undefined) continue
    const value = Number(sent)
    if (/^-?\d{16,}$/.test(sent) || !Number.isFinite(value)) {
      parts.push(text.slice(copied, at), `"${sent}"`)
      copied = at + sent.length
      if (parts.length > MOST_PARTS) {
        joined.push(parts.join(''))
        parts = []
      }
    } else if (digits) rememberDigits(digits, value, sent)
    at += sent.length - 1
  }
  return [...joined, ...parts, text.slice(copied)].join('')
}

function isNumberStart(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d
}

/** Numbers that are written in several ways, such as `0.00001` and `1e-5`, have one value. */
function rememberDigits(digits: Map<number, string>, value: number, sent: string): void {
  const known = digits.get(value)
  if (known !== undefined) {
    if (known !== sent) digits.set(value, decimalDigits(value))
    return
  }
  // The cheap comparison comes first, because a body can have millions of numbers.
  if (sent.length < 16 && String(value) === sent && Math.abs(value) >= 0.0001) return
  if (digits.size < MOST_DIGITS && !isPrintedExactly(value)) digits.set(value, sent)
}

export function isObject(value: Json | undefined): value is JsonObject
export function isObject(value: unknown): value is Record<string, unknown>
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects in a list; none if the value is no list. */
export function objectsIn(list: Json | undefined): JsonObject[] {
  return Array.isArray(list) ? list.flatMap((entry) => (isObject(entry) ? [entry] : [])) : []
}

/** The type of a value in words: `a string`. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** An object without a prototype, so that `__proto__` is an ordinary key. */
export function record<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const result: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) result[key] = value
  return result
}

export function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return record(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** The value at a path of names; elements of a list are named by their index. */
export function valueAt(
  value: Json | undefined,
  names: readonly (string | number)[],
): Json | undefined {
  return names.reduce<Json | undefined>((at, name) => {
    if (typeof at !== 'object' || at === null) return undefined
    // The length of a list is its own, but no element.
    const isPart = Object.prototype.propertyIsEnumerable.call(at, name)
    return isPart ? (at as Record<string | number, Json>)[name] : undefined
  }, value)
}

/**
 * A string, number or boolean as a string; empty for other values, because `String` throws for some
 * objects.
 */
export function scalarText(value: Json | undefined): string {
  return typeof value === 'object' ? '' : String(value ?? '')
}
