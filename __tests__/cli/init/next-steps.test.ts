import { expect, test } from '@jest/globals'
import { type Answers, KINDS } from '../../../src/cli/init/kinds.ts'
import { nextSteps } from '../../../src/cli/init/next-steps.ts'
import { senderNamed } from '../../../src/triggers/senders.ts'
import { POWERSHELL } from '../../../src/wire/shell.ts'

const ANSWERS: Omit<Answers, 'kind'> = {
  name: 'deploy',
  repository: 'octo/repo',
  relay: 'https://relay.example',
}

function stepsOf(kind: string, own: Partial<Answers> = {}) {
  const chosen = KINDS.get(kind)
  if (!chosen) throw new Error(`no kind ${kind}`)
  const answers = { kind, ...ANSWERS, ...own }
  return nextSteps(chosen, answers, chosen.files(answers), '3000')
}

test('a webhook is tried out here, then pushed, then looked at there', () => {
  expect(stepsOf('webhook')).toEqual({
    url: 'https://relay.example/octo/repo/deploy/webhook',
    missing: [],
    tokenBox: 'Contents: Read and write',
    relay: ['env -u HOOKLINE_TOKEN hookline relay'],
    sealedUrl: ['hookline url deploy --repository octo/repo --relay https://relay.example'],
    curl:
      'curl -X POST -H "X-Platform-Authorization: Bearer $HOOKLINE_TOKEN"' +
      ` -H 'content-type: application/json' -d '{"hello":"world"}' 'https://relay.example/octo/repo/deploy/webhook'`,
    tryOut: [
      'hookline dev',
      `curl -X POST -H 'content-type: application/json' -d '{"hello":"world"}' 'http://localhost:3000/webhook/deploy/webhook'`,
    ],
    token: [
      'https://github.com/settings/personal-access-tokens/new?name=hookline+deploy&target_name=octo&expires_in=90&contents=write',
    ],
    publish: [
      "git add .github/workflows/deploy.yml && git commit -m 'Add the workflow deploy' && git push",
    ],
    connect: ['hookline connect'],
    secrets: [],
    doctor: [
      'hookline doctor --workflow deploy --repository octo/repo --relay https://relay.example',
    ],
  })
})

test('started directly, it needs a token that cannot push, and a relay that is told so', () => {
  const { token, tokenBox, relay, doctor } = stepsOf('webhook', {
    event: 'workflow_dispatch',
    relay: 'http://localhost:3000',
  })
  expect(token[0]).toMatch(/&actions=write$/)
  expect([tokenBox, relay, doctor[0]]).toEqual([
    'Actions: Read and write',
    ['env -u HOOKLINE_TOKEN HOOKLINE_EVENT=workflow_dispatch hookline relay --tunnel'],
    'hookline doctor --workflow deploy --repository octo/repo --event workflow_dispatch --relay http://localhost:3000',
  ])
})

test('one to compile says itself what it is built with', () => {
  const uses = `acme/hookline@${'a'.repeat(40)}`
  const answers = { kind: 'compiled', ...ANSWERS, uses, event: 'workflow_dispatch' as const }
  const [file] = KINDS.get('compiled')?.files(answers) ?? []
  expect(file?.text).toContain(`hookline:\n  event: workflow_dispatch\n  uses: ${uses}\n`)
  expect(stepsOf('compiled', answers).publish[0]).toBe('hookline build')
})

test('what stands in the URL for something else is named', () => {
  const { url, missing } = stepsOf('webhook', { repository: '', relay: 'http://localhost:3000' })
  expect(url).toBe('http://localhost:3000/owner/name/deploy/webhook')
  expect(missing).toEqual([
    'your repository for owner/name',
    "your relay's address for http://localhost:3000",
  ])
})

test('a workflow to compile is compiled first, and both of its files are added', () => {
  expect(stepsOf('compiled').publish).toEqual([
    'hookline build',
    "git add workflows/deploy.yml .github/workflows/deploy.yml && git commit -m 'Add the workflow deploy' && git push",
  ])
})

test('where another workflow waits for requests too, connect is told which', () => {
  const kind = KINDS.get('webhook')
  if (!kind) throw new Error('no kind')
  const answers = { kind: 'webhook', ...ANSWERS, sender: senderNamed('stripe') }
  const connectOf = (isAlone: boolean) =>
    nextSteps(kind, answers, kind.files(answers), '3000', { isAlone }).connect
  expect(connectOf(true)).toEqual(['hookline connect stripe'])
  expect(connectOf(false)).toEqual(['hookline connect stripe --workflow deploy'])
})

test('Windows PowerShell has no &&', () => {
  const kind = KINDS.get('webhook')
  if (!kind) throw new Error('no kind')
  const answers = { kind: 'webhook', ...ANSWERS }
  const { publish } = nextSteps(kind, answers, kind.files(answers), '3000', { shell: POWERSHELL })
  expect(publish).toEqual([
    "git add .github/workflows/deploy.yml; git commit -m 'Add the workflow deploy'; git push",
  ])
})

test('who is not logged in to gh does that before anything is pushed', () => {
  const kind = KINDS.get('webhook')
  if (!kind) throw new Error('no kind')
  const answers = { kind: 'webhook', ...ANSWERS }
  const { publish } = nextSteps(kind, answers, kind.files(answers), '3000', { gh: 'out' })
  expect(publish[0]).toBe('gh auth login')
})

test('a bot has no URL; its token is asked for, and stands in no argument', () => {
  const { url, curl, tryOut, publish, doctor } = stepsOf('bot')
  // What polls needs no token of GitHub: there is nothing for doctor to look at.
  expect(doctor).toEqual([])
  expect([url, curl]).toEqual([null, null])
  expect(tryOut).toEqual([
    'echo .env >> .gitignore',
    'read -rs BOT_TOKEN && echo "BOT_TOKEN=$BOT_TOKEN" >> .env',
    'hookline dev --poll',
  ])
  expect([publish[0], publish.at(-1)]).toEqual([
    'gh secret set BOT_TOKEN',
    'gh workflow run deploy.yml',
  ])
})

test('without a repository there is a place for one in the URL, and none in the command', () => {
  const { url, doctor } = stepsOf('webhook', { repository: '' })
  expect(url).toBe('https://relay.example/owner/name/deploy/webhook')
  expect(doctor[0]).toBe('hookline doctor --workflow deploy --relay https://relay.example')
})
