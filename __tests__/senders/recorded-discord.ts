import { generateKeyPairSync, sign } from 'node:crypto'
import type {
  APIApplicationCommandInteraction,
  APIMessageComponentInteraction,
  APIModalSubmitInteraction,
} from 'discord-api-types/v10'
import { fixture, JSON_TYPE, type Recorded, SECONDS } from './recording.ts'

const pair = generateKeyPairSync('ed25519')

/** The public key, in the format of an app's page. */
export const PUBLIC_KEY = pair.publicKey
  .export({ type: 'spki', format: 'der' })
  .subarray(-32)
  .toString('hex')

/** By the types of the documentation: the fields of each kind that an item contains. */
const COMMAND: Pick<APIApplicationCommandInteraction, 'id' | 'application_id'> = {
  id: '786008729715212338',
  application_id: '845027738276462632',
}
const BUTTON: Pick<APIMessageComponentInteraction, 'id' | 'guild_id'> = {
  id: '846462639134605312',
  guild_id: '290926798626357999',
}
const MODAL: Pick<APIModalSubmitInteraction, 'id'> = { id: '1040008000000000000' }

const PERSON = { user_id: '53908232506183680', user_name: 'Mason' }

/**
 * https://docs.discord.com/developers/interactions/receiving-and-responding and its related pages.
 */
export const DISCORD: readonly Recorded[] = [
  discord('a slash command', 'discord-command.json', 'A_UNIQUE_TOKEN', {
    ...COMMAND,
    ...PERSON,
    kind: 'command',
    type: 2,
    command: 'cardsearch sets find',
    options_map: { cardname: 'The Gitrog Monster', copies: 2 },
    channel_id: '645027906669510667',
    guild_id: '290926798626357999',
  }),
  discord('a button', 'discord-button.json', 'unique_interaction_token', {
    ...BUTTON,
    ...PERSON,
    kind: 'button',
    type: 3,
    custom_id: 'click_one',
    text: 'This is a message with components.',
  }),
  discord('a modal in a direct message', 'discord-modal.json', 'unique_interaction_token', {
    ...MODAL,
    ...PERSON,
    kind: 'modal',
    type: 5,
    custom_id: 'bug_modal',
    fields_map: { bug_type: ['ui', 'api'], bug_text: 'It breaks', old_form: 'a row' },
  }),
]

function discord(
  name: string,
  file: string,
  token: string,
  outputs: Recorded['outputs'],
): Recorded {
  const body = fixture(file)
  const signature = sign(null, Buffer.from(SECONDS + body), pair.privateKey).toString('hex')
  return {
    ...{ name: `discord, ${name}`, trigger: 'discord', contentType: JSON_TYPE, body, outputs },
    verify: `{secret: ${PUBLIC_KEY}}`,
    headers: { 'X-Signature-Timestamp': SECONDS, 'X-Signature-Ed25519': signature },
    hidden: [token],
  }
}
