import { UsageError, UserError } from '../wire/errors.ts'
import type { Secret } from '../wire/secret.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { didYouMean, quoted } from '../workflow/suggestion.ts'
import { originRepository } from './files.ts'

/** The repository of the git remote. @throws UserError without one */
export function repositoryHere(): string {
  const repository = originRepository()
  if (repository !== '') return repository
  throw new UserError({
    message: 'there is no git remote "origin" that names the repository',
    hint: 'Run the command in a clone, or add: --repository <owner>/<name>',
  })
}

/**
 * The value of the variable that a flag such as `--secret-env` names.
 *
 * @throws UserError if it is not set; UsageError if the name cannot be one of a variable
 */
export function variableNamed(flag: string, name: string, env: Environment): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    // The text is not shown, because it may be the secret itself.
    throw new UsageError({
      message: `${flag} is not the name of a variable`,
      hint: `Pass the name of a variable: ${flag} NAME`,
    })
  }
  const value = env[name]
  if (value) return value
  throw new UserError({
    message: `${flag}: the variable ${name} is not set, or empty`,
    hint: `Set it without showing it: read -rs ${name} && export ${name}`,
  })
}

/**
 * The error for an unknown name, with a similar one or else all.
 *
 * @param what a noun, such as `sender`
 */
export function unknownName(what: string, name: string, known: readonly string[]): UserError {
  const message = `unknown ${what} ${quoted(name)}`
  const hint = didYouMean(name, known)
  return new UserError(
    hint ? { message, hint } : { message, notes: [`known: ${known.join(', ')}`] },
  )
}

/** HOOKLINE_GITHUB_TOKEN, which a flag needs. @throws UserError without one */
export function tokenFor(flag: string, env: Environment): Secret {
  const token = readSetting(env, 'HOOKLINE_GITHUB_TOKEN')
  if (token) return token
  throw new UserError({
    message: `${flag}: HOOKLINE_GITHUB_TOKEN is not set`,
    hint: 'Set it without showing it: read -rs HOOKLINE_GITHUB_TOKEN && export HOOKLINE_GITHUB_TOKEN',
  })
}
