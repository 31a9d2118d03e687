import type { Rule } from './rule.ts'
import { actionInput } from './rules/action-input.ts'
import { alwaysTrue } from './rules/always-true.ts'
import { headerName } from './rules/header-name.ts'
import { misplacedTrigger } from './rules/misplaced-trigger.ts'
import { missedWebhook } from './rules/missed-webhook.ts'
import { misspelledField } from './rules/misspelled-field.ts'
import { objectAsText } from './rules/object-as-text.ts'
import { repeatedPrefix } from './rules/repeated-prefix.ts'
import { sharedGroup } from './rules/shared-group.ts'
import { statePermissions } from './rules/state-permissions.ts'
import { textAsBoolean } from './rules/text-as-boolean.ts'
import { textAsObject } from './rules/text-as-object.ts'
import { tokenInClear } from './rules/token-in-clear.ts'
import { unknownContext } from './rules/unknown-context.ts'
import { unknownInput } from './rules/unknown-input.ts'
import { unknownMatrixKey } from './rules/unknown-matrix-key.ts'
import { unknownName } from './rules/unknown-name.ts'
import { unknownNeed } from './rules/unknown-need.ts'
import { unknownOutput } from './rules/unknown-output.ts'
import { unknownShell } from './rules/unknown-shell.ts'
import { unknownStep } from './rules/unknown-step.ts'
import { unprovenUsers } from './rules/unproven-list.ts'
import { unreadAction } from './rules/unread-action.ts'
import { unsoundContains } from './rules/unsound-contains.ts'
import { untrustedInput } from './rules/untrusted-input.ts'
import { untrustedPrompt } from './rules/untrusted-prompt.ts'
import { untrustedScript } from './rules/untrusted-script.ts'
import { usesWithoutRef } from './rules/uses-without-ref.ts'
import { wrongArgument } from './rules/wrong-argument.ts'

/** Everything that `check` looks for beyond what makes a file impossible to compile. */
export const RULES: readonly Rule[] = [
  unknownOutput,
  unknownStep,
  unknownNeed,
  unknownMatrixKey,
  unknownInput,
  unknownContext,
  unknownName,
  textAsObject,
  textAsBoolean,
  wrongArgument,
  alwaysTrue,
  unsoundContains,
  objectAsText,
  missedWebhook,
  repeatedPrefix,
  headerName,
  misspelledField,
  unprovenUsers,
  misplacedTrigger,
  sharedGroup,
  actionInput,
  statePermissions,
  usesWithoutRef,
  unknownShell,
  unreadAction,
  tokenInClear,
  untrustedScript,
  untrustedInput,
  untrustedPrompt,
]
