import { stringify } from 'yaml'
import type { Answers, Kind } from './kind.ts'

/** A bot that is asked for new messages on a schedule: no relay, and no URL. */
export const botKind: Kind = {
  name: 'bot',
  title: 'a message to a bot, which is polled on a schedule',
  workflow: 'bot',
  trigger: 'messaging_bot',
  secret: 'BOT_TOKEN',
  files: (answers) => [{ path: `.github/workflows/${answers.name}.yml`, text: text(answers) }],
}

function text({ name }: Answers): string {
  return `name: ${stringify(name).trim()}
on:
  schedule:
    - cron: '*/5 * * * *'
  workflow_dispatch:

permissions: {}

# One poll after the other: two at once would get the same messages. A run waits its turn.
concurrency:
  group: ${stringify(name).trim()}
  queue: max

jobs:
  poll:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    outputs:
      items: \${{ steps.hookline.outputs.items }}
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            messaging_bot:
              token: \${{ secrets.BOT_TOKEN }}
              event: text

  # Once for each message.
  react:
    needs: poll
    if: needs.poll.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        on: \${{ fromJSON(needs.poll.outputs.items) }}
    steps:
      # What came from outside goes through env: in a script it would be run as shell code.
      - env:
          NAME: \${{ matrix.on.messaging_bot.outputs.from.first_name }}
          TEXT: \${{ matrix.on.messaging_bot.outputs.text }}
        run: echo "$NAME wrote $TEXT"
`
}
