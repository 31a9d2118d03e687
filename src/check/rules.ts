import type { Rule } from './rule.ts'
import { actionInput } from './rules/action-input.ts'
import { alwaysTrue } from './rules/always-true.ts'
import { backtrackingPattern } from './rules/backtracking-pattern.ts'
import { emptyJson } from './rules/empty-json.ts'
import { hardcodedSecret } from './rules/hardcoded-secret.ts'
import { headerName } from './rules/header-name.ts'
import { impossibleReply } from './rules/impossible-reply.ts'
import { misplacedTrigger } from './rules/misplaced-trigger.ts'
import { missingCheckout } from './rules/missing-checkout.ts'
import { missingSecret } from './rules/missing-secret.ts'
import { neverTrue } from './rules/never-true.ts'
import { objectAsString } from './rules/object-as-string.ts'
import { repeatedPathPrefix } from './rules/repeated-path-prefix.ts'
import { retiredVersion } from './rules/retired-version.ts'
import { scriptInjection } from './rules/script-injection.ts'
import { sharedConcurrencyGroup } from './rules/shared-concurrency-group.ts'
import { statePermissions } from './rules/state-permissions.ts'
import { stringAsBoolean } from './rules/string-as-boolean.ts'
import { stringAsObject } from './rules/string-as-object.ts'
import { unknownContext } from './rules/unknown-context.ts'
import { unknownInput } from './rules/unknown-input.ts'
import { unknownMatrixKey } from './rules/unknown-matrix-key.ts'
import { unknownNeed } from './rules/unknown-need.ts'
import { unknownOutput } from './rules/unknown-output.ts'
import { unknownPayloadField } from './rules/unknown-payload-field.ts'
import { unknownStep } from './rules/unknown-step.ts'
import { unreachableWebhook } from './rules/unreachable-webhook.ts'
import { untrustedPrompt } from './rules/untrusted-prompt.ts'
import { unverifiedAllowlist } from './rules/unverified-allowlist.ts'

/** The rules of `check`. docs/reference/rules.md has a section for each, in this order. */
export const RULES: readonly Rule[] = [
  unknownOutput,
  unknownStep,
  unknownNeed,
  unknownMatrixKey,
  unknownInput,
  unknownContext,
  stringAsObject,
  stringAsBoolean,
  objectAsString,
  alwaysTrue,
  neverTrue,
  emptyJson,
  unreachableWebhook,
  misplacedTrigger,
  actionInput,
  missingSecret,
  missingCheckout,
  retiredVersion,
  repeatedPathPrefix,
  headerName,
  backtrackingPattern,
  unknownPayloadField,
  unverifiedAllowlist,
  impossibleReply,
  sharedConcurrencyGroup,
  statePermissions,
  hardcodedSecret,
  scriptInjection,
  untrustedPrompt,
]
