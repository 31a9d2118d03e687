import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { IMAGE_USER, writeBaseImage } from '../support/base-image.ts'
import { freePort } from '../support/free-port.ts'
import { areInstalled } from '../support/installed.ts'
import { NODE24 } from '../support/node24.ts'
import { relayKeys } from '../support/relay-keys.ts'

/**
 * The image of the relay from a fresh clone, built from `deploy/Dockerfile` by buildah, which needs no
 * daemon. Its base is a stand-in from this machine's programs, because the real base needs Docker Hub.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Programs of the base: for the instruction RUN, for the start, and to give up rights. */
const PROGRAMS = {
  '/bin/sh': '/bin/sh',
  '/bin/install': '/usr/bin/install',
  '/bin/setpriv': '/usr/bin/setpriv',
  '/usr/local/bin/node': NODE24 ?? '',
}

const isRoot = process.getuid?.() === 0
const canBuild = isRoot && NODE24 !== null && areInstalled('buildah', 'setpriv')

let folder: string
let clone: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-image-'))
  clone = join(folder, 'clone')
  execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, clone])
})
afterAll(() => {
  if (canBuild) buildah('rm', '--all')
  rmSync(folder, { recursive: true, force: true })
})

function buildah(...args: readonly string[]): string {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  return execFileSync('buildah', [...storage, '--storage-driver', 'vfs', ...args], {
    cwd: clone,
    encoding: 'utf8',
    env: { ...process.env, BUILDAH_ISOLATION: 'chroot' },
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim()
}

/** Builds the stand-in for the base. @returns its name */
function buildBase(architecture: string): string {
  const root = join(folder, `base-${architecture}`)
  writeBaseImage(root, PROGRAMS)
  const name = `localhost/base-${architecture}`
  buildah('bud', '--quiet', '--arch', architecture, '--tag', name, root)
  return name
}

interface Manifest {
  readonly manifests: readonly {
    readonly digest: string
    readonly platform?: { readonly architecture: string }
  }[]
  readonly config: { readonly digest: string }
}

function blob(layout: string, digest: string): Manifest & Record<string, unknown> {
  return JSON.parse(readFileSync(join(layout, 'blobs', digest.replace(':', '/')), 'utf8'))
}

;(canBuild ? describe : describe.skip)('the image from a fresh clone', () => {
  const ARCHITECTURES = ['amd64', 'arm64']
  let layout: string
  beforeAll(() => {
    // As the release does: an image for each architecture, and one index for both.
    buildah('manifest', 'create', 'relay')
    for (const architecture of ARCHITECTURES) {
      const name = `relay-${architecture}`
      buildah(
        ...['bud', '--quiet', '--arch', architecture, '--from', buildBase(architecture)],
        ...['--file', 'deploy/Dockerfile', '--tag', name, '.'],
      )
      buildah('manifest', 'add', 'relay', `localhost/${name}`)
    }
    layout = join(folder, 'layout')
    buildah('manifest', 'push', '--all', 'relay', `oci:${layout}:v0.1.0`)
  }, 600_000)

  test('is an image layout with both architectures, and starts the relay as the user node', () => {
    expect(JSON.parse(readFileSync(join(layout, 'oci-layout'), 'utf8'))).toEqual({
      imageLayoutVersion: '1.0.0',
    })
    const top = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as Manifest
    const { manifests } = blob(layout, top.manifests[0]?.digest ?? '')
    expect(manifests.map(({ platform }) => platform?.architecture)).toEqual(ARCHITECTURES)
    for (const { digest } of manifests) {
      const { config } = blob(layout, blob(layout, digest).config.digest)
      expect(config).toMatchObject({
        User: 'node',
        Entrypoint: ['node', '/opt/hookline/dist/cli/index.js', 'relay'],
        ExposedPorts: { '3000/tcp': {} },
        Volumes: { '/var/lib/hookline': {} },
      })
    }
  })

  test('serves without rights, where it can write only to its volume and to /tmp', async () => {
    const container = buildah('from', 'localhost/relay-amd64')
    const root = buildah('mount', container)
    const volume = join(folder, 'volume')
    mkdirSync(volume)
    chownSync(volume, IMAGE_USER, IMAGE_USER)
    const port = String(await freePort())
    const env = {
      ...{ PATH: process.env.PATH, ROOT: root, VOLUME: volume, PORT: port, HOST: '127.0.0.1' },
      HOOKLINE_RELAY_KEY: relayKeys(),
    }
    const relay = inImage(
      env,
      'dist/cli/index.js',
      'relay',
      '--outbox',
      '/var/lib/hookline/outbox.db',
    )
    await listening(relay)
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    expect(readdirSync(volume)).toContain('outbox.db')
    expect(statusOf(relay.pid ?? 0)).toEqual({
      Uid: String(IMAGE_USER),
      NoNewPrivs: '1',
      CapEff: '0000000000000000',
      CapBnd: '0000000000000000',
    })
    relay.kill('SIGTERM')
    await once(relay, 'exit')
    const attempt = `try { require('fs').writeFileSync('/opt/hookline/new', '') } catch ({ code }) { console.log(code) }`
    const [code] = await once(inImage(env, '-e', attempt).stdout ?? relay, 'data')
    expect(String(code).trim()).toBe('EROFS')
  }, 300_000)
})

/** Starts node in the image, as compose.yaml does: read-only, with a volume and a tmpfs, without rights. */
function inImage(env: NodeJS.ProcessEnv, ...words: readonly string[]): ChildProcess {
  const script = `mount --bind "$ROOT" "$ROOT"
    mount -o remount,bind,ro "$ROOT"
    mount --bind "$VOLUME" "$ROOT/var/lib/hookline"
    mount -t tmpfs tmpfs "$ROOT/tmp"
    exec chroot "$ROOT" setpriv --reuid ${IMAGE_USER} --regid ${IMAGE_USER} --clear-groups --no-new-privs \\
      --inh-caps=-all --bounding-set=-all sh -c 'cd /opt/hookline && exec node "$@"' sh "$@"`
  return spawn('unshare', ['--mount', 'sh', '-ec', script, 'sh', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function statusOf(pid: number): Record<string, string> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const line = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
  return Object.fromEntries(
    ['Uid', 'NoNewPrivs', 'CapEff', 'CapBnd'].map((name) => [name, line(name)]),
  )
}

async function listening(child: ChildProcess): Promise<void> {
  let text = ''
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    if (text.includes('listening')) return
  }
  throw new Error(`the relay ended: ${text}`)
}
