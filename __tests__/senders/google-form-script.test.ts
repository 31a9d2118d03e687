import { beforeEach, expect, test } from '@jest/globals'
import { bound, receive } from '../support/receive.ts'
import { AppsScript, type Fetched, submission } from './apps-script.ts'

const EVENT = submission([
  ['Größe?', 'MULTIPLE_CHOICE', 'Groß'],
  ['Colours', 'CHECKBOX', ['red', 'blue']],
  ['Name', 'TEXT', 'Ada "A" <ada>'],
  ['Name', 'TEXT', 'Lovelace'],
])

let script: AppsScript

beforeEach(() => {
  script = new AppsScript()
  script.properties.set('HOOKLINE_URL', 'https://relay.example/octo/repo/hook/google_form')
  script.properties.set('HOOKLINE_GITHUB_TOKEN', 'a-token')
  script.run('setUp')
})

function receivedFrom({ method, contentType, headers, payload }: Fetched, secret: unknown) {
  const trigger = bound('google_form', { verify: { secret } })
  const sent = { headers: { ...headers, 'Content-Type': contentType }, body: payload }
  return receive(trigger, { ...sent, method, receivedAt: new Date() })
}

test('set up twice it has one trigger and one secret, and says the secret', () => {
  const secret = script.properties.get('HOOKLINE_WEBHOOK_SECRET')
  script.run('setUp')
  expect(script.installed).toEqual(['postResponse'])
  expect(script.properties.get('HOOKLINE_WEBHOOK_SECRET')).toBe(secret)
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(script.log).toContain(secret)
})

test('its request is verified with that secret, and becomes an item', async () => {
  script.run('postResponse', EVENT)
  const [fetched] = script.fetched
  expect(script.fetched).toHaveLength(1)
  if (!fetched) return
  expect(fetched.url).toBe('https://relay.example/octo/repo/hook/google_form')
  expect(fetched.headers).toMatchObject({ 'X-Platform-Authorization': 'a-token' })
  const { items } = await receivedFrom(fetched, script.properties.get('HOOKLINE_WEBHOOK_SECRET'))
  expect(items).toEqual([
    {
      event_id: '2_ABaOnud0S_zjpIn9oGqBpmY65p',
      event_type: 'form_response',
      form_response: {
        form_id: '118EoaS7eK2qvWv8tQy3xLKa',
        email: 'ada@example.com',
        submitted_at: '2026-11-21T07:54:30.661Z',
        definition: expect.objectContaining({ title: 'Feedback' }),
        answers: expect.any(Array),
      },
      answers_map: {
        'Größe?': 'Groß',
        Colours: ['red', 'blue'],
        Name: 'Ada "A" <ada>',
        'Name (2)': 'Lovelace',
      },
    },
  ])
})

test('with another secret it is refused', async () => {
  script.run('postResponse', EVENT)
  const [fetched] = script.fetched
  if (!fetched) throw new Error('nothing was posted')
  const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  expect((await receivedFrom(fetched, other)).items).toEqual([])
})

test.each([
  [[503, 429], 3, [1000, 4000], ''],
  [[500, 500, 500, 500], 4, [1000, 4000, 16000], 'status 500'],
  [[403], 1, [], 'status 403'],
])('answers %j lead to %d calls', (statuses, calls, slept, error) => {
  script.statuses = statuses
  const run = () => script.run('postResponse', EVENT)
  if (error) expect(run).toThrow(error)
  else run()
  expect(script.fetched).toHaveLength(calls)
  expect(script.slept).toEqual(slept)
})

test.each([
  ['HOOKLINE_URL', 'Set HOOKLINE_URL in the script properties'],
  ['HOOKLINE_WEBHOOK_SECRET', 'Run setUp once'],
])('without %s it says what to do', (name, message) => {
  script.properties.delete(name)
  expect(() => script.run('postResponse', EVENT)).toThrow(message)
})
