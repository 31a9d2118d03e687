import { isObject, objectsIn, scalarText } from '../wire/json.ts'
import { payloads } from './senders/google-form.ts'
import { answersByTitle, serviceTrigger } from './service.ts'

/**
 * Google Forms sends no requests itself; docs/senders/google-form.gs, a script of the form, does.
 * It signs by Standard Webhooks, and formats a response like Typeform.
 */
export const googleForm = serviceTrigger({
  name: 'google_form',
  aliases: ['google-form'],
  description: 'Fires on a response to a form at Google.',
  scheme: 'standard-webhooks',
  key: 'event_id',
  outputs: {
    event_id: 'Id of the response.',
    event_type: '`form_response`.',
    form_response: 'The response: `form_id`, `email`, `submitted_at`, `definition`, `answers`.',
    answers_map: 'Answers by the title of their question; of several choices a list.',
  },
  stringOutputs: ['event_id', 'event_type'],
  columns: ['answers_map', 'form_response.submitted_at', 'event_id'],
  read({ body }) {
    const response = isObject(body) ? body.form_response : undefined
    if (!isObject(body) || !isObject(response)) return 'is not a response to a form'
    const given = objectsIn(response.answers).map(({ field, response: value = null }) => {
      const title = isObject(field) ? (field.title ?? field.id) : undefined
      return [scalarText(title), value] as const
    })
    return { ...body, answers_map: answersByTitle(given) }
  },
  payloads,
})
