import { execFileSync } from 'node:child_process'
import { createHash, createHmac, randomBytes } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { freePort } from '../support/free-port.ts'
import { type GitHub, listeningWorkflow, startGitHub } from '../support/github.ts'
import { NODE24 } from '../support/node24.ts'
import {
  bootMachine,
  canBootMachine,
  createMachine,
  type Machine,
} from '../support/systemd-machine.ts'
import { until } from '../support/until.ts'

/**
 * `deploy/hookline-relay.service` under a real systemd, set up with the commands of docs/host/relay.md.
 * Only these differ: the address of the repository, the port, and the address of the GitHub API. The relay
 * starts from the files that `deploy/Dockerfile` copies into the image, from the unit, and from no others.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const PAGE = read('docs/host/relay.md')
const [, SET_UP = ''] = /\n## systemd\n(.*?)\n##/s.exec(PAGE) ?? []
const [, DROP_IN = ''] = /```ini\n(.*?)```/s.exec(PAGE) ?? []
const [, SETTINGS = ''] = /```dotenv\n(.*?)```/s.exec(SET_UP.replaceAll(/^ {3}/gm, '')) ?? []

const UNIT = 'hookline-relay'
const SECRET = 'the-secret-of-the-sender'
const TOKEN = `ghp_${'a'.repeat(36)}`
const EVENT = Buffer.from('{"action":"opened"}')

const run = canBootMachine && NODE24 !== null ? describe : describe.skip

run('the unit under systemd', () => {
  let folder: string
  let root: string
  let port: number
  let github: GitHub
  let machine: Machine
  let endpoint: string

  /** Runs a command of the page; sudo is not needed, because the machine's user is root. */
  const command = (text: string, env: Readonly<Record<string, string>> = {}) =>
    machine.runWith(env, 'sh', '-ec', text.replace('sudo ', '').replace(':3000', `:${port}`))
  const property = (name: string) => machine.run('systemctl', 'show', '-P', name, UNIT)
  /** Writes a drop-in, as `systemctl edit` does after the editor. */
  const edit = (unit: string, text: string) => {
    const path = join(root, `etc/systemd/system/${unit}.service.d/override.conf`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    machine.run('systemctl', 'daemon-reload')
  }
  const post = (body: Buffer, signedBody = body) =>
    fetch(`http://127.0.0.1:${port}${endpoint}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(signedBody).digest('hex')}`,
      },
      body: new Uint8Array(body),
    })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-unit-'))
    root = join(folder, 'machine')
    port = await freePort()
    github = await startGitHub()
    createMachine(root, NODE24 ?? '')
    const origin = join(root, 'srv/hookline.git')
    execFileSync('git', ['clone', '-q', '--bare', '--no-hardlinks', ROOT, origin])
    machine = await bootMachine(root)
  }, 120_000)
  afterAll(async () => {
    await machine?.stop()
    await github?.close()
    rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(() => github.reset())

  test('starts a relay with the commands of the page, from the files of the image', async () => {
    const commands = [...SET_UP.matchAll(/`((?:sudo|sudoedit|curl) [^`]+)`/g)]
    expect(commands).toHaveLength(6)
    // The editor's work follows below.
    const [clone, settings, , start, create, ready] = commands.map(([, text = '']) => text)
    await command(clone?.replace(/https:\S+hookline (?=\/)/, 'file:///srv/hookline.git ') ?? '')
    await command(settings ?? '')
    const file = SETTINGS.replace('github_pat_…', TOKEN).concat(
      `PORT=${port}\nHOOKLINE_API_URL=${github.url.replace('127.0.0.1', 'localhost')}\n`,
    )
    // Written into the file of mode 0600 that the page creates.
    writeFileSync(join(root, 'etc/hookline/relay.env'), file)
    expect(statSync(join(root, 'etc/hookline/relay.env')).mode & 0o777).toBe(0o600)
    keepFilesOfImage(join(root, 'opt/hookline'))
    await command(start ?? '')
    await until(async () => (await command(`${ready} || true`)) === 'ready')

    github.always(listeningWorkflow)
    const url = await command(`${create} --sender github --secret-env SECRET`, { SECRET })
    const [, path = ''] = /^https:\/\/hooks\.example\.com(\/-\/octo\/[\w-]+)$/.exec(url) ?? []
    expect(path).not.toBe('')
    endpoint = path
  }, 120_000)

  test('gives the relay a user of its own, and neither capabilities nor all system calls', () => {
    expect(property('ActiveState')).toBe('active')
    const status = machine.run('cat', `/proc/${property('MainPID')}/status`)
    const line = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1]
    // https://systemd.io/UIDS-GIDS: the range of dynamic users.
    expect(Number(line('Uid'))).toBeGreaterThanOrEqual(61_184)
    expect(Number(line('Uid'))).toBeLessThanOrEqual(65_519)
    expect(['NoNewPrivs', 'Seccomp', 'CapEff', 'CapBnd'].map(line)).toEqual([
      ...['1', '2', '0000000000000000', '0000000000000000'],
    ])
  })

  test('lets the relay forward a request, and refuse one with a wrong signature', async () => {
    expect((await post(EVENT, Buffer.from('other'))).status).toBe(401)
    expect(github.calls).toEqual([])
    expect((await post(EVENT)).status).toBe(200)
    expect(github.calls).toMatchObject([
      { url: '/repos/octo/repo/dispatches', headers: { authorization: `Bearer ${TOKEN}` } },
    ])
    expect(github.calls[0]?.violations).toEqual([])
  })

  test('lets the relay store a body of 1 MB, and return it', async () => {
    const body = Buffer.from(JSON.stringify(randomBytes(500_000).toString('hex')))
    expect((await post(body)).status).toBe(200)
    const { headers } = JSON.parse(github.calls[0]?.body ?? '').client_payload
    const { pathname } = new URL(headers['x-hookline-body-url'])
    const answer = await fetch(`http://127.0.0.1:${port}${pathname}`)
    const stored = createHash('sha256').update(Buffer.from(await answer.arrayBuffer()))
    expect(stored.digest('hex')).toBe(createHash('sha256').update(body).digest('hex'))
  })

  test('restarts a killed relay, which then delivers its queued event', async () => {
    github.always({ status: 502 })
    expect((await post(EVENT)).status).toBe(202)
    machine.run('systemctl', 'kill', '--signal=KILL', UNIT)
    await until(() => property('NRestarts') !== '0' && property('ActiveState') === 'active')
    github.reset()
    await until(() => github.calls.length > 0)
    expect(JSON.parse(github.calls[0]?.body ?? '').client_payload.body).toBe(EVENT.toString())
  }, 180_000)

  test('refuses other sockets, other system calls, and files outside of the state folder', () => {
    writeFileSync(join(root, 'srv/probe.pl'), PROBE)
    cpSync(
      join(root, `opt/hookline/deploy/${UNIT}.service`),
      join(root, 'etc/systemd/system/hookline-probe.service'),
    )
    // The folder is not the relay's, because systemd changes the owner of the folder.
    edit(
      'hookline-probe',
      `[Service]
Type=oneshot
Restart=no
StateDirectory=
StateDirectory=hookline-probe
ExecStart=
ExecStart=/usr/bin/perl /srv/probe.pl
`,
    )
    machine.run('systemctl', 'start', 'hookline-probe')
    const printed = machine.run('journalctl', '-u', 'hookline-probe', '-o', 'cat', '-t', 'perl')
    const without = machine.run('perl', '/srv/probe.pl')
    expect({ without, printed }).toEqual({ without: WITHOUT_UNIT, printed: WITH_UNIT })
  })

  test('is rated 1.5 by systemd itself, where 10 is a service without restrictions', () => {
    const [, exposure] =
      /exposure level for \S+: ([\d.]+)/.exec(
        machine.run('systemd-analyze', 'security', '--no-pager', UNIT),
      ) ?? []
    expect(Number(exposure)).toBeLessThanOrEqual(1.5)
  })

  test('starts the relay at boot, with its endpoint', async () => {
    await machine.stop()
    machine = await bootMachine(root)
    await until(async () => (await post(EVENT).catch(() => undefined))?.status === 200)
    expect(github.calls).toHaveLength(1)
  }, 120_000)

  test('restarts the relay until the owner of a restored database is right', async () => {
    const file = '/var/lib/hookline/relay.db'
    const [, right = ''] = /`sudo (chown [^`]+)`/.exec(read('docs/host/operate.md')) ?? []
    machine.run('systemctl', 'stop', UNIT)
    machine.run('sh', '-ec', `mv ${file} /root; cp /root/relay.db ${file}`)
    machine.run('systemctl', 'start', UNIT)
    // systemd's own limit is five starts.
    await until(() => Number(property('NRestarts')) > 5)
    await command(right)
    await until(async () => (await post(EVENT).catch(() => undefined))?.status === 200)
  }, 120_000)

  test('starts a stateless relay', async () => {
    edit(UNIT, DROP_IN.replace('--allow-tokens', '--stateless'))
    machine.run('systemctl', 'restart', UNIT)
    const facts = `http://127.0.0.1:${port}/.well-known/hookline`
    await until(async () => (await fetch(facts).catch(() => undefined))?.ok === true)
    expect(await (await fetch(facts)).json()).toMatchObject({ stateless: true })
  })

  test('is gone with its data after the commands of the page about uninstalling', async () => {
    const [, line = ''] = /- With systemd: (.*)/.exec(read('docs/guides/upgrade.md')) ?? []
    const commands = [...line.matchAll(/`(sudo [^`]+)`/g)]
    expect(commands).toHaveLength(3)
    for (const [, text = ''] of commands) await command(text)
    expect(
      machine.run('sh', '-c', 'ls -d /var/lib/hookline /var/lib/private/hookline || true'),
    ).toBe('')
    expect(property('LoadState')).toBe('not-found')
  })
})

/** Removes from the clone all files that `deploy/Dockerfile` does not copy into the image. */
function keepFilesOfImage(clone: string): void {
  const image = `${clone}.image`
  const copied = [...read('deploy/Dockerfile').matchAll(/^COPY (\S+) /gm)].map(
    ([, path = '']) => path,
  )
  for (const path of [...copied, `deploy/${UNIT}.service`]) {
    cpSync(join(clone, path), join(image, path), { recursive: true })
  }
  rmSync(clone, { recursive: true })
  renameSync(image, clone)
  expect(readdirSync(clone).sort()).toEqual(['deploy', 'dist', 'package.json'])
}

const PTRACE = process.arch === 'arm64' ? 117 : 101

/** Prints, for each forbidden action, the error of the operating system, or 0. */
const PROBE = `use strict;
my %families = (unix => 1, inet => 2, inet6 => 10, netlink => 16, packet => 17);
for my $name (sort keys %families) {
  my $kind = $name =~ /netlink|packet/ ? 3 : 1;
  print "socket $name: ", (socket(my $socket, $families{$name}, $kind, 0) ? 0 : $! + 0), "\\n";
}
print "ptrace: ", (syscall(${PTRACE}, 0, 0, 0, 0) == 0 ? 0 : $! + 0), "\\n";
for my $folder ('/etc', '/opt/hookline', '/srv', '/var/lib/hookline-probe') {
  print "write $folder: ", (open(my $file, '>', "$folder/new") ? 0 : $! + 0), "\\n";
}
print "read /home: ", (opendir(my $home, '/home') ? 0 : $! + 0), "\\n";
print "see other processes: ", (-e '/proc/1' ? 'yes' : 'no'), "\\n";
`

/** 97 is EAFNOSUPPORT, 1 EPERM, 30 EROFS, 13 EACCES. */
const WITH_UNIT = `socket inet: 0
socket inet6: 0
socket netlink: 97
socket packet: 97
socket unix: 97
ptrace: 1
write /etc: 30
write /opt/hookline: 30
write /srv: 30
write /var/lib/hookline-probe: 0
read /home: 13
see other processes: no`

const WITHOUT_UNIT = `socket inet: 0
socket inet6: 0
socket netlink: 0
socket packet: 0
socket unix: 0
ptrace: 0
write /etc: 0
write /opt/hookline: 0
write /srv: 0
write /var/lib/hookline-probe: 0
read /home: 0
see other processes: yes`
