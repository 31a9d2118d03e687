import { expect, test } from '@jest/globals'
import { RelayMetrics } from '../../src/relay/metrics.ts'

const EMPTY = `# TYPE hookline_responses_total counter
# TYPE hookline_endpoint_responses_total counter
# TYPE hookline_github_seconds histogram
hookline_github_seconds_bucket{le="0.05"} 0
hookline_github_seconds_bucket{le="0.1"} 0
hookline_github_seconds_bucket{le="0.25"} 0
hookline_github_seconds_bucket{le="0.5"} 0
hookline_github_seconds_bucket{le="1"} 0
hookline_github_seconds_bucket{le="2.5"} 0
hookline_github_seconds_bucket{le="5"} 0
hookline_github_seconds_bucket{le="10"} 0
hookline_github_seconds_bucket{le="+Inf"} 0
hookline_github_seconds_sum 0.000
hookline_github_seconds_count 0
# TYPE hookline_github_calls_total counter
# TYPE hookline_credential_failing gauge
# TYPE hookline_runs_total counter
# TYPE hookline_bodies_refused_total counter`

test('all counters begin without values', () => {
  expect(new RelayMetrics().lines().join('\n')).toBe(EMPTY)
})

const FULL = `# TYPE hookline_responses_total counter
hookline_responses_total{status="200"} 2
hookline_responses_total{status="404"} 1
# TYPE hookline_endpoint_responses_total counter
hookline_endpoint_responses_total{owner="octo",endpoint="orders",status="200"} 1
hookline_endpoint_responses_total{owner="octo",endpoint="orders",status="404"} 1
# TYPE hookline_github_seconds histogram
hookline_github_seconds_bucket{le="0.05"} 2
hookline_github_seconds_bucket{le="0.1"} 3
hookline_github_seconds_bucket{le="0.25"} 3
hookline_github_seconds_bucket{le="0.5"} 3
hookline_github_seconds_bucket{le="1"} 3
hookline_github_seconds_bucket{le="2.5"} 3
hookline_github_seconds_bucket{le="5"} 3
hookline_github_seconds_bucket{le="10"} 4
hookline_github_seconds_bucket{le="+Inf"} 5
hookline_github_seconds_sum 20.151
hookline_github_seconds_count 5
# TYPE hookline_github_calls_total counter
hookline_github_calls_total{outcome="accepted"} 3
hookline_github_calls_total{outcome="unanswered"} 2
# TYPE hookline_github_remaining gauge
hookline_github_remaining 40
# TYPE hookline_credential_failing gauge
hookline_credential_failing{reason="app_not_installed"} 1
hookline_credential_failing{reason="invalid_token"} 2
# TYPE hookline_runs_total counter
hookline_runs_total{outcome="failure"} 1
hookline_runs_total{outcome="success"} 2
# TYPE hookline_bodies_refused_total counter
hookline_bodies_refused_total 2`

test('counters, buckets and gauges have their values, in order of their labels', () => {
  const metrics = new RelayMetrics()
  const orders = { owner: 'octo', name: 'orders' }
  metrics.answered(404, orders)
  metrics.answered(200)
  metrics.answered(200, orders)
  for (const ms of [0, 50, 51]) metrics.called('accepted', ms)
  for (const ms of [10_000, 10_050]) metrics.called('unanswered', ms)
  const [one, other] = [{}, {}]
  metrics.left(one, 7)
  metrics.left(other, 40)
  metrics.left(one, 90)
  for (const outcome of ['success', 'failure', 'success']) metrics.ran(outcome)
  metrics.bodyRefused()
  metrics.bodyRefused()
  metrics.credential('o/a', 'invalid_token')
  metrics.credential('o/b', 'app_not_installed')
  metrics.credential('o/c', 'invalid_token')
  metrics.credential('o/d', 'app_clock_skew')
  metrics.credential('o/d', undefined)
  expect(metrics.lines().join('\n')).toBe(FULL)
  expect(metrics.failingReasons()).toEqual(['invalid_token', 'app_not_installed'])
})

test('1,000 credentials and repositories are remembered', () => {
  const metrics = new RelayMetrics()
  const remaining = () => metrics.lines().find((line) => /^hookline_github_remaining /.test(line))
  const failing = () => metrics.lines().find((line) => line.includes('failing{'))
  const first = {}
  metrics.left(first, 1)
  for (let n = 1; n < 1000; n++) metrics.left({}, 5)
  metrics.left(first, 2)
  expect(remaining()).toBe('hookline_github_remaining 2')
  metrics.left({}, 9)
  expect(remaining()).toBe('hookline_github_remaining 9')
  for (let n = 0; n < 1002; n++) metrics.credential(`o/${n}`, 'invalid_token')
  expect(failing()).toBe('hookline_credential_failing{reason="invalid_token"} 1000')
})
