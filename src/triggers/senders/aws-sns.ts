import type { Facts, Page, Payloads } from '../sender.ts'

export { awsSns as scheme } from '../verify/aws-sns.ts'

export const facts: Facts = {
  title: 'Amazon SNS',
  trigger: 'aws_sns',
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
  proof: "the signature in the message, by Amazon's certificate, without a `secret`",
  click:
    "subscribe the topic.\n\n```sh\naws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms --protocol https \\\n  --notification-endpoint 'https://relay.example.com/octo/repo/aws-sns/aws_sns?__token=…'\n```\n\nSNS first asks to confirm: the action checks the signature, fetches the address of SNS in it, and says so in the job summary.",
  outputs:
    '`Message` is an object when it is JSON; `Subject`, `MessageId`, `TopicArn`, `Timestamp`, `Type`, `MessageAttributes` are there too. With *raw message delivery* the body is the message alone, `MessageId` and `TopicArn` come from headers, and nothing is signed: prove the sender by a parameter of your own in the URL, `scheme: token` and `query: key`.',
  more: "Name your `topic` in `verify`, or several: else anybody's would do. The certificate is fetched from a host of SNS alone. `MessageAttributes` and `UnsubscribeURL` are not signed. Only Amazon can sign.",
}
