import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ncc from '@vercel/ncc'
import { EVENT } from './workspace.js'

/**
 * The versions are fixed, including that of the dependency mailparser, so that all runs compare
 * with the same program.
 */
const MANIFEST = {
  private: true,
  dependencies: { actionsflow: '1.12.0' },
  overrides: { mailparser: '3.6.5' },
}

/**
 * Actionsflow's `build` on the same event, bundled like the action. Unbundled, it reads hundreds of
 * packages one by one, and the comparison would measure the bundling.
 *
 * @param {string} folder
 * @param {import('./workspace.js').Workspace} workspace
 * @returns {Promise<import('./processes.js').Variant>}
 */
export async function peerVariant(folder, workspace) {
  const root = join(folder, 'peer')
  await install(root)
  const script = await bundlePeer(root)
  const github = { event_name: 'repository_dispatch', event: EVENT }
  const env = {
    HOME: folder,
    JSON_GITHUB: JSON.stringify(github),
    JSON_SECRETS: '{}',
    NO_UPDATE_NOTIFIER: '1',
  }
  const expect = /1 updates found at trigger \[webhook\]/
  return { script, args: ['build'], cwd: workspace.folder, env, expect }
}

/** @param {string} root */
async function install(root) {
  console.error('installing Actionsflow …')
  await mkdir(root)
  await writeFile(join(root, 'package.json'), JSON.stringify(MANIFEST))
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', args, { cwd: root, stdio: 'inherit' })
}

/** @param {string} root */
async function bundlePeer(root) {
  const entry = join(root, 'node_modules/actionsflow/dist/src/bin/index.js')
  const { code, assets } = await ncc(entry, { cache: false, quiet: true, minify: true })
  const files = Object.entries(assets).map(([name, { source }]) => [name, source])
  for (const [name, source] of [['index.cjs', code], ...files]) {
    const path = join(root, 'bundle', String(name))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, source ?? '')
  }
  return join(root, 'bundle/index.cjs')
}
