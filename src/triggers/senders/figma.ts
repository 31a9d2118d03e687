import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Figma',
  scheme: 'token',
  options: { field: 'passcode' },
  secret: 'FIGMA_PASSCODE',
  shown: 'the `passcode` of the webhook, which you choose',
  events: ['body.event_type', 'FILE_VERSION_UPDATE', 'FILE_COMMENT', 'LIBRARY_PUBLISH'],
  click:
    'create the webhook by the API, with a personal access token that has the scope `webhooks:write`:\n\n```sh\ncurl --fail-with-body https://api.figma.com/v2/webhooks \\\n  -H "X-Figma-Token: $FIGMA_TOKEN" -H \'content-type: application/json\' \\\n  -d \'{"event_type": "FILE_VERSION_UPDATE", "context": "team", "context_id": "1234567890", "passcode": "\'"$FIGMA_PASSCODE"\'",\n       "endpoint": "https://relay.example.com/-/octo/V1StGXR8Z5jdHi6BmyT7Aw?__response_code=200"}\'\n```\n\nAdd `?__response_code=200` to the URL as above, because Figma treats every status except 200 as an error, and a relay responds 202 to an event that it stores.',
}

export const payloads: Payloads = {
  /** https://developers.figma.com/docs/rest-api/webhooks-events */
  file_version_update: ({ now }) => ({
    body: {
      event_type: 'FILE_VERSION_UPDATE',
      file_key: 'dapwXpKFyoLSvkQYxwHRdx',
      file_name: 'Icons',
      passcode: 'passcode',
      timestamp: now.toISOString(),
      triggered_by: { id: '813845097374535682', handle: 'Ada' },
      version_id: '123',
      webhook_id: '22',
    },
  }),
}
