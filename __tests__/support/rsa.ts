import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledPackage } from './build.ts'

/**
 * RSA keys of 2048 bits. All suites share keys of the same name, because finding the primes takes a
 * quarter of a second of CPU.
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

/** If several suites create one concurrently, each uses its own, and the last one remains. */
function makeIn(file: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const own = `${file}.${process.pid}`
  writeFileSync(own, pem)
  renameSync(own, file)
  return pem
}
