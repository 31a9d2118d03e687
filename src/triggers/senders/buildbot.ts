import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Buildbot',
  scheme: 'basic',
  secret: 'BUILDBOT_LOGIN',
  shown: 'a user and a password that you choose, as `buildbot:<password>`',
  repeat: 'body.buildid',
  filter: { 'body.complete': true },
  click:
    "add a reporter to `master.cfg`: `c['services'].append(reporters.HttpStatusPush(serverUrl='https://relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw', auth=('buildbot', '<your password>')))`. Then run `buildbot reconfig`.",
}

export const payloads: Payloads = {
  /** https://docs.buildbot.net/latest/manual/configuration/reporters/http_status.html */
  finished: ({ now }) => {
    const at = Math.floor(now.getTime() / 1000)
    return {
      headers: { 'user-agent': 'Buildbot' },
      body: {
        buildid: 318,
        number: 42,
        builderid: 3,
        builder: { builderid: 3, name: 'linux-x64', tags: [] },
        buildrequestid: 401,
        workerid: 2,
        complete: true,
        complete_at: at,
        started_at: at - 95,
        results: 2,
        state_string: 'failed test (failure)',
        properties: { branch: ['main', 'Build'], got_revision: ['6113728f', 'Git'] },
        buildset: { bsid: 388, reason: 'scheduler' },
        url: 'https://buildbot.example.com/#/builders/3/builds/42',
      },
    }
  },
}
