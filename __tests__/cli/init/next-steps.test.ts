import { expect, test } from '@jest/globals'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { senderNamed } from '../../../src/triggers/senders.ts'
import { POWERSHELL } from '../../../src/wire/shell.ts'
import { stepsOf } from './steps.ts'

test('the steps of a webhook: push, connect, try it here, a URL that stays', () => {
  expect(stepsOf('webhook')).toBe(`
Commit and push it to the default branch:
  git add .github/workflows/deploy.yml && git commit -m 'Add the workflow deploy' && git push origin HEAD

Get a public URL, and follow each request to its run:
  hookline connect

Optional: to test it on this machine:
  hookline dev
  # In a second terminal:
  curl -X POST -H 'content-type: application/json' -d '{"hello":"world"}' 'http://localhost:3000/webhook/deploy/webhook'

Optional: for a URL that always works, start a relay on a server, and create it:
  hookline relay
  # In a second terminal, with HOOKLINE_GITHUB_TOKEN:
  hookline endpoint create deploy --repository octo/repo --workflow deploy --credential token
  # https://github.com/hookline/hookline/blob/main/docs/host/relay.md
`)
})

test('a workflow to compile names its event and action', () => {
  const uses = `acme/hookline@${'a'.repeat(40)}`
  const [file] =
    KINDS.get('compiled')?.files({ name: 'deploy', uses, dispatch: 'workflow' as const }) ?? []
  expect(file?.text).toContain(`hookline:
  dispatch: workflow\n  uses: ${uses}\n`)
  expect(stepsOf('compiled')).toMatch(/^ {2}hookline build\n {2}git add .*deploy\.yml/m)
})

test('without a git remote, the command has a placeholder', () => {
  expect(stepsOf('webhook', {}, { origin: undefined })).toContain('--repository owner/name ')
})

test('connect names the workflow if there is another', () => {
  const connectOf = (isAlone: boolean) =>
    stepsOf('webhook', { sender: senderNamed('stripe') }, { isAlone })
  expect(connectOf(true)).toContain('  hookline connect stripe\n')
  expect(connectOf(false)).toContain('  hookline connect stripe --workflow deploy\n')
})

test('Windows PowerShell has no && and no curl', () => {
  const senders = [undefined, 'stripe', 'discord'].map((name) => senderNamed(name ?? ''))
  for (const sender of senders) {
    const steps = stepsOf('webhook', { sender }, { shell: POWERSHELL })
    expect(steps).toContain(
      "git add .github/workflows/deploy.yml; git commit -m 'Add the workflow deploy'; git push origin HEAD",
    )
    expect(steps).not.toMatch(/\bcurl\b|\bread -rs\b|\bexport \w|\benv -u\b|&&|^ *[A-Z_]+=/m)
    expect(steps).toMatch(/Invoke-RestMethod|\$env:|Read-Host|Add-Content/)
  }
})

test('a bot has no URL, and its token is in no argument', () => {
  const steps = stepsOf('bot')
  expect(steps).toMatch(/\n {2}gh secret set BOT_TOKEN\n[\s\S]*\n {2}gh workflow run deploy\.yml\n/)
  expect(steps).not.toMatch(/connect|doctor/)
})
