import { isObject, type Json, type JsonObject, objectsIn, scalarText } from '../wire/json.ts'
import { payloads } from './senders/typeform.ts'
import { answersByTitle, serviceTrigger } from './service.ts'

/** https://www.typeform.com/developers/webhooks/example-payload/ */
export const typeform = serviceTrigger({
  name: 'typeform',
  description: 'Fires on a submission of a form at Typeform.',
  scheme: 'typeform',
  key: 'event_id',
  outputs: {
    event_id: 'Id of the submission.',
    event_type: '`form_response`.',
    form_response:
      'The submission: `form_id`, `submitted_at`, `definition`, `answers`, `hidden`, …',
    answers_map:
      'Answers by the title of their question; of a choice its label, of several a list.',
  },
  stringOutputs: ['event_id', 'event_type'],
  columns: ['answers_map', 'form_response.submitted_at', 'event_id'],
  read({ body }) {
    const response = isObject(body) ? body.form_response : undefined
    if (!isObject(body) || !isObject(response)) return 'is not a submission of a form'
    const { definition, answers } = response
    const titles = new Map(isObject(definition) ? fieldTitles(definition.fields) : [])
    const given = objectsIn(answers).map((answer) => {
      const { id, ref } = isObject(answer.field) ? answer.field : {}
      return [titles.get(scalarText(id)) ?? scalarText(ref ?? id), valueIn(answer)] as const
    })
    return { ...body, answers_map: answersByTitle(given) }
  },
  payloads,
})

/** Titles by id, including questions in groups. */
function fieldTitles(fields: Json | undefined): [id: string, title: string][] {
  return objectsIn(fields).flatMap(({ id, title, properties }) => [
    [scalarText(id), scalarText(title)] as [string, string],
    ...(isObject(properties) ? fieldTitles(properties.fields) : []),
  ])
}

/** Each type of answer has its value under its own name: `{"type":"email","email":"…"}`. */
function valueIn(answer: JsonObject): Json {
  const value = answer[scalarText(answer.type)] ?? null
  if (!isObject(value)) return value
  const { label, labels, other } = value
  if (Array.isArray(labels)) return other === undefined ? labels : [...labels, other]
  return label ?? other ?? value
}
