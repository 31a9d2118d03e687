import { UserError } from '../../wire/errors.ts'

/** @throws UserError for anything but a whole number from 0 to 65535 */
export function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new UserError({
    message: `${JSON.stringify(text)} is no port`,
    hint: 'give a number from 0 to 65535; 0 takes a free one',
  })
}
