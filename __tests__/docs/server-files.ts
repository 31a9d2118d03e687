import { expect } from '@jest/globals'
import { LIMITS } from '../../src/wire/limits.ts'
import type { Block } from './pages.ts'

interface Directive {
  readonly words: readonly string[]
  readonly inside?: readonly Directive[]
}

/** Contexts and numbers of arguments of https://nginx.org/en/docs/dirindex.html, for what we use. */
const NGINX: Readonly<Record<string, readonly [contexts: string, least: number, most: number]>> = {
  log_format: ['http', 2, 9],
  upstream: ['http', 1, 1],
  server: ['http upstream', 0, 2],
  keepalive: ['upstream', 1, 1],
  listen: ['server', 1, 9],
  server_name: ['server', 1, 9],
  access_log: ['http server location', 1, 5],
  client_max_body_size: ['http server location', 1, 1],
  large_client_header_buffers: ['http server', 2, 2],
  location: ['server location', 1, 2],
  proxy_pass: ['location', 1, 1],
  proxy_http_version: ['http server location', 1, 1],
  proxy_set_header: ['http server location', 2, 2],
  proxy_read_timeout: ['http server location', 1, 1],
  proxy_next_upstream: ['http server location', 1, 9],
}

/** What stands in the `http` block of nginx; read strictly by its rules. */
export async function runNginx({ text }: Block): Promise<void> {
  const tokens = text.replaceAll(/^\s*#.*$/gm, '').match(/'[^']*'|"[^"]*"|[{};]|[^\s{};]+/g) ?? []
  const directives = directivesOf([...tokens])
  checkNginx(directives, 'http')
  const words = flat(directives).map((directive) => directive.words.join(' '))
  // What the page says of it: no URL with its query in the log, no second relay, room for a body.
  expect(words).toContain('proxy_next_upstream off')
  expect(
    words.filter((line) => /log_format.*\$(request|request_uri|args|query_string)\b/.test(line)),
  ).toEqual([])
  expect(sizeOf(words)).toBeGreaterThan(LIMITS.requestBodyBytes)
  const formats = words.flatMap((line) => /^log_format (\S+)/.exec(line)?.[1] ?? [])
  const logs = words.flatMap((line) => /^access_log \S+ (\S+)/.exec(line)?.[1] ?? [])
  expect(logs).toEqual(formats)
}

function directivesOf(tokens: string[]): Directive[] {
  const directives: Directive[] = []
  let words: string[] = []
  for (let token = tokens.shift(); token !== undefined && token !== '}'; token = tokens.shift()) {
    if (token !== ';' && token !== '{') {
      words.push(token)
      continue
    }
    directives.push(token === '{' ? { words, inside: directivesOf(tokens) } : { words })
    words = []
  }
  expect(words).toEqual([])
  return directives
}

function checkNginx(directives: readonly Directive[], context: string): void {
  for (const { words, inside } of directives) {
    const [name = '', ...rest] = words
    const [contexts = '', least = 0, most = 0] = NGINX[name] ?? []
    expect([name, contexts.split(' ')]).toEqual([name, expect.arrayContaining([context])])
    expect([name, rest.length >= least && rest.length <= most]).toEqual([name, true])
    if (inside) checkNginx(inside, name)
  }
}

function flat(directives: readonly Directive[]): Directive[] {
  return directives.flatMap((one) => [one, ...flat(one.inside ?? [])])
}

function sizeOf(words: readonly string[]): number {
  const [, size = 0] = /client_max_body_size (\d+)k/.exec(words.join('\n')) ?? []
  return Number(size) * 1024
}

/** A site of Caddy that passes everything on: an address, and one directive with its upstreams. */
export async function runCaddyfile({ text }: Block): Promise<void> {
  expect(text).toMatch(/^[\w.-]+ \{\n(?: {4}reverse_proxy(?: [\w.-]+:\d+)+\n)+\}\n$/)
}
