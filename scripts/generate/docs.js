import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { inputsBlock, outputsList } from '../docs/action.js'
import { answersTable } from '../docs/answers.js'
import { causesSection } from '../docs/causes.js'
import { commandList, optionsReference } from '../docs/commands.js'
import { compilerSettings } from '../docs/compiler-settings.js'
import { configList } from '../docs/config.js'
import { errorCodes } from '../docs/errors.js'
import { fillIn } from '../docs/markers.js'
import { slackEventsList, updatesTable } from '../docs/places.js'
import { rulesPage } from '../docs/rules.js'
import {
  countText,
  schemesTable,
  senderPages,
  senderSchemesTable,
  senderSections,
  sendersCount,
  sendersTable,
  verifyOptionsTable,
} from '../docs/senders.js'
import { variablesList } from '../docs/settings.js'

const root = new URL('../..', import.meta.url)

const ACTION = 'hookline/hookline@v1'

/** @param {import('../docs/action.js').Action} action */
function actionInputs(action) {
  return inputsBlock(action, {
    uses: `${ACTION}\n        id: hookline`,
    values: { on: '|\n  webhook:\n    method: post' },
  })
}

/** @param {import('../docs/action.js').Action} _ @param {import('../docs/action.js').Action} reply */
function replyInputs(_, reply) {
  return inputsBlock(reply, {
    uses: `hookline/hookline/reply@v1\n        if: steps.hookline.outputs.triggered == 'true'`,
    before: `      - uses: ${ACTION}
        id: hookline
        with:
          on: "messaging_bot: {webhook: true}"
      # …
`,
    values: {
      to: '${{ steps.hookline.outputs.on }}',
      text: 'Done',
      token: '${{ secrets.BOT_TOKEN }}',
    },
  })
}

/** @param {import('../docs/action.js').Action} _ @param {import('../docs/action.js').Action} reply */
function replyOutputs(_, reply) {
  return outputsList(reply)
}

/** The documents with generated parts, and the function that generates each part. */
const DOCUMENTS = {
  'docs/reference/action.md': { inputs: actionInputs, outputs: outputsList },
  'docs/reference/messaging-bot.md': { updates: updatesTable },
  'docs/reference/reply.md': {
    inputs: replyInputs,
    outputs: replyOutputs,
    'slack-events': slackEventsList,
  },
  'docs/reference/verify.md': {
    schemes: schemesTable,
    options: verifyOptionsTable,
    senders: senderSchemesTable,
  },
  'docs/reference/compiler.md': { settings: compilerSettings },
  'docs/guides/deliveries.md': { causes: causesSection },
  'docs/reference/deliveries.md': { answers: answersTable },
  'docs/reference/config.md': { config: configList },
  'docs/reference/http.md': { errors: errorCodes },
  'docs/reference/environment.md': { variables: variablesList },
  'docs/reference/commands.md': {
    commands: commandList,
    options: optionsReference,
  },
  'docs/learn/comparison.md': { senders: sendersCount },
  'docs/senders/README.md': {
    count: countText,
    senders: sendersTable,
    sections: senderSections,
  },
}

/**
 * The generated documents, and the documents with generated parts, from action.yml and build/.
 *
 * @returns {Promise<import('./files.js').GeneratedFiles>}
 */
export async function docFiles() {
  const { RULES } = await import(new URL('build/check/rules.js', root).href)
  const [action, reply] = await Promise.all(
    ['action.yml', 'reply/action.yml'].map(async (name) =>
      parse(await readFile(new URL(name, root), 'utf8')),
    ),
  )
  const filled = Object.entries(DOCUMENTS).map(async ([path, parts]) => {
    const document = await readFile(new URL(path, root), 'utf8')
    const texts = Object.entries(parts).map(([name, part]) => [name, part(action, reply)])
    return [path, fillIn(document, Object.fromEntries(texts))]
  })
  const pages = [
    ...(await Promise.all(filled)),
    ['docs/reference/rules.md', rulesPage(RULES)],
    ...senderPages(),
  ]
  return { files: new Map(pages.map(([path = '', content = '']) => [path, { content }])) }
}
