import { isOwner, isRepositoryName, splitOnce } from '../../wire/path.ts'
import { invalidOwner, invalidRepository } from '../errors.ts'

export interface Repository {
  readonly owner: string
  readonly name: string
}

/** @throws RelayError 400 if the text is not `owner/name` */
export function parseRepository(text: string): Repository {
  return namedRepository(...splitOnce(text, '/'))
}

/** @throws RelayError 400 for a name that no repository can have */
export function namedRepository(owner: string, name: string): Repository {
  if (!isOwner(owner)) throw invalidOwner()
  if (!isRepositoryName(name)) throw invalidRepository()
  return { owner, name }
}
