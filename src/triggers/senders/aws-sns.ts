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
  click:
    "subscribe the topic to that URL.\n\n```sh\naws sns subscribe --topic-arn arn:aws:sns:us-east-1:123456789012:alarms --protocol https \\\n  --notification-endpoint 'https://relay.example.com/octo/repo/aws-sns/aws_sns?__token=…'\n```\n\nSNS sends a request to confirm. The action checks its signature, fetches the address in it, which must be one of SNS, and says so in the job summary; the request is no item.",
  outputs:
    '`Message` is an object when it is JSON, else the text. `Subject`, `MessageId`, `TopicArn`, `Timestamp`, `Type` and `MessageAttributes` are there too. With *raw message delivery* the body is the message alone: `Message`, `MessageId` and `TopicArn` come from the headers, and nothing is signed; let the URL prove the sender, by a parameter of your own and `scheme: token`, `query: key`.',
  more: "The certificate is fetched from a host of SNS alone. Name your `topic` in `verify`, or several: without it a message of anybody's topic would do. The signature covers neither `MessageAttributes` nor `UnsubscribeURL`. Nobody else can sign: `hookline send <url> --as aws-sns` sends one for a workflow without `verify`. `tolerance` is 3900 seconds, since a repeated message has its first time.",
}
