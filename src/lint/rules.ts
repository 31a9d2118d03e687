import type { Rule } from './rule.ts'
import { actionInput } from './rules/action-input.ts'
import { alwaysTrue } from './rules/always-true.ts'
import { tokenInClear } from './rules/hardcoded-secret.ts'
import { headerName } from './rules/header-name.ts'
import { misplacedTrigger } from './rules/misplaced-trigger.ts'
import { objectAsText } from './rules/object-as-string.ts'
import { repeatedPrefix } from './rules/repeated-path-prefix.ts'
import { untrustedScript } from './rules/script-injection.ts'
import { sharedGroup } from './rules/shared-concurrency-group.ts'
import { statePermissions } from './rules/state-permissions.ts'
import { textAsBoolean } from './rules/string-as-boolean.ts'
import { textAsObject } from './rules/string-as-object.ts'
import { unknownContext } from './rules/unknown-context.ts'
import { unknownInput } from './rules/unknown-input.ts'
import { unknownMatrixKey } from './rules/unknown-matrix-key.ts'
import { unknownName } from './rules/unknown-name.ts'
import { unknownNeed } from './rules/unknown-need.ts'
import { unknownOutput } from './rules/unknown-output.ts'
import { misspelledField } from './rules/unknown-payload-field.ts'
import { unknownShell } from './rules/unknown-shell.ts'
import { unknownStep } from './rules/unknown-step.ts'
import { missedWebhook } from './rules/unreachable-webhook.ts'
import { unreadAction } from './rules/unread-action.ts'
import { unsoundContains } from './rules/unsound-contains.ts'
import { untrustedInput } from './rules/untrusted-input.ts'
import { untrustedPrompt } from './rules/untrusted-prompt.ts'
import { unprovenUsers } from './rules/unverified-allowlist.ts'
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
