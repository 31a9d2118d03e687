import { only, queryWith, textResponse } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Dropbox',
  secret: 'DROPBOX_APP_SECRET',
  shown: 'the *App secret* in the app console',
}

export const scheme: OwnScheme = {
  page: 'https://www.dropbox.com/developers/reference/webhooks#notifications',
  header: 'x-dropbox-signature',
}

/** https://www.dropbox.com/developers/reference/webhooks#verification */
export const handshake: Handshake = {
  method: 'GET',
  mark: { path: 'challenge' },
  challenge: ({ path }) => {
    const query = queryWith(path, 'challenge')
    return query?.size === 1 ? only(query, 'challenge') : undefined
  },
  answer: textResponse,
}

export const payloads: Payloads = {
  list_folder: () => ({
    body: { list_folder: { accounts: ['dbid:AAH4f99T0taONIb-OurWxbNQ6ywGRopQngc'] } },
  }),
}
