import { expect } from '@jest/globals'
import { parseDocument } from 'yaml'

/**
 * The keys that each program knows, by the first key of its file:
 * https://prometheus.io/docs/alerting/latest/configuration/#webhook_config,
 * https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config,
 * https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/,
 * https://distribution.github.io/distribution/about/configuration/#notifications,
 * https://www.verdaccio.org/docs/notifications/ and
 * https://www.home-assistant.io/integrations/rest_command/
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  receivers: [
    'name',
    'webhook_configs',
    'url',
    'url_file',
    'max_alerts',
    'send_resolved',
    'http_config',
    'authorization',
    'credentials',
    'credentials_file',
  ],
  scrape_configs: [
    'job_name',
    'scheme',
    'metrics_path',
    'authorization',
    'credentials_file',
    'static_configs',
    'targets',
  ],
  notifications: [
    'endpoints',
    'name',
    'url',
    'headers',
    'Authorization',
    'timeout',
    'threshold',
    'backoff',
    'ignore',
    'actions',
  ],
  notify: ['method', 'headers', 'Content-Type', 'Authorization', 'endpoint', 'content'],
  groups: ['name', 'rules', 'alert', 'expr', 'annotations', 'summary'],
  rest_command: [
    'hookline',
    'url',
    'method',
    'headers',
    'authorization',
    'payload',
    'content_type',
    'timeout',
  ],
}

/** Checks the configuration file of another program. `false` if the text is no such file. */
export function checkConfiguration(text: string): boolean {
  // Home Assistant replaces `!secret name` by the secret.
  const content: unknown = parseDocument(text, {
    customTags: [{ tag: '!secret', resolve: (name: string) => name }],
  }).toJS()
  const [first = ''] = Object.keys(content ?? {})
  if (!Object.hasOwn(KNOWN, first)) return false
  expect(keysIn(content).filter((key) => key !== first && !KNOWN[first]?.includes(key))).toEqual([])
  const urls = [...text.matchAll(/^[ -]*(?:url|endpoint): (.*)$/gm)].map(([, url = '']) => url)
  const wrong = urls.filter(
    (url) => !/^(https:\/\/relay\.example\.com\/-\/[\w-]{22}|!secret \w+)$/.test(url),
  )
  expect(wrong).toEqual([])
  return true
}

function keysIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) return value.flatMap(keysIn)
  return Object.entries(value).flatMap(([key, one]) => [key, ...keysIn(one)])
}
