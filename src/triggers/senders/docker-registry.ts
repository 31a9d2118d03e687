import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Docker Registry (Distribution)',
  scheme: 'bearer',
  secret: 'REGISTRY_TOKEN',
  shown: 'a token that you choose, which the registry sends as `Authorization: Bearer …`',
  repeat: 'body.events.0.id',
  respond: 'stored',
  filter: { 'body.events': { $elemMatch: { action: 'push', 'target.tag': { $exists: true } } } },
  click: `add an endpoint to the configuration of the registry, and restart the registry.

\`\`\`yaml
notifications:
  endpoints:
    - name: hookline
      url: https://relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw
      headers:
        Authorization: [Bearer <your token>]
      timeout: 10s
      threshold: 5
      backoff: 30s
      ignore:
        actions: [pull, mount]
\`\`\``,
}

export const payloads: Payloads = {
  /** https://distribution.github.io/distribution/about/notifications/ */
  push: ({ id, now }) => ({
    headers: { 'content-type': 'application/vnd.docker.distribution.events.v1+json' },
    body: {
      events: [
        {
          id,
          timestamp: now.toISOString(),
          action: 'push',
          target: {
            mediaType: 'application/vnd.oci.image.manifest.v1+json',
            size: 672,
            digest: 'sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270',
            length: 672,
            repository: 'team/web',
            url: 'https://registry.example.com/v2/team/web/manifests/sha256:5b0bcabd1ed22e9fb1310cf6c2dec7cdef19f0ad69efa1f392e94a4333501270',
            tag: '2.1.0',
          },
          request: {
            id: '6df24a34-0959-4923-81ca-14f09767db19',
            addr: '192.0.2.7:42961',
            host: 'registry.example.com',
            method: 'PUT',
            useragent: 'docker/28.0.1',
          },
          actor: { name: 'ci' },
          source: { addr: 'registry:5000', instanceID: 'a53db899-3b4b-4a62-a067-8dd013beaca4' },
        },
      ],
    },
  }),
}
