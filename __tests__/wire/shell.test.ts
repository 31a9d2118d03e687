import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { currentShell, POSIX, POWERSHELL } from '../../src/wire/shell.ts'

describe('the shell that lines are written for', () => {
  test.each([
    ['linux', {}, 'posix'],
    ['linux', { SHELL: '/usr/bin/zsh', PSModulePath: '/opt/pwsh/Modules' }, 'powershell'],
    ['darwin', { PSModulePath: '' }, 'posix'],
    ['win32', { PSModulePath: 'C:\\Modules' }, 'powershell'],
    ['win32', { PSModulePath: 'C:\\Modules', MSYSTEM: 'MINGW64' }, 'posix'],
    ['win32', { SHELL: '/bin/bash.exe' }, 'posix'],
    ['win32', { SHELL: '/bin/zsh' }, 'posix'],
    ['win32', { SHELL: 'C:\\bash.exe.old' }, 'powershell'],
    ['win32', {}, 'powershell'],
  ] as const)('on %s with %j is %s', (platform, env, name) => {
    expect(currentShell(env, platform).name).toBe(name)
  })
})

describe('for PowerShell', () => {
  const TOKEN = '$env:TOKEN'
  const KEY = '$env:KEY'

  test.each([
    ['text', [], "'text'"],
    ["it's", [], "'it''s'"],
    ['a ’typographic‘ one', [], "'a ’’typographic‘‘ one'"],
    ['$env:TOKEN', [], "'$env:TOKEN'"],
    ['Bearer $env:TOKEN', [TOKEN], '"Bearer $env:TOKEN"'],
    ['"$env:TOKEN" for $5 `x` “y”', [TOKEN], '"`"$env:TOKEN`" for `$5 ``x`` `“y`”"'],
    [
      '$env:TOKEN, then "$env:KEY" and $env:TOKEN',
      [TOKEN, KEY],
      '"$env:TOKEN, then `"$env:KEY`" and $env:TOKEN"',
    ],
  ] as const)('%j with %j is quoted %s', (text, variables, wanted) => {
    expect(POWERSHELL.quoted(text, variables)).toBe(wanted)
  })

  const url = 'https://relay.example/o/r/hook/webhook'
  const json = { 'content-type': 'application/json' }
  test.each([
    [{ method: 'GET', url, headers: {}, body: '' }, `Invoke-RestMethod -Uri '${url}'`],
    [
      {
        method: 'POST',
        url,
        headers: { 'X-Key': `k ${TOKEN}`, ...json },
        body: '{"a":1}',
        variables: [TOKEN],
      },
      `Invoke-RestMethod -Method POST -Uri '${url}' -Headers @{ 'X-Key' = "k $env:TOKEN" } -ContentType 'application/json' -Body '{"a":1}'`,
    ],
    [
      { method: 'PUT', url, headers: {}, body: 'ä' },
      `Invoke-RestMethod -Method PUT -Uri '${url}' -Body ([Text.Encoding]::UTF8.GetBytes('ä'))`,
    ],
    [
      {
        method: 'POST',
        url,
        headers: { 'user-agent': 'a/1' },
        body: 'AAE=',
        encoding: 'base64' as const,
      },
      `Invoke-RestMethod -Method POST -Uri '${url}' -UserAgent 'a/1' -Body ([Convert]::FromBase64String('AAE='))`,
    ],
  ])(
    'a request is Invoke-RestMethod, which is the same in every version: %#',
    (request, wanted) => {
      expect(POWERSHELL.request(request)).toBe(wanted)
    },
  )

  test('variables are set, asked for and kept in its own way', () => {
    const having = { EVENT: { text: 'x y' }, KEYS: { printedBy: 'make keys' }, A: { of: 'B' } }
    expect(POWERSHELL.having(having, 'serve')).toBe(
      "$env:EVENT = 'x y'; $env:KEYS = make keys; $env:A = $env:B; serve",
    )
    expect(POWERSHELL.keeping('TOKEN', '.env')).toMatch(
      /^\$env:TOKEN = .*Read-Host TOKEN -AsSecureString.*; Add-Content \.env "TOKEN=\$env:TOKEN"$/,
    )
    expect(POWERSHELL.appending('A=b c', '.env')).toBe("Add-Content .env 'A=b c'")
    expect(POWERSHELL.appending('a.b/c:d@e-f', '.env')).toBe('Add-Content .env a.b/c:d@e-f')
    expect(POWERSHELL.chained(['a', 'b'])).toBe('a; b')
    expect(POWERSHELL.picking('half:', 'make', '.env')).toBe(
      "make 2>&1 | Select-String ' half: (.*)' | ForEach-Object { Add-Content .env $_.Matches[0].Groups[1].Value }",
    )
  })
})

describe('for a POSIX shell', () => {
  const url = 'https://relay.example/hook'

  test.each([
    [{ method: 'GET', url, headers: {}, body: '' }, `curl '${url}'`],
    [{ method: 'HEAD', url, headers: {}, body: '' }, `curl --head '${url}'`],
    [{ method: 'GET', url, headers: {}, body: 'a' }, `curl -X GET -d 'a' '${url}'`],
    [{ method: 'DELETE', url, headers: {}, body: '' }, `curl -X DELETE '${url}'`],
    [
      { method: 'POST', url, headers: { a: 'b c', d: '' }, body: '@e' },
      `curl -X POST -H 'a: b c' -H 'd;' --data-raw '@e' '${url}'`,
    ],
    [
      { method: 'PUT', url, headers: {}, body: 'AAE=', encoding: 'base64' as const },
      `printf %s 'AAE=' | base64 -d | curl -X PUT --data-binary @- '${url}'`,
    ],
    [
      {
        method: 'GET',
        url: `${url}?$B`,
        headers: { a: '"$A" \\ `b` $5' },
        body: '',
        variables: ['$A', '$B'],
      },
      `curl -H "a: \\"$A\\" \\\\ \\\`b\\\` \\$5" "${url}?$B"`,
    ],
  ])('a request is a line for curl: %#', (request, wanted) => {
    expect(POSIX.request(request)).toBe(wanted)
  })

  test('commands are chained, and values quoted only if they must be', () => {
    expect(POSIX.chained(['a', 'b'])).toBe('a && b')
    expect(POSIX.appending('a.b/c:d@e-f', '.env')).toBe('echo a.b/c:d@e-f >> .env')
    expect(POSIX.variable('A')).toBe('$A')
    expect(POWERSHELL.variable('A')).toBe('$env:A')
  })
})

describe('for a POSIX shell, run in one', () => {
  const run = (line: string, cwd = tmpdir()) =>
    execFileSync('bash', ['--norc', '-c', line], {
      encoding: 'utf8',
      cwd,
      env: { PATH: process.env.PATH, B: 'b"$x' },
    })

  test('variables are set', () => {
    const having = {
      EVENT: { text: "it's $5" },
      KEYS: { printedBy: 'echo "1  2"' },
      A: { of: 'B' },
    }
    const line = POSIX.having(having, 'env')
    expect(run(line).split('\n')).toEqual(
      expect.arrayContaining(["EVENT=it's $5", 'KEYS=1  2', 'A=b"$x']),
    )
  })

  test('a kept secret and a picked value are in the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-shell-'))
    run(POSIX.appending('A=b c', '.env'), folder)
    run(`echo 's"$x' | { ${POSIX.keeping('S', '.env')}; }`, folder)
    run(POSIX.picking('half:', 'echo "made it; its half: K=v"', '.env'), folder)
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe('A=b c\nS=s"$x\nK=v\n')
    rmSync(folder, { recursive: true })
  })
})
