import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'n8n',
  scheme: 'bearer',
  secret: 'N8N_TOKEN',
  shown: 'a token that you choose, which n8n sends as `Authorization: Bearer …`',
  repeat: 'id',
  click:
    'add the node *HTTP Request* to your workflow. Choose *POST*, enter the URL, and choose *Generic Credential Type > Bearer Auth* with your token. Choose *Send Body > JSON > Using JSON*, and enter `{{ { id: $execution.id + "-" + $itemIndex, event: "order.paid", data: $json } }}` as an expression.',
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
