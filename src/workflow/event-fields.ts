import { wordSet } from '../wire/words.ts'

/**
 * Fields of GitHub's events that anyone can choose, even without permissions in the repository.
 *
 * Sources: actionlint's list of untrusted inputs; zizmor's context-capabilities for `workflow_run`,
 * `changes` and `merge_group`.
 */
const GITHUB_FIELDS = pathsIn(`
  event.answer.body
  event.changes.body.from
  event.changes.title.from
  event.check_run.check_suite.head_branch
  event.check_run.pull_requests.*.head.ref
  event.check_suite.head_branch
  event.check_suite.head_commit.author.email
  event.check_suite.head_commit.author.name
  event.check_suite.head_commit.committer.email
  event.check_suite.head_commit.committer.name
  event.check_suite.head_commit.message
  event.check_suite.pull_requests.*.head.ref
  event.comment.body
  event.commits.*.author.email
  event.commits.*.author.name
  event.commits.*.committer.email
  event.commits.*.committer.name
  event.commits.*.message
  event.discussion.body
  event.discussion.title
  event.head_commit.author.email
  event.head_commit.author.name
  event.head_commit.committer.email
  event.head_commit.committer.name
  event.head_commit.message
  event.issue.body
  event.issue.title
  event.merge_group.head_commit.author.name
  event.merge_group.head_commit.committer.name
  event.merge_group.head_commit.message
  event.pages.*.page_name
  event.pages.*.title
  event.pull_request.body
  event.pull_request.head.label
  event.pull_request.head.ref
  event.pull_request.head.repo.default_branch
  event.pull_request.head.repo.description
  event.pull_request.head.repo.homepage
  event.pull_request.title
  event.review.body
  event.review_comment.body
  event.workflow_run.display_title
  event.workflow_run.head_branch
  event.workflow_run.head_commit.author.email
  event.workflow_run.head_commit.author.name
  event.workflow_run.head_commit.committer.email
  event.workflow_run.head_commit.committer.name
  event.workflow_run.head_commit.message
  event.workflow_run.head_repository.description
  event.workflow_run.pull_requests.*.head.ref
  head_ref`)

/** The events of a pull request, and those of its reviews. */
const PULL_REQUEST =
  'pull_request pull_request_target pull_request_review pull_request_review_comment'

/**
 * The events that have a field, by the first name of the field.
 *
 * Source: https://docs.github.com/webhooks/webhook-events-and-payloads
 */
const EVENTS_OF_FIELD: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    answer: 'discussion',
    changes: `${PULL_REQUEST} discussion discussion_comment issue_comment issues`,
    check_run: 'check_run',
    check_suite: 'check_suite',
    comment: 'discussion_comment issue_comment pull_request_review_comment',
    commits: 'push',
    discussion: 'discussion discussion_comment',
    head_commit: 'push',
    head_ref: PULL_REQUEST,
    issue: 'issue_comment issues',
    merge_group: 'merge_group',
    pages: 'gollum',
    pull_request: PULL_REQUEST,
    review: 'pull_request_review',
    review_comment: 'pull_request_review_comment',
    workflow_run: 'workflow_run',
  }).map(([field, events]) => [field, wordSet(events)]),
)

/** Untrusted fields of the event, as expressions and as scripts read them. */
export interface EventFields {
  readonly paths: readonly (readonly string[])[]
  /** How JavaScript reads one of them: `payload.issue.title`, `pull_request?.head.ref`. */
  readonly inScript: RegExp
}

/** @param events under `on:`; without them any event may start the workflow */
export function eventFields(events?: readonly string[]): EventFields {
  const paths = GITHUB_FIELDS.filter(([first = '', second = '']) => {
    const known = EVENTS_OF_FIELD.get(first === 'event' ? second : first)
    return !events || !known || events.some((event) => known.has(event.toLowerCase()))
  })
  const names = paths.flatMap((path) => {
    if (path.includes('commits')) return 'commits'
    const [owner, name] = path.slice(-2)
    return name === undefined || owner === '*' ? [] : `${owner}\\??\\.${name}`
  })
  // Without a name, the pattern matches nothing.
  return { paths, inScript: names.length > 0 ? new RegExp(`\\b(?:${names.join('|')})\\b`) : /(?!)/ }
}

/** A webhook, as `repository_dispatch` and the input of `workflow_dispatch` carry it. */
export const WEBHOOK_FIELDS = pathsIn('event.client_payload event.inputs.hookline')

function pathsIn(text: string): readonly (readonly string[])[] {
  return text
    .trim()
    .split(/\s+/)
    .map((path) => path.split('.'))
}

/**
 * True for a path that is one of these fields, or below one; with `keepsObjects`, also above one.
 *
 * @param steps names in lower case, `*` for all, `undefined` for a name that only the run knows
 */
export function isWithin(
  fields: readonly (readonly string[])[],
  steps: readonly (string | undefined)[],
  keepsObjects: boolean,
): boolean {
  const isDynamic = steps.includes(undefined)
  return fields.some((path) => {
    const isAbove = steps.length < path.length || (path[1] === 'client_payload' && steps.length < 3)
    if (isAbove && !keepsObjects && !isDynamic) return false
    return steps.every((step, at) => {
      const wanted = path[at]
      return wanted === undefined || wanted === '*' || step === '*' || (step ?? wanted) === wanted
    })
  })
}
