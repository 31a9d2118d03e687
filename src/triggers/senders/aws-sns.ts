import type { Facts, Page, Payloads } from '../sender.ts'

export { awsSns as scheme } from '../verify/aws-sns.ts'

export const facts: Facts = {
  title: 'Amazon SNS',
  trigger: 'aws_sns',
  scheme: 'aws_sns',
  shown: 'none: Amazon signs with a certificate',
  handshake: 'workflow',
  retries: 'three times, 20 seconds apart, or as the delivery policy says',
  repeat: 'MessageId',
}

export const payloads: Payloads = {
  notification: ({ id, now }) => ({
    headers: {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': 'Notification',
    },
    body: {
      Type: 'Notification',
      MessageId: id,
      TopicArn: 'arn:aws:sns:us-west-2:123456789012:MyTopic',
      Subject: 'My First Message',
      Message: 'Hello world!',
      Timestamp: now.toISOString(),
    },
  }),
}

export const page: Page = {
  proof: "the signature in the message, with Amazon's certificate; no `secret`",
}
