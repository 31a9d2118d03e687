import type { Facts, Payloads } from '../sender.ts'

export { awsSnsScheme as scheme } from '../verify/sns-scheme.ts'

export const facts: Facts = {
  title: 'Amazon SNS',
  trigger: 'aws_sns',
  shown: 'not needed, because Amazon signs with a certificate',
  handshake: 'workflow',
  repeat: 'MessageId',
  click:
    "subscribe the URL to the topic.\n\n```sh\naws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms --protocol https \\\n  --notification-endpoint 'https://relay.example.com/-/octo/V1StGXR8Z5jdHi6BmyT7Aw'\n```\n\nSNS first sends a request for confirmation. The action verifies its signature, opens the address of SNS that it contains, and reports this in the job summary.",
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
