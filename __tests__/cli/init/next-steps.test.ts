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

test('the steps of a webhook: try it here, push, connect, check', () => {
  expect(stepsOf('webhook')).toEqual({
    url: 'https://relay.example/octo/repo/deploy/webhook',
    storedByKey: false,
    missing: [],
    tokenBox: 'Contents: Read and write',
    relay: ['env -u HOOKLINE_GITHUB_TOKEN hookline relay'],
    endpoint: [
      'hookline endpoint create deploy --repository octo/repo --workflow deploy --credential token --relay https://relay.example',
    ],
    curl:
      'curl -X POST -H "X-Platform-Authorization: Bearer $HOOKLINE_GITHUB_TOKEN"' +
      ` -H 'content-type: application/json' -d '{"hello":"world"}' 'https://relay.example/octo/repo/deploy/webhook'`,
    prepare: [],
    tryOut: [
      'hookline dev',
      `curl -X POST -H 'content-type: application/json' -d '{"hello":"world"}' 'http://localhost:3000/webhook/deploy/webhook'`,
    ],
    token: [
      'https://github.com/settings/personal-access-tokens/new?name=hookline+deploy&target_name=octo&expires_in=90&contents=write',
    ],
    publish: [
      "git add .github/workflows/deploy.yml && git commit -m 'Add the workflow deploy' && git push origin HEAD",
    ],
    connect: ['hookline connect'],
    start: [],
    secrets: [],
    secretSources: [],
    senderPage: null,
    endpointSettings: [],
    polling: [],
    doctor: [
      'hookline doctor --workflow deploy --repository octo/repo --relay https://relay.example',
    ],
  })
})

test('by workflow_dispatch the token cannot push, and the endpoint has its mode', () => {
  const { token, tokenBox, relay, doctor } = stepsOf('webhook', {
    dispatch: 'workflow',
    relay: 'http://localhost:3000',
  })
  expect(token[0]).toMatch(/&actions=write$/)
  expect([tokenBox, relay, doctor[0]]).toEqual([
    'Actions: Read and write',
    ['env -u HOOKLINE_GITHUB_TOKEN hookline relay --tunnel'],
    'hookline doctor --workflow deploy --repository octo/repo --dispatch workflow --relay http://localhost:3000',
  ])
})

test('a workflow to compile names its event and action', () => {
  const uses = `acme/hookline@${'a'.repeat(40)}`
  const answers = { kind: 'compiled', ...ANSWERS, uses, dispatch: 'workflow' as const }
  const [file] = KINDS.get('compiled')?.files(answers) ?? []
  expect(file?.text).toContain(`hookline:
  dispatch: workflow\n  uses: ${uses}\n`)
  expect(stepsOf('compiled', answers).publish[0]).toBe('hookline build')
})

test('placeholders in the URL are listed, and are in no command', () => {
  const unknown = { repository: '', relay: 'http://localhost:3000' }
  const { url, missing, doctor } = stepsOf('webhook', unknown)
  expect(url).toBe('http://localhost:3000/owner/name/deploy/webhook')
  expect(missing).toEqual([
    expect.stringContaining('owner/name'),
    expect.stringContaining('http://localhost:3000'),
  ])
  expect(doctor[0]).not.toContain('--repository')
})

test('connect names the workflow if there is another', () => {
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
    "git add .github/workflows/deploy.yml; git commit -m 'Add the workflow deploy'; git push origin HEAD",
  ])
})

test('a bot has no URL, and its token is in no argument', () => {
  const { url, curl, prepare, tryOut, secrets, start, doctor } = stepsOf('bot')
  // A bot that polls needs no GitHub token, so doctor has nothing to check.
  expect(doctor).toEqual([])
  expect([url, curl]).toEqual([null, null])
  expect(prepare).toEqual([
    'echo .env >> .gitignore',
    'read -rs BOT_TOKEN && echo "BOT_TOKEN=$BOT_TOKEN" >> .env',
  ])
  expect(tryOut).toEqual(['hookline dev --poll'])
  expect([secrets, start]).toEqual([['gh secret set BOT_TOKEN'], ['gh workflow run deploy.yml']])
})
