import { actionOf, HOOKLINE_ACTION, REPLY_ACTION } from '../../workflow/steps.ts'

/** Variables that affect other programs. */
const GOVERNING = new Set(
  `AR AS AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE ANSIBLE_CONFIG ALL_PROXY BASH_ENV BASHOPTS BROWSER
  BUILDKIT_HOST CC CDPATH CFLAGS CLASSPATH COMSPEC CPP CPPFLAGS CURL_CA_BUNDLE CURL_HOME CXX CXXFLAGS
  DOCKER_CONFIG DOCKER_HOST DOTNET_STARTUP_HOOKS EDITOR ELIXIR_ERL_OPTIONS ENV ERL_AFLAGS ERL_FLAGS ERL_LIBS
  ERL_ZFLAGS GCONV_PATH GH_BROWSER GH_CONFIG_DIR GH_EDITOR GH_HOST GH_PAGER GITHUB_ENV GITHUB_PATH GO111MODULE
  GOAUTH GOBIN GOCACHE GODEBUG GOENV GOEXPERIMENT GOFLAGS GOINSECURE GOMODCACHE GONOPROXY GONOSUMDB GOPATH
  GOPRIVATE GOPROXY GOROOT GOSUMDB GOTMPDIR GOTOOLCHAIN GOVCS GOWORK GRADLE_OPTS GRADLE_USER_HOME HOME
  HTTPS_PROXY HTTP_PROXY IFS JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS KUBECONFIG LD LDFLAGS LESSOPEN LUA_INIT
  MAKEFLAGS MAVEN_ARGS MAVEN_OPTS NODE_EXTRA_CA_CERTS NODE_OPTIONS NODE_PATH NODE_TLS_REJECT_UNAUTHORIZED
  OPENSSL_CONF PAGER PATH PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC PHP_INI_SCAN_DIR PROMPT_COMMAND PS1 PS2 PS4
  PSMODULEPATH PYTHONHOME PYTHONPATH PYTHONSTARTUP REQUESTS_CA_BUNDLE RSYNC_RSH RUBYLIB RUBYOPT RUSTC
  RUSTC_WORKSPACE_WRAPPER RUSTC_WRAPPER RUSTDOCFLAGS RUSTFLAGS SBT_OPTS SHELL SHELLOPTS SSH_ASKPASS SSL_CERT_DIR
  SSL_CERT_FILE SUDO_ASKPASS TAR_OPTIONS USERPROFILE VAULT_ADDR VISUAL WGETRC XDG_CONFIG_HOME _JAVA_OPTIONS`.split(
    /\s+/,
  ),
)

/** Prefixes of further variables that affect other programs. */
const GOVERNING_PREFIX =
  /^(?:(?:ACTIONS|BUNDLE|CARGO|CGO|DYLD|GIT|LD|NPM_CONFIG|PIP|TF_CLI|UV|YARN)_|AWS_ENDPOINT_URL)/

/** True for a variable that affects other programs, so it must not contain untrusted input. */
export function isGoverning(name: string): boolean {
  const upper = name.toUpperCase()
  return GOVERNING.has(upper) || GOVERNING_PREFIX.test(upper)
}

/** Inputs that are executed, in any action. */
const RUNNING = new Set('script inlinescript inline-script run command commands cmd'.split(' '))

/**
 * Inputs of well-known actions that are executed, or inserted into a template that is executed.
 *
 * Sources: the sinks of code injection in zizmor and in CodeQL's models; the pages of the actions
 */
const RUNNING_INPUTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['8398a7/action-slack', ['custom_payload']],
  ['addnab/docker-run-action', ['options', 'run', 'shell']],
  ['anthropics/claude-code-action', ['claude_args', 'settings']],
  ['burrunan/gradle-cache-action', ['arguments']],
  ['cardinalby/js-eval-action', ['expression']],
  ['changesets/action', ['publish', 'version']],
  ['cloudflare/wrangler-action', ['command', 'postcommands', 'precommands']],
  ['cypress-io/github-action', ['build', 'command', 'install-command', 'start', 'wait-on']],
  ['devcontainers/ci', ['runcmd']],
  ['docker/build-push-action', ['build-contexts', 'context', 'file']],
  ['endbug/add-and-commit', ['add', 'commit', 'fetch', 'pull', 'push', 'remove', 'tag']],
  ['eskatos/gradle-command-action', ['arguments']],
  ['gautamkrishnar/blog-post-workflow', ['item_exec']],
  ['gradle/actions/setup-gradle', ['arguments']],
  ['gradle/gradle-build-action', ['arguments']],
  [
    'imjohnbo/issue-bot',
    ['body', 'linked-comments-new-issue-text', 'linked-comments-previous-issue-text'],
  ],
  ['lucasbento/auto-close-issues', ['issue-close-message']],
  ['nick-fields/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
  ['nick-invision/retry', ['command', 'on_retry_command', 'new_command_on_retry', 'shell']],
  ['roots/issue-closer-action', ['issue-close-message', 'pr-close-message']],
  ['skitionek/notify-microsoft-teams', ['overwrite']],
  ['stefanzweifel/git-auto-commit-action', ['add_options', 'commit_options', 'push_options']],
  ['tibdex/backport', ['body_template', 'head_template', 'labels_template', 'title_template']],
  ...'dragonflybsd freebsd netbsd omnios openbsd solaris'
    .split(' ')
    .map((system) => [`vmactions/${system}-vm`, ['prepare', 'run']] as const),
])

const CACHED = ['key', 'path', 'restore-keys']

/** True for an input that is executed. @param input its name in lower case */
export function isRunningInput(uses: string, input: string): boolean {
  if (RUNNING.has(input) || RUNNING_INPUTS.get(actionOf(uses))?.includes(input)) return true
  return input === 'on' && HOOKLINE_ACTION.test(uses)
}

/** Inputs that choose the files that later steps trust, or the receiver of a token. */
const CHOOSING_INPUTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['actions/cache', CACHED],
  ['actions/cache/restore', CACHED],
  ['actions/cache/save', CACHED],
  ['actions/checkout', ['github-server-url']],
  ['actions/download-artifact', ['path', 'repository', 'run-id']],
])

/** Inputs of Hookline's own actions that contain an address. */
const ADDRESSES =
  'telegram-api-url slack-response-url slack-api-url discord-url file state workflow'.split(' ')

/**
 * True for an input that chooses what is fetched, or a receiver. @param input its name in lower
 * case
 */
export function isChoosingInput(uses: string, input: string): boolean {
  if (CHOOSING_INPUTS.get(actionOf(uses))?.includes(input)) return true
  return ADDRESSES.includes(input) && (HOOKLINE_ACTION.test(uses) || REPLY_ACTION.test(uses))
}

/** True for the input that chooses the chat of a reply. @param input its name in lower case */
export function isReplyTarget(uses: string, input: string): boolean {
  return input === 'to' && REPLY_ACTION.test(uses)
}

/** Actions whose outputs are their inputs in another form. */
export const PASSING: readonly string[] = [
  'actions-ecosystem/action-regex-match',
  'ashley-taylor/read-json-property-action',
  'ashley-taylor/regex-property-action',
  'aszc/change-string-case-action',
  'bhowell2/github-substring-action',
  'cardinalby/js-eval-action',
  'devorbitus/yq-action-output',
  'dsfx3d/action-extract-unique-matches',
  'frabert/replace-string-action',
  'haya14busa/action-cond',
  'jsdaniell/create-json',
  'kaisugi/action-regex-match',
  'mad9000/actions-find-and-replace-string',
  'meilcli/regex-match',
  'mikefarah/yq',
  'sergeysova/jq-action',
]

/** Inputs that a coding agent follows as a prompt. */
const PROMPTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['actions/ai-inference', ['prompt', 'system-prompt']],
  [
    'anthropics/claude-code-action',
    ['prompt', 'direct_prompt', 'override_prompt', 'custom_instructions'],
  ],
  ['anthropics/claude-code-base-action', ['prompt', 'system_prompt', 'append_system_prompt']],
  ['google-gemini/gemini-cli-action', ['prompt']],
  ['google-github-actions/run-gemini-cli', ['prompt']],
  ['openai/codex-action', ['prompt', 'codex-args']],
])

/** True for the prompt of a coding agent. @param input its name in lower case */
export function isPrompt(uses: string, input: string): boolean {
  return PROMPTS.get(actionOf(uses))?.includes(input) ?? false
}

/** True for the actions of this project. */
export function isHooklineUse(uses: string): boolean {
  return HOOKLINE_ACTION.test(uses) || REPLY_ACTION.test(uses)
}

/** Inputs that contain a message for people, in any action. */
const TEXT_INPUT =
  /^(?:(?:card|comment|commit|discussion|email|html|issue|mail|markdown|pr|pull-request|release|slack|sms|tweet)[-_])?(?:body|caption|comment|content|description|details|message|msg|note|notes|question|reason|subject|summary|text|title)(?:[-_](?:body|text|markdown))?$/

/** Numbers of issues in the own repository, which only choose where a message appears. */
const NUMBER_INPUT = /^(?:(?:issue|pr|pull[-_]request)[-_])?number$/

/** Inputs of actions that contain a message under another name; `*` means all inputs. */
const TEXT_INPUTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['appleboy/discord-action', ['message', 'username']],
  ['appleboy/telegram-action', ['message']],
  ['slackapi/slack-github-action', ['payload']],
  ['softprops/action-gh-release', ['name', 'body']],
  ...PASSING.map((action) => [action, ['*']] as const),
])

/** True for an input that is known to contain a message. @param input its name in lower case */
export function isTextInput(uses: string, input: string): boolean {
  if (TEXT_INPUT.test(input) || NUMBER_INPUT.test(input)) return true
  const own = TEXT_INPUTS.get(actionOf(uses)) ?? []
  return own.includes('*') || own.includes(input)
}
