/**
 * The requests in the screenshots.
 *
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }}
 * Sample
 */

const json = { 'content-type': 'application/json' }

const issue = {
  action: 'opened',
  issue: {
    number: 128,
    title: 'Deliveries arrive twice after a restart',
    labels: [{ name: 'bug' }, { name: 'relay' }],
    assignee: null,
    locked: false,
    comments: 3,
  },
  repository: { full_name: 'octo/repo', private: true },
  sender: { login: 'ada', id: 4211 },
}

/** @type {readonly Sample[]} */
export const SAMPLES = [
  { method: 'POST', path: 'deploy/webhook', headers: json, body: '{"ref":"v1.4.0","by":"ci"}' },
  { method: 'POST', path: 'form/webhook', headers: json, body: '{"name":"Grace"}' },
  { method: 'GET', path: 'hook/webhook/issues/127', headers: {} },
  {
    method: 'POST',
    path: 'hook/webhook/issues/128?source=tracker',
    headers: { ...json, 'x-tracker-event': 'issues', 'user-agent': 'Tracker-Hook/2' },
    body: JSON.stringify(issue),
  },
  { method: 'POST', path: 'hok/webhook', headers: json, body: '{}' },
  { method: 'PUT', path: 'hook/webhook/comments/9', headers: json, body: '{"text":"thanks"}' },
  {
    method: 'POST',
    path: 'tickets/webhook',
    headers: { ...json, 'x-github-event': 'issues', 'user-agent': 'GitHub-Hookshot/044aadd' },
    body: JSON.stringify(issue),
  },
]
