/**
 * Posts each response to this form to a webhook of Hookline, signed as Standard Webhooks says.
 * https://www.standardwebhooks.com
 *
 * Set up, in the form: the three dots > Apps Script > paste this file, then
 *
 * 1. Project Settings > Script Properties: HOOKLINE_URL is the webhook URL. If the URL contains
 *    ?__token=…, HOOKLINE_URL is the part before it, and HOOKLINE_GITHUB_TOKEN the token.
 * 2. Run setUp once and allow what it asks for. Its log shows the secret that the repository needs.
 */

/** Installs the trigger, and creates a secret if there is none. You can run it again. */
function setUp() {
  const properties = PropertiesService.getScriptProperties()
  if (!properties.getProperty('HOOKLINE_WEBHOOK_SECRET')) {
    properties.setProperty('HOOKLINE_WEBHOOK_SECRET', newSecret())
  }
  const handlers = ScriptApp.getProjectTriggers().map((trigger) => trigger.getHandlerFunction())
  if (!handlers.includes('postResponse')) {
    ScriptApp.newTrigger('postResponse').forForm(FormApp.getActiveForm()).onFormSubmit().create()
  }
  Logger.log('Secret for the repository: %s', properties.getProperty('HOOKLINE_WEBHOOK_SECRET'))
}

/** Google calls this function for each response. If it throws, Google sends an email. */
function postResponse(event) {
  const { url, token, secret } = settings()
  const body = JSON.stringify(payloadOf(event.source, event.response))
  const headers = { ...signature(event.response.getId(), body, secret), ...authorization(token) }
  post(url, { method: 'post', contentType: 'application/json', headers, payload: body })
}

/** The format of Typeform, which other services use too. */
function payloadOf(form, response) {
  return {
    event_id: response.getId(),
    event_type: 'form_response',
    form_response: {
      form_id: form.getId(),
      email: response.getRespondentEmail(),
      submitted_at: response.getTimestamp().toISOString(),
      definition: { title: form.getTitle(), fields: form.getItems().map(fieldOf) },
      answers: response.getItemResponses().map((answer) => ({
        response: answer.getResponse(),
        field: fieldOf(answer.getItem()),
      })),
    },
  }
}

function fieldOf(item) {
  return {
    id: item.getId(),
    title: item.getTitle(),
    type: String(item.getType()),
    index: item.getIndex(),
  }
}

/** The three headers of Standard Webhooks. */
function signature(id, body, secret) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const key = Utilities.base64Decode(secret.replace('whsec_', ''))
  const signed = Utilities.newBlob(`${id}.${timestamp}.${body}`).getBytes()
  const mac = Utilities.base64Encode(Utilities.computeHmacSha256Signature(signed, key))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${mac}`,
  }
}

function authorization(token) {
  return token ? { 'X-Platform-Authorization': token } : {}
}

/** Tries again when the relay is too busy, after 1, 4 and 16 seconds. */
function post(url, request) {
  for (const pause of [1, 4, 16, 0]) {
    const response = UrlFetchApp.fetch(url, { ...request, muteHttpExceptions: true })
    const status = response.getResponseCode()
    if (status >= 200 && status < 300) return
    const mayPass = status === 429 || status >= 500
    if (!mayPass || pause === 0) throw new Error(`The webhook answered with status ${status}`)
    Utilities.sleep(pause * 1000)
  }
}

function settings() {
  const properties = PropertiesService.getScriptProperties()
  const url = properties.getProperty('HOOKLINE_URL')
  const secret = properties.getProperty('HOOKLINE_WEBHOOK_SECRET')
  if (!url) throw new Error('Set HOOKLINE_URL in the script properties')
  if (!secret) throw new Error('Run setUp once')
  return { url, secret, token: properties.getProperty('HOOKLINE_GITHUB_TOKEN') }
}

/** 32 bytes: the hash of two random ids, since Apps Script has no random bytes. */
function newSecret() {
  const algorithm = Utilities.DigestAlgorithm.SHA_256
  const bytes = Utilities.computeDigest(algorithm, Utilities.getUuid() + Utilities.getUuid())
  return `whsec_${Utilities.base64Encode(bytes)}`
}
