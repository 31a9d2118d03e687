import { Webhook } from 'standardwebhooks'
import { DISCORD } from './recorded-discord.ts'
import { SLACK } from './recorded-slack.ts'
import {
  fixture,
  JSON_TYPE,
  mac,
  RECEIVED,
  type Recorded,
  SECONDS,
  SECRETS,
  SHARED,
} from './recording.ts'

const typeform = fixture('typeform.json')
const trello = fixture('trello.json')
const googleForm = fixture('google-form.json')
const sns = fixture('aws-sns.json')

export const RECORDED: readonly Recorded[] = [
  {
    name: 'typeform, a submission',
    trigger: 'typeform',
    contentType: JSON_TYPE,
    body: typeform,
    verify: SHARED,
    headers: { 'Typeform-Signature': `sha256=${mac('sha256', typeform, 'base64')}` },
    outputs: {
      ...JSON.parse(typeform),
      answers_map: {
        "What's it like where you live?": 'It\'s cold right now! "Hilly", <b>older</b> city.',
        'Your email address': 'laura@example.com',
        'When did you move there?': '2005-10-15',
        'Which pictures do you like?': ['London', 'Sydney', 'Porto'],
        'The weather in Sydney, 1 to 5': 5,
        'Do you accept our terms?': true,
        'Your favourite city': 'London',
        'Another city': 'Łódź',
        'First name': 'Laura',
        'Phone number': '+351 900',
        the_fee: { amount: '1', last4: '1234', name: 'Laura', success: true },
      },
    },
  },
  {
    name: 'trello, a new card',
    trigger: 'trello',
    contentType: JSON_TYPE,
    body: trello,
    verify: `{secret: "\${{ secrets.SENDER }}", url: "\${{ secrets.CALLBACK }}"}`,
    headers: { 'X-Trello-Webhook': mac('sha1', trello + SECRETS.CALLBACK, 'base64') },
    outputs: {
      model: JSON.parse(trello).model,
      action: JSON.parse(trello).action,
      webhook: {
        id: '5f70751f7d8c2d0e2c5d9a11',
        description: 'ideas',
        idModel: '5f4fbbc5250c34138444068d',
        active: true,
        consecutiveFailures: 0,
        firstConsecutiveFailDate: null,
      },
    },
    hidden: ['t0ken'],
  },
  ...SLACK,
  ...DISCORD,
  {
    name: 'google_form, a response',
    trigger: 'google_form',
    contentType: JSON_TYPE,
    body: googleForm,
    verify: `{secret: "\${{ secrets.WHSEC }}"}`,
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': SECONDS,
      'webhook-signature': new Webhook(SECRETS.WHSEC).sign('msg_1', RECEIVED, googleForm),
    },
    outputs: {
      ...JSON.parse(googleForm),
      answers_map: { 'question 1': 'Option 2', name: 'test' },
    },
  },
  {
    name: 'aws_sns, a notification',
    trigger: 'aws_sns',
    contentType: 'text/plain; charset=UTF-8',
    body: sns,
    moreHeaders: { 'x-amz-sns-message-type': 'Notification' },
    outputs: {
      ...JSON.parse(sns),
      Message: { build: { id: '12345678901234567890', ok: true } },
    },
  },
  {
    name: 'aws_sns, a notification with raw message delivery',
    trigger: 'aws_sns',
    contentType: 'text/plain; charset=UTF-8',
    body: 'just text',
    moreHeaders: {
      'x-amz-sns-rawdelivery': 'true',
      'x-amz-sns-message-id': '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      'x-amz-sns-topic-arn': 'arn:aws:sns:us-west-2:123456789012:MyTopic',
    },
    outputs: {
      Type: 'Notification',
      MessageId: '22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324',
      TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
      Message: 'just text',
    },
  },
]
