import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'n8n',
  scheme: 'bearer',
  secret: 'N8N_TOKEN',
  shown: 'a token that you choose, which n8n sends as `Authorization: Bearer …`',
  timeout: 300,
  retries: {
    when: 'optional',
    text: 'n8n does not retry, unless *Retry On Fail* is on in the settings of the node (three tries, one second apart). After 4xx and 5xx the node fails.',
  },
  repeat: 'id',
}

export const payloads: Payloads = {
  /** The body of docs/senders/README.md#n8n. */
  item: ({ now }) => ({
    headers: { 'user-agent': 'axios/1.12.0' },
    body: {
      id: '231-0',
      event: 'order.paid',
      data: { order: 4711, total: '49.90', paid_at: now.toISOString() },
    },
  }),
}

export const page: SenderPage = {
  click:
    'add the node *HTTP Request* to your workflow. Choose *POST*, enter the URL, and choose *Generic Credential Type > Bearer Auth* with your token. Choose *Send Body > JSON > Using JSON*, and enter `{{ { id: $execution.id + "-" + $itemIndex, event: "order.paid", data: $json } }}` as an expression.',
  fire: ': choose *Execute workflow*.',
  outputs: 'The body is what you entered in the node; `body.data` is the item of n8n.',
  notes:
    'n8n sends one request for each item. To send one for each execution, turn on *Execute Once* in the settings of the node. `id` stays the same when *Retry On Fail* sends an item again.',
}
