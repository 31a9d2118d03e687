import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Jenkins',
  scheme: 'bearer',
  secret: 'JENKINS_TOKEN',
  shown: 'a token that you choose, which the job sends as `Authorization: Bearer …`',
  repeat: 'id',
  click:
    'store the URL and the token as credentials of the kind *Secret text*. In a shell step of the job, with both as variables, send the event:\n\n```sh\ncurl "$WEBHOOK_URL" --fail-with-body --retry 3 \\\n  -H "Authorization: Bearer $JENKINS_TOKEN" -H \'content-type: application/json\' \\\n  --data-raw \'{"id":"\'"$BUILD_TAG"\'","url":"\'"$BUILD_URL"\'"}\'\n```\n\nJenkins sets `BUILD_TAG` and `BUILD_URL`. The step `httpRequest` of the [HTTP Request plugin](https://plugins.jenkins.io/http_request) sends the same, with the header in `customHeaders` and `maskValue: true`.',
}

export const payloads: Payloads = {
  /** The body of the page below. */
  build: () => ({
    body: { id: 'jenkins-deploy-7', url: 'https://jenkins.example.com/job/deploy/7/' },
  }),
}
