import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'IFTTT',
  scheme: 'token',
  options: { header: 'x-applet-secret' },
  secret: 'IFTTT_SECRET',
  shown: 'a string that you choose, which the applet sends in the header `X-Applet-Secret`',
  click:
    'choose the action *Webhooks > Make a web request*, the method POST and the content type `application/json`. Enter the URL, `X-Applet-Secret: <your string>` as *Additional Headers*, and `{"title": "<<<{{EntryTitle}}>>>", "url": "<<<{{EntryUrl}}>>>"}` as *Body*.',
}

export const payloads: Payloads = {
  /** The body of the page below. */
  entry: () => ({ body: { title: 'A new entry', url: 'https://blog.example.com/1' } }),
}
