import {
  cutReservedParameters,
  isOwner,
  isRepositoryName,
  type ReservedParameters,
  splitOnce,
} from '../../wire/path.ts'
import { invalidOwner, invalidRepository, notFound } from '../errors.ts'
import { splitTarget } from './request-target.ts'

export interface Repository {
  readonly owner: string
  readonly name: string
}

/** A webhook URL taken apart. */
export interface Webhook {
  readonly repository: Repository
  /** The raw part after the repository, with the query but without reserved parameters. */
  readonly path: string
  readonly reserved: ReservedParameters
}

const HOSTED_FORM = '/<owner>/<repo>/<workflow>/<trigger>'

const SELF_HOSTED_FORM = '/webhook/<workflow>/<trigger>'

/** The form of a webhook URL, at a relay for all repositories or for one. */
export function urlFormOf(repository: Repository | undefined): string {
  return repository ? SELF_HOSTED_FORM : HOSTED_FORM
}

const SELF_HOSTED_PREFIX = /^\/+webhook\/+/

/** Path of a raw request target, without its query and, in absolute form, without scheme and host. */
export function targetPath(target: string): string {
  return splitTarget(target)[0]
}

/**
 * Reads a webhook URL from a raw request target; nothing in it is decoded or normalised
 * but repeated slashes before the workflow, which a base address with a slash at its end causes.
 *
 * @param repository set for the self-hosted form, where the URL names none
 * @throws RelayError 404, or 400 for a name that no repository can have
 */
export function routeWebhook(target: string, repository: Repository | undefined): Webhook {
  const [path, rawQuery] = splitTarget(target)
  const { query, reserved } = cutReservedParameters(rawQuery)
  const [owned, rest] = repository ? selfHosted(path, repository) : hosted(path)
  return { repository: owned, path: query === undefined ? rest : `${rest}?${query}`, reserved }
}

/** @throws RelayError when the text is not `owner/name` */
export function parseRepository(text: string): Repository {
  return validRepository(...splitOnce(text, '/'))
}

function validRepository(owner: string, name: string): Repository {
  if (!isOwner(owner)) throw invalidOwner()
  if (!isRepositoryName(name)) throw invalidRepository()
  return { owner, name }
}

function hosted(path: string): [Repository, string] {
  const [, owner, name, rest] = /^\/+([^/]+)\/([^/]+)\/+(.+)$/s.exec(path) ?? []
  // No owner begins with `-`: such a path is of an endpoint, or of the admin API.
  if (!owner || !name || !rest || owner.startsWith('-')) throw notFound(HOSTED_FORM)
  // The form of hookline dev: without a trigger it could not start anything of an owner of that name.
  if (owner === 'webhook' && !/^[^/]+\/./.test(rest)) throw notFound(HOSTED_FORM)
  return [validRepository(owner, name), rest]
}

function selfHosted(path: string, repository: Repository): [Repository, string] {
  const rest = SELF_HOSTED_PREFIX.test(path) ? path.replace(SELF_HOSTED_PREFIX, '') : ''
  if (rest === '') throw notFound(SELF_HOSTED_FORM)
  return [repository, rest]
}
