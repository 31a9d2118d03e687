import type { Problem } from './errors.ts'

/**
 * Tokens with a recognizable prefix, of Telegram, GitHub, Slack and Discord, and the webhook URLs
 * of Slack and Discord, which need no other credential.
 *
 * Telegram: https://core.telegram.org/bots/api#authorizing-your-bot (also matches an incomplete
 * token)
 * GitHub:
 * https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats
 * Slack: https://docs.slack.dev/authentication/tokens
 * Discord: https://docs.discord.com/developers/reference#authentication
 */
const TOKEN = new RegExp(
  String.raw`(?<!\d)\d{5,}:[\w-]{20,}|(?<![\w-])(?:${[
    'gh[pousr]_[A-Za-z0-9]{36,}',
    String.raw`github_pat_\w{40,}`,
    String.raw`xox[abeprs](?:\.xox[bp])?-\d[\w-]{20,}`,
    String.raw`xapp-\d-[\w-]{20,}`,
    String.raw`[MNO][\w-]{23,}\.[\w-]{6}\.[\w-]{27,}`,
  ].join(
    '|',
  )})|(?<=https://hooks\.slack\.com/services/)T\w{6,}/B\w{6,}/\w{16,}|(?<=https://(?:\w+\.)?discord(?:app)?\.com/api/webhooks/\d{1,25}/)[\w-]{40,}`,
  'g',
)

export function problemWithoutTokens<Of extends Problem>(problem: Of): Of {
  const { message, hint, notes } = problem
  return {
    ...problem,
    message: withoutTokens(message),
    ...(hint !== undefined && { hint: withoutTokens(hint) }),
    ...(notes && { notes: notes.map(withoutTokens) }),
  }
}

export function tokensIn(text: string): { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(TOKEN)].map(({ index, 0: token }) => ({
    start: index,
    end: index + token.length,
  }))
}

/**
 * The string with an asterisk for each character of a token, so that columns remain. For output
 * that quotes what a person wrote, because they may have put a token in the wrong place.
 */
export function withoutTokens(text: string): string {
  return text.replace(TOKEN, (token) => '*'.repeat(token.length))
}
