import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/**
 * The download of a runner at every run: the archive of the commit, without the files that
 * `.gitattributes` excludes.
 *
 * @returns {import('./report.js').Row}
 */
export function measureDownload() {
  const archive = execFileSync('git', ['archive', 'HEAD'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    maxBuffer: 2 ** 30,
  })
  const megabytes = gzipSync(archive).length / 1e6
  return {
    what: 'download of the last commit, gzipped',
    measured: megabytes,
    unit: 'MB',
    atMost: 1.5,
    detail: `${(archive.length / 1e6).toFixed(2)} MB unpacked`,
  }
}
