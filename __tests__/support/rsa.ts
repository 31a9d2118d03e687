import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledPackage } from './build.ts'

/**
 * RSA keys of 2048 bits, the same for all suites that name them so: it takes a quarter of a second of CPU
 * to find their primes.
 */
export function rsaKeys(name: string): { publicKey: KeyObject; privateKey: KeyObject } {
  const file = join(bundledPackage(), `rsa-${name}.pem`)
  const privateKey = createPrivateKey(keptIn(file) ?? makeIn(file))
  return { publicKey: createPublicKey(privateKey), privateKey }
}

function keptIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Where several suites make one at once, each has its own, and the last is kept. */
function makeIn(file: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const own = `${file}.${process.pid}`
  writeFileSync(own, pem)
  renameSync(own, file)
  return pem
}
