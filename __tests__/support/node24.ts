import { describe, test } from '@jest/globals'
import { findNode24 } from '../../scripts/node24.js'

/**
 * The path of a Node with all features that Hookline uses (22.13 or newer; GitHub runs actions on
 * 24), or `null`: `HOOKLINE_NODE24`, else the one from `.ci/run`, else the running one.
 */
export const NODE24 = findNode24()

/** The Node for the built action: Node 24 as on GitHub if available, else the running Node. */
export const ACTION_NODE = NODE24 ?? process.execPath

/** Tests that need {@link NODE24}; without it jest counts them as skipped. */
export const testOnNode24 = NODE24 ? test : test.skip
export const describeOnNode24 = NODE24 ? describe : describe.skip
