import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { settingDefault } from '../../src/wire/settings.ts'
import type { Block } from './pages.ts'

/** The directives on the pages, each with the blocks in which nginx allows it. */
const NGINX: Readonly<Record<string, readonly string[]>> = {
  log_format: ['http'],
  upstream: ['http'],
  server: ['http', 'upstream'],
  keepalive: ['upstream'],
  listen: ['server'],
  server_name: ['server'],
  ssl_certificate: ['http', 'server'],
  ssl_certificate_key: ['http', 'server'],
  access_log: ['http', 'server', 'location'],
  client_max_body_size: ['http', 'server', 'location'],
  large_client_header_buffers: ['http', 'server'],
  location: ['server', 'location'],
  return: ['server', 'location'],
  proxy_pass: ['location'],
  proxy_http_version: ['http', 'server', 'location'],
  proxy_set_header: ['http', 'server', 'location'],
  proxy_read_timeout: ['http', 'server', 'location'],
  proxy_next_upstream: ['http', 'server', 'location'],
}

/**
 * The content of nginx's `http` block: one directive in each line, from
 * https://nginx.org/en/docs/dirindex.html.
 */
export async function runNginx({ text }: Block): Promise<void> {
  const open = ['http']
  const lines = text.split('\n').map((line) => line.trim())
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
    if (line === '}') {
      open.pop()
      continue
    }
    const [name = ''] = line.split(/\s/)
    expect([line, NGINX[name]]).toEqual([line, expect.arrayContaining([open.at(-1)])])
    expect(line).toMatch(/^\w+ .*[;{]$/)
    if (line.endsWith('{')) open.push(name)
  }
  expect(open).toEqual(['http'])
  // The page promises that the log contains no query, that no second relay is tried, and that any
  // allowed body is accepted.
  expect(text).toContain('proxy_next_upstream off;')
  expect(text).not.toMatch(/log_format[^;]*\$(request|request_uri|args|query_string)\b/)
  const [, megabytes] = /client_max_body_size (\d+)m;/.exec(text) ?? []
  expect(megabytes).toBe(settingDefault('HOOKLINE_MAX_BODY_MB'))
  const [, format] = /log_format (\S+)/.exec(text) ?? []
  expect(text).toMatch(new RegExp(`access_log \\S+ ${format};`))
  await readBy('nginx', (folder, file) => ['-t', '-e', join(folder, 'error.log'), '-c', file], {
    name: 'nginx.conf',
    // A certificate is the reader's own, and the log is theirs too.
    make: (folder) => {
      writeCertificate(folder)
      const own = text.replaceAll(/\/var\/log\/nginx|\/etc\/letsencrypt\/live\/[\w.]+/g, folder)
      return `pid ${folder}/pid;\nevents {}\nhttp {\n${own}\n}\n`
    },
  })
}

/** A certificate for nobody, with the names that certbot gives to its files. */
function writeCertificate(folder: string): void {
  const files = ['-keyout', `${folder}/privkey.pem`, '-out', `${folder}/fullchain.pem`]
  const made = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', '/CN=hooks.example.com']
  expect(spawnSync('openssl', [...made, ...files]).status).toBe(0)
}

/** A site of Caddy that passes everything to the relay, except the admin API. */
export async function runCaddyfile({ text }: Block): Promise<void> {
  const lines = text.split('\n').map((line) => line.trim())
  const known =
    /^(?:[\w.-]+ \{|\}||@admin path_regexp \S+|respond @admin 404|reverse_proxy(?: [\w.-]+:\d+)+)$/
  expect(lines.filter((line) => !known.test(line))).toEqual([])
  expect(text).toContain('reverse_proxy ')
  await readBy('caddy', (_, file) => ['adapt', '--adapter', 'caddyfile', '--config', file], {
    name: 'Caddyfile',
    make: () => text,
  })
}

/** Lets the server itself read the file, where it is installed. */
async function readBy(
  program: string,
  args: (folder: string, file: string) => string[],
  { name, make }: { readonly name: string; readonly make: (folder: string) => string },
): Promise<void> {
  if (spawnSync(program, ['version']).error) return
  const folder = await mkdtemp(join(tmpdir(), `${program}-`))
  try {
    const file = join(folder, name)
    await writeFile(file, make(folder))
    const read = spawnSync(program, args(folder, file), { encoding: 'utf8' })
    expect([read.status, read.status === 0 ? '' : read.stderr]).toEqual([0, ''])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
