import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The user `node` of the official image. */
export const IMAGE_USER = 1000

/**
 * Writes a stand-in for an image of Docker Hub, from programs of this machine and the libraries that they
 * load, and a `Dockerfile` that builds the image.
 *
 * @param programs paths on this machine, by the path in the image
 */
export function writeBaseImage(
  root: string,
  programs: Readonly<Record<string, string>>,
  ...instructions: readonly string[]
): void {
  for (const name of ['proc', 'etc', 'tmp', 'var/lib']) {
    mkdirSync(join(root, name), { recursive: true })
  }
  // Docker gives a tmpfs the mode of the folder below it.
  chmodSync(join(root, 'tmp'), 0o1777)
  for (const [to, from] of Object.entries(programs)) copyProgram(from, to, root)
  writeFileSync(join(root, 'etc/passwd'), `node:x:${IMAGE_USER}:${IMAGE_USER}::/tmp:/bin/sh\n`)
  writeFileSync(join(root, 'etc/group'), `node:x:${IMAGE_USER}:\n`)
  const lines = ['FROM scratch', 'COPY . /', 'ENV PATH=/usr/local/bin:/bin', ...instructions]
  writeFileSync(join(root, 'Dockerfile'), `${lines.join('\n')}\n`)
}

function copyProgram(from: string, to: string, root: string): void {
  const libraries = execFileSync('ldd', [from], { encoding: 'utf8' }).match(/\/\S+/g) ?? []
  for (const [source, target] of [[from, to], ...libraries.map((path) => [path, path])]) {
    mkdirSync(dirname(join(root, target ?? '')), { recursive: true })
    copyFileSync(source ?? '', join(root, target ?? ''))
  }
}
