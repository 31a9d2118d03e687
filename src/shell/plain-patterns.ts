import { LONGEST_SCRIPT } from './script.ts'

/**
 * Letters, digits and characters that no shell interprets. Only complete ranges count, because `A-z` also
 * contains a backquote and a backslash.
 */
const PLAIN =
  /-?(?:(?:a-z|A-Z|0-9|\[:(?:alnum|alpha|digit|lower|upper|xdigit):\])-?|[\w ./:@+](?!-[^\]]))+-?/
    .source
const PLAIN_CLASS = new RegExp(`\\[${PLAIN}\\]`, 'g')

/** A set of plain characters, as `tr` and `${V//[^…]/}` read it. */
export const PLAIN_SET: RegExp = new RegExp(`^${PLAIN}$`)

/** True for a pattern such as `^v[0-9]+(\.[0-9]+)*$`, which only a whole value of plain characters matches. */
export function isPlainPattern(pattern: string): boolean {
  const [, inside] = /^\^(.*)\$$/.exec(pattern) ?? []
  if (inside === undefined) return false
  const simple = withoutClasses(inside)
  // `^a|b$` anchors each alternative at one end only.
  return /^[\w/:@ +*?()|-]*$/.test(simple) && !withoutGroups(simple).includes('|')
}

function withoutGroups(pattern: string): string {
  const less = pattern.replaceAll(/\([^()]*\)/g, 'x')
  return less === pattern ? pattern : withoutGroups(less)
}

/** A pattern with a letter in place of each class and each escape of plain characters. */
function withoutClasses(pattern: string): string {
  return pattern
    .replaceAll(PLAIN_CLASS, 'x')
    .replaceAll(/\\[./:+-]/g, 'x')
    .replaceAll(/\{\d+(?:,\d*)?\}/g, '')
}

/** A regular expression of JavaScript that finds one match. */
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[imsu]*(?!\w)/.source
const NAMED = new RegExp(`\\bconst\\s+(\\w+)\\s*=\\s*(${REGEX})`, 'g')
const VALUE = /(?:[\w.?]|\([^()\n]{0,200}\)){1,200}/.source
const MATCH = new RegExp(
  `(${REGEX}|\\b\\w+)\\.exec\\(${VALUE}\\)|${VALUE}\\.match\\((${REGEX}|\\w+)\\)`,
  'g',
)
const DECLARATION = /\b(?:const|let|var)\s+(\w+)\s*=[\w .?|'"]*(?=[;\n])/g

/** Characters before a match that are searched for the variable that takes it. */
const ASSIGNMENT = 300

/**
 * A program of JavaScript with `null` for each match of which it reads only plain groups, such as
 * `/^deploy ([\w-]+)$/.exec(body)`, and without declarations that are then unused. The result is only
 * searched for words, and is no valid JavaScript.
 */
export function withoutPlainMatches(program: string): string {
  if (program.length > LONGEST_SCRIPT) return program
  const named = [...program.matchAll(NAMED)]
  const left = program.replaceAll(MATCH, (call, tested, matched, at: number) => {
    const written: string = tested ?? matched
    const regexes = written.startsWith('/')
      ? [written]
      : isRegexOnly(written, program)
        ? named.flatMap(([, name, regex = '']) => (name === written ? [regex] : []))
        : []
    const before = program.slice(Math.max(0, at - ASSIGNMENT), at)
    const isPart =
      READS_GROUP.test(program.slice(at + call.length)) ||
      /\[\s*,[^\]=]*\]\s*=\s*$/.test(before) ||
      readsGroups(program, /(\w+)\s*=\s*$/.exec(before)?.[1])
    return isPart && regexes.length > 0 && regexes.every(hasPlainGroups) ? 'null' : call
  })
  return left.replaceAll(DECLARATION, (declaration, name) => {
    return usesOf(name, left).length === 1 ? '' : declaration
  })
}

/** True if a name is declared once, and only matches with it: no parameter or inner variable hides it. */
function isRegexOnly(name: string, program: string): boolean {
  const others = usesOf(name, program).filter(({ index }) => {
    const isCalled = /^\.(?:exec|test)\(/.test(program.slice(index + name.length))
    return (
      !isCalled && !/\.(?:match|replace)\($/.test(program.slice(Math.max(0, index - 20), index))
    )
  })
  return others.length === 1
}

/** `[1]` or `?.[1]` behind a match; `[0]` is the whole match. */
const READS_GROUP = /^\s*(?:\?\.)?\s*\[[1-9]/

/** True if a program reads a match only by its groups. Testing whether there is a match is allowed too. */
function readsGroups(program: string, match: string | undefined): boolean {
  if (match === undefined) return false
  const others = usesOf(match, program).filter(({ index }) => {
    const behind = program.slice(index + match.length)
    const before = program.slice(Math.max(0, index - 20), index)
    const isTest =
      (/!\s*$|\bif\s*\(\s*$/.test(before) && /^\s*(?:[);,]|\|\|)/.test(behind)) ||
      /^\s*(?:[=!]==?|&&|\?(?![.?]))/.test(behind)
    return !isTest && !READS_GROUP.test(behind)
  })
  // The other use is the assignment of the match.
  return others.length === 1
}

function usesOf(name: string, program: string) {
  // `a.name` is another name, but `...name` is a use.
  return [...program.matchAll(new RegExp(`(?<!\\w|(?<!\\.\\.)\\.)${name}\\b`, 'g'))]
}

/** True if every group of a regular expression matches plain characters only. */
function hasPlainGroups(regex: string): boolean {
  const source = regex
    .replace(/^\/(.*)\/\w*$/, '$1')
    .replaceAll(String.raw`\d`, '0-9')
    .replaceAll(String.raw`\w`, 'A-Za-z0-9_')
    .replaceAll(/\[(?:\\.|[^\]\\])*\]/g, (set) => set.replaceAll(/\\[./_-]/g, '_'))
  let rest = withoutClasses(source).replaceAll(/\\./g, '.')
  for (let before = ''; before !== rest; ) {
    before = rest
    rest = rest
      .replaceAll(/\((?:\?:|\?<\w+>)?[\w/:@ +*?|-]*\)/g, 'x')
      .replaceAll(/\(\?(?:[:=!]|<[=!])[^()]*\)/g, '.')
  }
  return !rest.includes('(')
}
