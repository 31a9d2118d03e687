import { describe, expect, test } from '@jest/globals'
import { RelayError } from '../../src/relay/errors.ts'
import { readTokenUrl, targetPath } from '../../src/relay/webhook/url.ts'
import type { Repository } from '../../src/wire/path.ts'
import { fc } from '../support/properties.ts'
import { partsWithOneHostile } from '../support/text.ts'

function route(target: string, own?: Repository) {
  const { destinations, reserved } = readTokenUrl(target, own)
  return { ...destinations[0], reserved }
}

/** Code, status, message and hint of the error for a target. */
function refusalOf(target: string, own?: Repository) {
  try {
    route(target, own)
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    const { status, code, message, hint } = error
    return { status, code, message, hint }
  }
  return undefined
}

const notFound = (form: string) => ({
  ...{ status: 404, code: 'not_found', message: 'not a webhook URL' },
  hint: `Use a URL of the form ${form}.`,
})
const HOSTED = notFound('/<owner>/<repo>/<workflow>/<trigger>')

describe('a hosted webhook URL', () => {
  test.each([
    ['/o/r/hook/webhook', 'hook/webhook'],
    ['/o/r/hook/webhook/', 'hook/webhook/'],
    ['/o/r/x', 'x'],
    ['/o/r/../../evil/repo/x', '../../evil/repo/x'],
    ['/o/r/%2e%2e/%zz\\', '%2e%2e/%zz\\'],
    ['/o/r/x?', 'x?'],
    ['//o/r/x', 'x'],
    ['/o/r//x', 'x'],
    ['///o/r///x//y?a=//', 'x//y?a=//'],
    ['/o/r/x?a=1', 'x?a=1'],
    ['/o/r/x?a?b=/c', 'x?a?b=/c'],
    ['http://elsewhere.test/o/r/x?a=1', 'x?a=1'],
    ['HTTPS://elsewhere.test:8080/o/r/x', 'x'],
  ])('%s forwards %s', (target, path) => {
    expect(route(target)).toMatchObject({ repository: { owner: 'o', name: 'r' }, path })
  })

  test('an owner of Forgejo may contain dots', () => {
    expect(route('/my.org/r/x')).toMatchObject({ repository: { owner: 'my.org', name: 'r' } })
  })

  test.each([
    '',
    '/',
    '/o',
    '/o/',
    '/o/r',
    '/o/r/',
    '/o/r?x=/y',
    '//r/x',
    '/o//x',
    '/-o/r/x',
    '/o/-/',
    '/webhook/r/x',
    '/webhook/r//x',
    '/webhook/r/x/',
    '*',
    'o/r/x',
  ])('%s is not one: 404', (target) => {
    expect(refusalOf(target)).toEqual(HOSTED)
  })

  test.each(['/webhook/r/x/y', '/Webhook/r/x', '/webhooks/r/x', '/o/webhook/x', '/o-/r/x\ny'])(
    '%j is one',
    (target) => {
      expect(refusalOf(target)).toBeUndefined()
    },
  )

  test.each(['/-/o', '/-/o/', '/-/o/x', '//-/r/x', `/-/o/${'x'.repeat(23)}/y`])(
    '%s is a damaged URL of an endpoint, and told the form of an endpoint',
    (target) => {
      expect(refusalOf(target)).toEqual(
        notFound(
          '/-/<owner>/<id>, whose id has 22 characters: hookline endpoint show <name> --url',
        ),
      )
    },
  )

  test.each(['/webhook/hook/webhook', '/webhook/hook/webhook?a=1/b', '/webhook/hook/webhook/'])(
    '%s is the form of hookline dev, and told the own one',
    (target) => {
      expect(refusalOf(target)).toEqual(HOSTED)
      // An account may have this name: with a trigger the two forms cannot be distinguished.
      expect(route('/webhook/repo/hook/webhook')).toMatchObject({ path: 'hook/webhook' })
    },
  )

  test.each([
    ['/./r/x', 'first'],
    ['/../r/x', 'first'],
    ['/.o/r/x', 'first'],
    ['/o./r/x', 'first'],
    ['/o..o/r/x', 'first'],
    ['/o%2Fp/r/x', 'first'],
    [`/${'o'.repeat(40)}/r/x`, 'first'],
    ['/o/./x', 'second'],
    ['/o/../x', 'second'],
    ['/o/b%2F..%2F..%2Fuser%2Frepos%3F/x', 'second'],
    ['/o/r%3F/x', 'second'],
    ['/o/r;p/x', 'second'],
    [`/o/${'r'.repeat(101)}/x`, 'second'],
  ])('%s names no repository: 400 that names the %s segment', (target, segment) => {
    const [what, most] = segment === 'first' ? ['owner', 39] : ['name', 100]
    expect(refusalOf(target)).toEqual({
      ...{ status: 400, code: 'invalid_path' },
      message: `the ${segment} segment of the path is not a repository ${what}`,
      hint: `Use at most ${most} letters, digits, ".", "-" and "_", none of them percent-encoded.`,
    })
  })

  test('of 1,000 hostile paths none names a repository with other than plain characters', () => {
    let routed = 0
    const property = fc.property(partsWithOneHostile(3), (parts) => {
      let name: string
      try {
        const { repository } = route(`/${parts.join('/')}`)
        name = `${repository.owner}/${repository.name}`
      } catch (error) {
        if (!(error instanceof RelayError)) throw error
        return
      }
      routed++
      expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,38}\/[A-Za-z0-9._-]{1,100}$/)
      expect(name).not.toMatch(/\/\.{1,2}$|\.[._-]*\//)
    })
    fc.assert(property, { numRuns: 1000 })
    expect(routed).toBeGreaterThan(100)
  })
})

describe('a self-hosted webhook URL', () => {
  const repository = { owner: 'o', name: 'r' }

  test.each([
    ['/webhook/hook/webhook', 'hook/webhook'],
    ['/webhook/hook/webhook?a=1&__token=t', 'hook/webhook?a=1'],
    ['/webhook//x', 'x'],
    ['//webhook/x//y', 'x//y'],
  ])('%s forwards %s', (target, path) => {
    expect(route(target, repository)).toMatchObject({ repository, path })
  })

  test.each(['/', '/webhook', '/webhook/', '/webhook/?x', '/Webhook/x/y', '/o/r/x'])(
    '%s is not one: 404',
    (target) => {
      expect(refusalOf(target, repository)).toEqual(notFound('/webhook/<workflow>/<trigger>'))
    },
  )
})

test.each([
  ['http://any.test/healthz?probe=1', '/healthz'],
  ['HTTPS://any.test?x=/y', ''],
  ['http:/any.test/x', 'http:/any.test/x'],
  ['xhttp://any.test/x', 'xhttp://any.test/x'],
  ['/http://any.test/x?a?b', '/http://any.test/x'],
])('the path of %s is %s', (target, path) => {
  expect(targetPath(target)).toBe(path)
})
