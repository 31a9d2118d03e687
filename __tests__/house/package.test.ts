import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { TARGETS } from '../../scripts/build/targets.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

function read(name: string): string {
  return readFileSync(`${root}${name}`, 'utf8')
}

describe('package.json', () => {
  const manifest = JSON.parse(read('package.json'))

  test('runs on Node 20.19 and later, as ES modules, with the bundle of the command line', () => {
    expect(manifest).toMatchObject({
      name: 'hookline',
      type: 'module',
      engines: { node: '>=20.19' },
      bin: { hookline: 'dist/cli/index.js' },
    })
  })

  test('names exact versions, so that a build is the same everywhere', () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.overrides }
    const loose = Object.entries<string>(all).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    )
    expect(loose).toEqual([])
  })
})

describe('package-lock.json', () => {
  interface Locked {
    readonly integrity?: string
    readonly engines?: { readonly node?: string }
  }
  const lock: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))

  test('names no registry, so that it serves behind a mirror', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved"/)
  })

  test('carries the hash of every package', () => {
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages.length).toBeGreaterThan(50)
    expect(packages.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
  })

  /** Whether a range includes Node 20.19: for one bound, or several with `||`. */
  function runsOnOldest(range: string): boolean {
    return range.split('||').some((part) => {
      const [, sign = '', major = '0', minor = '0'] =
        /^\s*(>=|\^|~)?\s*v?(\d+)?(?:\.(\d+))?/.exec(part) ?? []
      const isLater = Number(major) > 20 || (Number(major) === 20 && Number(minor) > 19)
      return sign === '>=' || major === '0' ? !isLater : major === '20' && !isLater
    })
  }

  test('brings nothing that npm warns of on the oldest Node that it runs on', () => {
    const wanted = Object.entries(lock.packages).map(
      ([path, { engines }]) => [path, engines?.node ?? '*'] as const,
    )
    expect(wanted.filter(([, range]) => !runsOnOldest(range))).toEqual([])
    expect(['>=22', '^22.1.0', '>=20.20', '^18 || >=24'].filter(runsOnOldest)).toEqual([])
  })
})

test('every entry is bundled in dist, with its notices', () => {
  const built = TARGETS.filter(({ entry }) => existsSync(root + source(entry)))
  const wanted = built.flatMap(({ folder, file }) =>
    [file, 'licenses.txt', 'package.json'].map((name) => `dist/${folder}/${name}`),
  )
  expect(wanted.filter((name) => !existsSync(root + name))).toEqual([])
})

test('the action starts without undici, which would cost more than all of its own code', () => {
  expect(read('dist/action/index.js')).not.toMatch(/undici|UND_ERR/)
})

function source(entry: string): string {
  return entry.replace('build/', 'src/').replace(/js$/, 'ts')
}

describe('what a runner downloads', () => {
  const archived = execFileSync('git', ['archive', '--worktree-attributes', 'HEAD'], {
    cwd: root,
    maxBuffer: 2 ** 30,
  })
  const names = execFileSync('tar', ['-t'], { input: archived }).toString().trim().split('\n')

  test('is the action, and none of the house around it', () => {
    const folders = new Set(names.map((name) => name.split('/')[0]))
    const allowed = [
      'action.yml',
      'dist',
      'reply',
      'package.json',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
    ]
    expect([...folders].filter((name) => !allowed.includes(name ?? ''))).toEqual([])
    expect(names).toContain('action.yml')
  })
})
