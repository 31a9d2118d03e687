import type { Facts, Payloads, SenderPage } from '../sender.ts'

export { awsSnsScheme as scheme } from '../verify/sns-scheme.ts'

export const facts: Facts = {
  title: 'Amazon SNS',
  trigger: 'aws_sns',
  shown: 'not needed, because Amazon signs with a certificate',
  handshake: 'workflow',
  retries: {
    when: 'yes',
    text: 'SNS retries three times, 20 seconds apart, unless a delivery policy says otherwise.',
  },
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

export const page: SenderPage = {
  kind: 'RSA',
  isOwn: true,
  verifiedBy:
    'the signature in the message, verified by the certificate of Amazon, without a `secret`',
  click:
    "subscribe the URL to the topic.\n\n```sh\naws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms --protocol https \\\n  --notification-endpoint 'https://relay.example.com/-/octo/V1StGXR8Z5jdHi6BmyT7Aw'\n```\n\nSNS first sends a request for confirmation. The action verifies its signature, opens the address of SNS that it contains, and reports this in the job summary.",
  outputs:
    '`Message` is an object if it is JSON. The outputs also have `Subject`, `MessageId`, `TopicArn`, `Timestamp`, `Type` and `MessageAttributes`. With *raw message delivery*, the body is only the message, `MessageId` and `TopicArn` come from headers, and nothing is signed. In that case, authenticate the sender by a parameter of your own in the URL, with `scheme: token` and `query: key`.',
  signature:
    'Amazon signs the message with the private key of a certificate. `scheme: aws-sns` verifies the signature without a `secret`. The action downloads the certificate only from a host of SNS, in any partition of AWS: for example, `sns.us-east-1.amazonaws.com`, `sns.cn-north-1.amazonaws.com.cn`, or `sns.eusc-de-east-1.amazonaws.eu` of the European Sovereign Cloud. List your `topic` in `verify`; otherwise messages of every topic of every account are accepted. `MessageAttributes` and `UnsubscribeURL` are not signed.',
  notes:
    'Only Amazon can sign a message, so `hookline send` and `connect` cannot send a test event that passes `verify`.',
}
