import { bundle } from '../build/bundle.js'
import { embedInspectorPage } from '../build/inspector-page.js'
import { copyPackages } from '../build/packages.js'
import { TARGETS } from '../build/targets.js'
import { embedUrlSource } from '../build/url-source.js'

/**
 * The bundles of the action, the command line and the relay, from build/.
 *
 * @returns {Promise<import('./files.js').GeneratedFiles>}
 */
export async function distFiles() {
  await copyPackages('build')
  const page = await embedInspectorPage()
  const urls = await embedUrlSource()
  /** Modules that the bundles of a folder contain as text. @type {Record<string, string[]>} */
  const embedded = { action: urls, cli: [...page, ...urls] }
  const bundles = []
  for (const target of TARGETS) {
    bundles.push(...(await bundle(target, embedded[target.folder])))
  }
  const files = new Map(bundles.map(([name, file]) => [`dist/${name}`, file]))
  return { files, folder: 'dist' }
}
