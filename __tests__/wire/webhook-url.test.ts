import { describe, expect, test } from '@jest/globals'
import { UserError } from '../../src/wire/errors.ts'
import { type WebhookAddress, webhookUrl } from '../../src/wire/path.ts'
import { problemsOf } from '../support/problems.ts'
import { fc } from '../support/properties.ts'
import { partsWithOneHostile } from '../support/text.ts'

const ADDRESS: WebhookAddress = {
  relay: 'https://relay.example',
  repository: 'octo/repo',
  workflow: 'hook',
  trigger: 'webhook',
}

describe('the webhook URL', () => {
  test.each<[Partial<WebhookAddress>, string]>([
    [{}, 'https://relay.example/octo/repo/hook/webhook'],
    [{ repository: undefined }, 'https://relay.example/webhook/hook/webhook'],
    [{ workflow: 'hook.yaml' }, 'https://relay.example/octo/repo/hook/webhook'],
    [{ relay: 'http://localhost:3000/' }, 'http://localhost:3000/octo/repo/hook/webhook'],
    [{ relay: 'https://a.example/under//' }, 'https://a.example/under/octo/repo/hook/webhook'],
    [{ workflow: 'a.yml.b' }, 'https://relay.example/octo/repo/a.yml.b/webhook'],
    [{ repository: 'a/.github' }, 'https://relay.example/a/.github/hook/webhook'],
  ])('of %j', (part, url) => {
    expect(webhookUrl({ ...ADDRESS, ...part })).toBe(url)
  })

  test.each<[Partial<WebhookAddress>, string]>([
    [{ relay: 'relay.example' }, 'the address of the relay is "relay.example"'],
    [{ relay: 'ftp://relay.example' }, 'the address of the relay is "ftp://relay.example"'],
    [{ relay: 'https://a.example/?b' }, 'the address of the relay is "https://a.example/?b"'],
    [{ relay: 'https://a.example/#b' }, 'the address of the relay is "https://a.example/#b"'],
    [{ repository: 'repo' }, 'the repository is "repo"'],
    [{ repository: 'octo/..' }, 'the repository is "octo/.."'],
    [{ repository: 'octo/a/b' }, 'the repository is "octo/a/b"'],
    [{ repository: '-a/b' }, 'the repository is "-a/b"'],
    [{ workflow: 'a b' }, 'the workflow is "a b"'],
    [{ workflow: '../a' }, 'the workflow is "../a"'],
    [{ workflow: '.' }, 'the workflow is "."'],
    [{ workflow: '..' }, 'the workflow is ".."'],
    [{ workflow: '..yml' }, 'the workflow is "..yml"'],
    [{ workflow: 'a'.repeat(101) }, 'the workflow is "aaa'],
    [{ trigger: '../../../x y' }, 'the trigger is "../../../x y"'],
    [{ trigger: '..' }, 'the trigger is ".."'],
    [{ trigger: '' }, 'the trigger is ""'],
  ])('is refused for %j', (part, message) => {
    expect(() => webhookUrl({ ...ADDRESS, ...part })).toThrow(message)
  })

  test.each<[Partial<WebhookAddress>, string, string]>([
    [{ repository: 'octo/a.git' }, 'the repository is "octo/a.git"', 'it looks like octo/a'],
    [{ repository: 'octo' }, 'the repository is "octo"', 'it looks like owner/name'],
    [{ relay: 'x' }, 'the address of the relay is "x"', 'it looks like https://relay.example'],
    [{ workflow: ' ' }, 'the workflow is " "', 'it looks like its file name: deploy'],
    [{ trigger: ' ' }, 'the trigger is " "', 'it looks like webhook'],
  ])('is refused for %j with its form', async (part, message, hint) => {
    const work = async () => webhookUrl({ ...ADDRESS, ...part })
    expect(await problemsOf(work())).toEqual([{ message, hint }])
  })

  test('leads to the relay alone, whatever its parts are', () => {
    const runs = 200
    let made = 0
    const property = fc.property(partsWithOneHostile(4), ([owner, name, workflow, trigger]) => {
      const parts = {
        repository: `${owner}/${name}`,
        workflow: `${workflow}`,
        trigger: `${trigger}`,
      }
      let text: string
      try {
        text = webhookUrl({ ...ADDRESS, ...parts })
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        return
      }
      made++
      const { href, pathname } = new URL(text)
      expect(href).toBe(`https://relay.example${pathname}`)
      expect(pathname).toBe(`/${owner}/${name}/${workflow}/${trigger}`)
    })
    fc.assert(property, { numRuns: runs })
    expect(made).toBeGreaterThan(0)
  })
})
