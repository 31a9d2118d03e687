import { describe, expect, test } from '@jest/globals'
import { Secret } from '../../src/wire/secret.ts'
import {
  checkedRepository,
  parsePort,
  readSetting,
  type SettingName,
} from '../../src/wire/settings.ts'
import { problemsOf } from '../support/problems.ts'

/** A value that can be compared. */
function plain(value: unknown): unknown {
  if (value instanceof Secret) return { secret: value.reveal() }
  return value instanceof URL ? value.href : value
}

const KEY = `whsec_${'A'.repeat(32)}`

describe('a variable', () => {
  test.each<[Readonly<Record<string, string>>, SettingName, unknown]>([
    [{}, 'HOOKLINE_GITHUB_TOKEN', undefined],
    [{ HOOKLINE_GITHUB_TOKEN: '' }, 'HOOKLINE_GITHUB_TOKEN', undefined],
    [{ HOOKLINE_GITHUB_TOKEN: 'ghp_1~' }, 'HOOKLINE_GITHUB_TOKEN', { secret: 'ghp_1~' }],
    [{ HOOKLINE_DEV_KEY: '!key' }, 'HOOKLINE_DEV_KEY', { secret: '!key' }],
    [{ HOOKLINE_APP_ID: 'Iv1.a-b_2' }, 'HOOKLINE_APP_ID', 'Iv1.a-b_2'],
    [{ HOOKLINE_APP_ID: '1'.repeat(100) }, 'HOOKLINE_APP_ID', '1'.repeat(100)],
    [{ HOOKLINE_APP_KEY: 'a b' }, 'HOOKLINE_APP_KEY', { secret: 'a b' }],
    [{ HOOKLINE_RELAY_KEY: 'a,b' }, 'HOOKLINE_RELAY_KEY', { secret: 'a,b' }],
    [{ HOOKLINE_WEBHOOK_SECRET: 'a b' }, 'HOOKLINE_WEBHOOK_SECRET', { secret: 'a b' }],
    [{ HOOKLINE_ALLOW_TOKENS: 'true' }, 'HOOKLINE_ALLOW_TOKENS', 'true'],
    [{ HOOKLINE_ALLOW_TOKENS: 'false' }, 'HOOKLINE_ALLOW_TOKENS', 'false'],
    [{ HOOKLINE_FORGE: 'gitea' }, 'HOOKLINE_FORGE', 'gitea'],
    [{ HOOKLINE_NOTIFY: 'all' }, 'HOOKLINE_NOTIFY', 'all'],
    [{ HOOKLINE_REPOSITORY: 'octo/repo' }, 'HOOKLINE_REPOSITORY', 'octo/repo'],
    [{ HOOKLINE_DATA: ' /a b' }, 'HOOKLINE_DATA', ' /a b'],
    [{}, 'HOOKLINE_API_URL', 'https://api.github.com/'],
    [{ GITHUB_API_URL: 'https://a.example' }, 'HOOKLINE_API_URL', 'https://a.example/'],
    [
      { GITHUB_API_URL: 'https://a.example', HOOKLINE_API_URL: 'https://b.example' },
      'HOOKLINE_API_URL',
      'https://b.example/',
    ],
    [{}, 'HOOKLINE_PUBLIC_URL', undefined],
    [{ HOOKLINE_PUBLIC_URL: 'localhost:3000' }, 'HOOKLINE_PUBLIC_URL', 'http://localhost:3000/'],
    [{}, 'HOOKLINE_SERVER_URL', 'https://github.com/'],
    [{}, 'HOOKLINE_TELEGRAM_API_URL', 'https://api.telegram.org/'],
    [{}, 'HOOKLINE_MAX_BODY_MB', 25],
    [{ HOOKLINE_MAX_BODY_MB: '1' }, 'HOOKLINE_MAX_BODY_MB', 1],
    [{}, 'HOOKLINE_MAX_STORAGE_MB', 1024],
    [{ HOOKLINE_MAX_STORAGE_MB: '999999999' }, 'HOOKLINE_MAX_STORAGE_MB', 999_999_999],
    [{}, 'HOOKLINE_MAX_AGE_HOURS', 72],
    [{}, 'HOOKLINE_RETENTION_DAYS', 7],
    [{ HOOKLINE_RETENTION_DAYS: '0' }, 'HOOKLINE_RETENTION_DAYS', 0],
    [
      { HOOKLINE_NOTIFY_URL: 'https://pager.example/?key=1' },
      'HOOKLINE_NOTIFY_URL',
      'https://pager.example/?key=1',
    ],
    [{ HOOKLINE_NOTIFY_SECRET: KEY }, 'HOOKLINE_NOTIFY_SECRET', { secret: KEY }],
    [{ HOOKLINE_NOTIFY_SECRET: `${KEY}a+==` }, 'HOOKLINE_NOTIFY_SECRET', { secret: `${KEY}a+==` }],
    [{ HOOKLINE_NOTIFY_SECRET: `${KEY}a/9=` }, 'HOOKLINE_NOTIFY_SECRET', { secret: `${KEY}a/9=` }],
    [{}, 'HOOKLINE_ACT', 'act'],
    [{}, 'HOST', '127.0.0.1'],
    [{}, 'PORT', 3000],
    [{ PORT: '0' }, 'PORT', 0],
  ])('of %j: %s is %j', (env, name, value) => {
    expect(plain(readSetting(env, name))).toEqual(value)
  })
})

const ADDRESS = 'https://api.github.com, or https://github.example.com/api/v3'

describe('is refused:', () => {
  test.each<[SettingName, string, string, string, string?]>([
    ...['a b', 'a\n', 'ä'].map((text): [SettingName, string, string, string] => [
      'HOOKLINE_GITHUB_TOKEN',
      text,
      'HOOKLINE_GITHUB_TOKEN holds a character that no token has',
      'look for a line end or a space around it',
    ]),
    ...[
      ['a b', '"a b"'],
      ['1'.repeat(101), 'a text of 101 characters'],
      [`${'1'.repeat(31)} `, `"${'1'.repeat(31)} "`],
      [`${'1'.repeat(32)} `, 'a text of 33 characters'],
      ['a@b', 'a text of 3 characters'],
    ].map(([text = '', shown]): [SettingName, string, string, string] => [
      'HOOKLINE_APP_ID',
      text,
      `HOOKLINE_APP_ID is not the id of an App: ${shown}`,
      'Use the App id or the client id from the settings page of the App.',
    ]),
    [
      'HOOKLINE_ALLOW_TOKENS',
      'yes',
      'HOOKLINE_ALLOW_TOKENS: unknown value "yes"',
      'Use one of the allowed values.',
      'allowed: true, false',
    ],
    [
      'HOOKLINE_FORGE',
      ' GitHub\n',
      'HOOKLINE_FORGE: unknown value " GitHub\\n"',
      'did you mean "github"?',
      'allowed: github, forgejo, gitea',
    ],
    ...['0', '01', '1000000000', '1.5', '-1', ' 1', '1 '].map(
      (text): [SettingName, string, string, string] => [
        'HOOKLINE_MAX_AGE_HOURS',
        text,
        `HOOKLINE_MAX_AGE_HOURS is not a whole number above 0: "${text}"`,
        'The default is 72.',
      ],
    ),
    [
      'HOOKLINE_RETENTION_DAYS',
      '-1',
      'HOOKLINE_RETENTION_DAYS is not a whole number: "-1"',
      'The default is 7.',
    ],
    [
      'HOOKLINE_API_URL',
      'api.github.com',
      'HOOKLINE_API_URL is not the address of an API: "api.github.com"',
      `it looks like ${ADDRESS}`,
    ],
    [
      'HOOKLINE_API_URL',
      'https://a.example/?b',
      'HOOKLINE_API_URL is not the address of an API: "https://a.example/?b"',
      `it looks like ${ADDRESS}`,
    ],
    ...['http://pager.example', 'pager.example', 'https://u:p@pager.example'].map(
      (text): [SettingName, string, string, string] => [
        'HOOKLINE_NOTIFY_URL',
        text,
        'HOOKLINE_NOTIFY_URL is not an https address',
        'Write it without user, password and fragment: https://pager.example.com/hookline',
      ],
    ),
    ...[KEY.slice(0, -4), KEY.slice(1), `${KEY}=`, `${KEY}a==`, `${KEY}a/9=x`, `x${KEY}`].map(
      (text): [SettingName, string, string, string] => [
        'HOOKLINE_NOTIFY_SECRET',
        text,
        'HOOKLINE_NOTIFY_SECRET is not whsec_ and the base64 of at least 24 bytes',
        'Create one: echo "whsec_$(openssl rand -base64 32)"',
      ],
    ),
    [
      'HOOKLINE_REPOSITORY',
      'octo',
      'HOOKLINE_REPOSITORY is not a repository: "octo"',
      'Write it as owner/name.',
    ],
  ])('%s as %j', async (name, text, message, hint, note = '') => {
    const work = async () => readSetting({ [name]: text }, name)
    const notes = note === '' ? {} : { notes: [note] }
    expect(await problemsOf(work())).toEqual([{ message, hint, ...notes }])
  })

  test.each(['65536', '-1', '1e3', '80 ', ' 80', '', 'http'])('the port %j', async (text) => {
    expect(await problemsOf((async () => parsePort(text))())).toEqual([
      {
        message: `${JSON.stringify(text)} is not a port`,
        hint: 'Use a number from 0 to 65535; 0 selects a free port.',
      },
    ])
  })

  test.each([
    ['octo', '"octo" is not a repository', 'Write it as owner/name.'],
    [
      'octo/repo.git',
      '"octo/repo.git" is the address of a repository, not its name',
      'Write octo/repo.',
    ],
  ])('the repository %s', async (text, message, hint) => {
    const work = async () => checkedRepository(text)
    expect(await problemsOf(work())).toEqual([{ message, hint }])
  })
})

test('the largest port is 65535', () => {
  expect(parsePort('65535')).toBe(65_535)
})
