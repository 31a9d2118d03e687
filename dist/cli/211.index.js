export const id = 211;
export const ids = [211];
export const modules = {

/***/ 3651:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  R1: () => (/* binding */ readAccessKeys),
  Yd: () => (/* binding */ readRelayConfig),
  S7: () => (/* binding */ relayPorts)
});

// EXTERNAL MODULE: ./build/protocol/errors.js
var errors = __webpack_require__(2546);
// EXTERNAL MODULE: ./build/protocol/secret.js
var secret = __webpack_require__(2977);
// EXTERNAL MODULE: ./build/relay/access-keys.js
var access_keys = __webpack_require__(6955);
// EXTERNAL MODULE: ./build/relay/credentials.js
var credentials = __webpack_require__(6500);
// EXTERNAL MODULE: ./build/protocol/dispatch.js
var dispatch = __webpack_require__(1647);
// EXTERNAL MODULE: ./build/relay/errors.js
var relay_errors = __webpack_require__(6027);
// EXTERNAL MODULE: ./build/relay/platform.js
var platform = __webpack_require__(855);
;// CONCATENATED MODULE: ./build/relay/verdict.js


const MOVED = new Set([307, 308]);
/** Bad gateway, service unavailable: a small risk of a double, which the sender's own retry has too. */
const NOT_ACCEPTED = new Set([502, 503]);
/** Seconds, where the platform names none: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
const DEFAULT_RETRY_AFTER = 60;
function judgeAnswer(answer, now) {
    const { status } = answer;
    if (status >= 200 && status < 300)
        return { kind: 'accepted' };
    if (MOVED.has(status))
        return { kind: 'moved', location: answer.header('location') ?? '' };
    if (isRateLimit(answer))
        return rateLimited(answer, now);
    if (NOT_ACCEPTED.has(status))
        return { kind: 'again', error: platformUnavailable() };
    return { kind: 'refused', error: refusal(answer) };
}
function judgeFault(fault) {
    if (!(fault instanceof platform/* PlatformFault */.A))
        throw fault;
    if (fault.sent)
        return { kind: 'refused', error: platformTimeout(fault) };
    return { kind: 'again', error: platformUnavailable(fault) };
}
function platformUnavailable(cause) {
    return new relay_errors/* RelayError */.c(502, 'platform_unavailable', 'GitHub did not accept the event', {
        hint: 'send the request again later',
        cause,
    });
}
function platformTimeout(cause) {
    return new relay_errors/* RelayError */.c(504, 'platform_timeout', 'GitHub did not answer in time', {
        hint: 'the event may have been accepted: send it again, and let the workflow drop duplicates',
        cause,
    });
}
function refusal({ status, text }) {
    if (status === 401) {
        return new relay_errors/* RelayError */.c(401, 'invalid_token', 'GitHub did not accept the token', {
            hint: 'check that it is complete, not expired and not revoked',
        });
    }
    if (status === 403 || status === 404) {
        return new relay_errors/* RelayError */.c(403, 'repository_not_accessible', 'the token cannot reach the repository', {
            hint: 'check its name, and that the token has `contents: write` on it (classic: `repo`)',
        });
    }
    if (status === 422 && /too large/i.test(text)) {
        return new relay_errors/* RelayError */.c(413, 'payload_too_large', 'the event is larger than GitHub accepts', {
            hint: 'send less, or only an address from which the workflow fetches the rest',
        });
    }
    if (status < 400 || status >= 500)
        return platformUnavailable();
    return new relay_errors/* RelayError */.c(422, 'rejected', `GitHub rejected the event with status ${status}`, {
        hint: 'this is no fault of the token: look at what is sent',
    });
}
/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit */
function isRateLimit({ status, header, text }) {
    if (status === 429)
        return true;
    if (status !== 403)
        return false;
    const told = header('retry-after') !== undefined || header('x-ratelimit-remaining') === '0';
    return told || /secondary rate/i.test(text);
}
function rateLimited(answer, now) {
    const told = secondsToWait(answer, now);
    const retryAfter = told ?? DEFAULT_RETRY_AFTER;
    const error = new relay_errors/* RelayError */.c(429, 'rate_limited', "GitHub's rate limit is reached", {
        hint: `send the request again in ${retryAfter} seconds`,
        retryAfter,
    });
    if (told === undefined)
        return { kind: 'refused', error };
    return { kind: 'again', error, wait: told * 1000 };
}
/** `Retry-After` in seconds or as a date; else the moment at which the spent limit is filled again. */
function secondsToWait({ header }, now) {
    const retryAfter = header('retry-after')?.trim();
    if (retryAfter && /^\d{1,9}$/.test(retryAfter))
        return Number(retryAfter);
    const reset = header('x-ratelimit-remaining') === '0' ? header('x-ratelimit-reset') : undefined;
    const until = retryAfter ? Date.parse(retryAfter) : Number(reset) * 1000;
    if (!Number.isFinite(until))
        return undefined;
    return Math.max(0, Math.ceil((until - now.getTime()) / 1000));
}

;// CONCATENATED MODULE: ./build/relay/forward.js


const DEFAULT_BUDGET = 8000;
const MOST_TRIES = 3;
/** Makes each dispatch a call of the platform's API, with as many tries as its faults allow. */
function forwardTo(options) {
    const { apiUrl, clock, budget } = options;
    return async (dispatch) => {
        const deadline = clock.now().getTime() + budget;
        const first = dispatchUrl(apiUrl, dispatch.repository);
        let url = first;
        for (let tries = 1;; tries++) {
            const { verdict, attempts } = await attempt(url, tries, dispatch, deadline, options);
            if (verdict.kind === 'accepted')
                return attempts;
            if (verdict.kind !== 'moved')
                await pause(verdict, attempts, deadline, clock);
            else if (url === first)
                url = redirected(url, verdict.location, attempts, apiUrl);
            else
                throw platformUnavailable().after(attempts);
        }
    };
}
/** @throws RelayError when no other try may be made, or none is left, or no time for one */
async function pause(verdict, attempts, deadline, clock) {
    if (verdict.kind === 'refused')
        throw verdict.error.after(attempts);
    const delay = verdict.wait ?? jitter(attempts.tries - 1, clock);
    const inTime = clock.now().getTime() + delay < deadline;
    if (attempts.tries === MOST_TRIES || !inTime)
        throw verdict.error.after(attempts);
    await clock.sleep(delay);
}
/** Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/ */
function jitter(retry, clock) {
    return clock.random() * Math.min(1500, 250 * 2 ** retry);
}
async function attempt(url, tries, { token, clientPayload }, deadline, { post, clock }) {
    const timeout = Math.max(1, deadline - clock.now().getTime());
    try {
        const body = (0,dispatch/* writeDispatch */.Uk)(clientPayload);
        const answer = await post({ url, headers: platformHeaders(token), body, timeout });
        const attempts = { tries, platformStatus: answer.status };
        return { verdict: judgeAnswer(answer, clock.now()), attempts };
    }
    catch (fault) {
        return { verdict: judgeFault(fault), attempts: { tries } };
    }
}
function platformHeaders(token) {
    return {
        accept: 'application/vnd.github+json',
        'content-type': 'application/json',
        'user-agent': 'hookline-relay',
        'x-github-api-version': '2022-11-28',
        ...(token && { authorization: `Bearer ${token.reveal()}` }),
    };
}
function dispatchUrl(apiUrl, { owner, name }) {
    return new URL(`${basePath(apiUrl)}/repos/${owner}/${name}/dispatches`, apiUrl);
}
/** GitHub answers so for a repository that was renamed or moved. */
const DISPATCHES = /^\/(?:repos\/[\w-]+\/[\w.-]+|repositories\/\d+)\/dispatches$/;
/**
 * Where to send the event instead.
 *
 * @throws RelayError unless it is within the same API: a token must not follow any other redirect
 */
function redirected(from, location, attempts, apiUrl) {
    const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    const base = basePath(apiUrl);
    const literal = url && `${apiUrl.origin}${url.pathname}` === url.href;
    const within = literal && url.pathname.startsWith(base);
    const allowed = within && attempts.tries < MOST_TRIES;
    if (allowed && DISPATCHES.test(url.pathname.slice(base.length)))
        return url;
    throw platformUnavailable().after(attempts);
}
function basePath(apiUrl) {
    return apiUrl.pathname.replace(/\/+$/, '');
}

// EXTERNAL MODULE: ./build/relay/route.js
var route = __webpack_require__(2771);
// EXTERNAL MODULE: ./build/entries/system-clock.js
var system_clock = __webpack_require__(697);
;// CONCATENATED MODULE: ./build/entries/relay-config.js







/** @throws UserError naming the variable that is wrong */
async function readRelayConfig(env, repository) {
    return {
        apiUrl: readApiUrl(env),
        budget: readBudget(env.HOOKLINE_UPSTREAM_TIMEOUT_MS),
        credentials: await readCredentials(env),
        ...(repository && { repository: readRepository(repository) }),
    };
}
/** The ports of a relay towards GitHub. */
function relayPorts(config, post, write) {
    const { credentials, repository, apiUrl, budget } = config;
    const forward = { post, apiUrl, budget, clock: system_clock/* systemClock */.m };
    return {
        dispatch: forwardTo(forward),
        credentials,
        ...(repository && { repository }),
        now: system_clock/* systemClock */.m.now,
        newDelivery: () => crypto.randomUUID(),
        log: (entry) => write(JSON.stringify(entry)),
        report: (error) => write(JSON.stringify({ error: error instanceof Error ? error.stack : error })),
    };
}
function readApiUrl({ HOOKLINE_API_URL, GITHUB_API_URL }) {
    const text = HOOKLINE_API_URL || GITHUB_API_URL || 'https://api.github.com';
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const plain = url && !url.username && !url.password && !url.search && !url.hash;
    if (plain && /^https?:$/.test(url.protocol))
        return url;
    throw new errors/* UserError */.y({
        message: `HOOKLINE_API_URL is not the address of an API: ${JSON.stringify(text)}`,
        hint: 'it looks like https://api.github.com, or https://github.example.com/api/v3',
    });
}
function readBudget(text) {
    if (!text)
        return DEFAULT_BUDGET;
    if (/^[1-9]\d{0,5}$/.test(text))
        return Number(text);
    throw new errors/* UserError */.y({
        message: `HOOKLINE_UPSTREAM_TIMEOUT_MS is no number of milliseconds: ${JSON.stringify(text)}`,
        hint: `the default is ${DEFAULT_BUDGET}`,
    });
}
async function readCredentials({ HOOKLINE_TOKEN, HOOKLINE_KEYS, }) {
    if (!HOOKLINE_TOKEN && !HOOKLINE_KEYS)
        return credentials/* ownToken */.K8;
    if (!HOOKLINE_TOKEN || !HOOKLINE_KEYS) {
        throw new errors/* UserError */.y({
            message: `${HOOKLINE_TOKEN ? 'HOOKLINE_KEYS' : 'HOOKLINE_TOKEN'} is missing`,
            hint: 'a relay that holds the token needs both: the token, and the keys that requests bring',
        });
    }
    return (0,access_keys/* heldToken */.b)(readAccessKeys(HOOKLINE_KEYS), new secret/* Secret */.z(HOOKLINE_TOKEN));
}
const SHORTEST_KEY = 20;
/**
 * Keys separated by commas or white space.
 *
 * @throws UserError for one that could be guessed
 */
function readAccessKeys(text) {
    const keys = text.split(/[\s,]+/).filter(Boolean);
    if (keys.length > 0 && keys.every((key) => key.length >= SHORTEST_KEY)) {
        return keys.map((key) => new secret/* Secret */.z(key));
    }
    throw new errors/* UserError */.y({
        message: `HOOKLINE_KEYS holds a key of fewer than ${SHORTEST_KEY} characters`,
        hint: 'make one with: hookline keys access',
    });
}
function readRepository(text) {
    try {
        return (0,route/* parseRepository */.SU)(text);
    }
    catch (cause) {
        throw new errors/* UserError */.y({ message: `${JSON.stringify(text)} is no repository`, hint: 'write it as owner/name' }, { cause });
    }
}


/***/ }),

/***/ 4211:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  v: () => (/* binding */ serveRelay),
  startRelay: () => (/* binding */ startRelay)
});

// EXTERNAL MODULE: ./build/protocol/dispatch.js
var dispatch = __webpack_require__(1647);
// EXTERNAL MODULE: ./build/protocol/headers.js
var protocol_headers = __webpack_require__(5555);
;// CONCATENATED MODULE: ./build/relay/cors.js

/** The methods that are relayed. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
/** On every answer: any page may call, none may use a visitor's cookies. */
const CORS_HEADERS = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'X-Hookline-Delivery, Retry-After',
};
const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const HEADER_LIST_LENGTH = 1024;
/** The answer to a browser that asks before it calls; `undefined` for every other request. */
function preflight(method, headers) {
    if (method !== 'OPTIONS')
        return undefined;
    if ((0,protocol_headers/* headerValue */.Z)(headers, 'origin') === undefined)
        return undefined;
    if ((0,protocol_headers/* headerValue */.Z)(headers, 'access-control-request-method') === undefined)
        return undefined;
    return {
        status: 204,
        headers: {
            'access-control-allow-methods': METHODS.join(', '),
            ...allowedHeaders((0,protocol_headers/* headerValue */.Z)(headers, 'access-control-request-headers')),
            'access-control-max-age': '86400',
            vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        },
        body: '',
    };
}
function allowedHeaders(requested) {
    if (!requested || requested.length > HEADER_LIST_LENGTH)
        return {};
    return HEADER_LIST.test(requested) ? { 'access-control-allow-headers': requested } : {};
}

;// CONCATENATED MODULE: ./build/relay/answers.js


/**
 * On every answer. A caller chooses the content of a custom response, so whatever a browser is
 * shown from this origin must stay inert.
 */
const INERT_HEADERS = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    // `same-origin` would make a page's `no-cors` call fail although it was dispatched.
    'cross-origin-resource-policy': 'cross-origin',
};
const EVERY_ANSWER = { ...CORS_HEADERS, ...INERT_HEADERS };
/** RFC 9110: answers of these statuses have no content. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** A reply with what every answer of the relay carries, without a body where there can be none. */
function completed(reply, method, delivery) {
    const { 'content-type': contentType, ...others } = reply.headers;
    const bare = WITHOUT_BODY.has(reply.status);
    return {
        status: reply.status,
        headers: {
            ...others,
            ...(contentType && !bare && { 'content-type': contentType }),
            ...EVERY_ANSWER,
            [dispatch/* HEADER */.El.delivery]: delivery,
        },
        body: bare || method === 'HEAD' ? '' : reply.body,
    };
}
function errorReply(error, delivery) {
    const { code, message, hint, retryAfter, status } = error;
    return {
        status,
        headers: {
            'content-type': 'application/json',
            ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
            ...(status === 405 && { allow: METHODS.join(', ') }),
        },
        body: JSON.stringify({ success: false, error: { code, message, hint }, delivery }),
    };
}

// EXTERNAL MODULE: ./build/relay/refusals.js
var refusals = __webpack_require__(5625);
// EXTERNAL MODULE: ./build/protocol/bytes.js
var protocol_bytes = __webpack_require__(5782);
// EXTERNAL MODULE: ./build/protocol/limits.js
var limits = __webpack_require__(3437);
// EXTERNAL MODULE: ./build/relay/credentials.js
var credentials = __webpack_require__(6500);
// EXTERNAL MODULE: ./build/protocol/reply.js
var reply = __webpack_require__(5605);
;// CONCATENATED MODULE: ./build/relay/custom-reply.js



const ACCEPTED = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"success":true}',
};
const STATUS = /^[2-5]\d\d$/;
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[\\w !#-\\[\\]-~]*"))*$`);
const MEDIA_TYPE_LENGTH = 255;
/**
 * What an accepted request is answered: the default, each part of it replaced by its own parameter.
 * An empty parameter counts as absent.
 *
 * @throws RelayError 400 for a value that cannot be answered
 */
function acceptedReply(reserved) {
    const status = reserved.get(reply/* PARAMETER */.a.responseCode);
    const contentType = reserved.get(reply/* PARAMETER */.a.responseContentType);
    const body = reserved.get(reply/* PARAMETER */.a.responseBody);
    if (!status && !contentType && !body)
        return ACCEPTED;
    return {
        status: status ? checkedStatus(status) : ACCEPTED.status,
        headers: contentType ? { 'content-type': checkedContentType(contentType) } : ACCEPTED.headers,
        body: body ? checkedBody(body) : ACCEPTED.body,
    };
}
function checkedStatus(text) {
    if (STATUS.test(text))
        return Number(text);
    throw (0,refusals/* badResponseOption */.uJ)(reply/* PARAMETER */.a.responseCode, 'give a whole number from 200 to 599');
}
function checkedContentType(text) {
    if (text.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text))
        return text;
    throw (0,refusals/* badResponseOption */.uJ)(reply/* PARAMETER */.a.responseContentType, 'give a media type such as text/plain');
}
function checkedBody(text) {
    if (new TextEncoder().encode(text).length <= limits/* LIMITS */.b.responseBodyBytes)
        return text;
    const hint = `give at most ${limits/* LIMITS */.b.responseBodyBytes} bytes`;
    throw (0,refusals/* badResponseOption */.uJ)(reply/* PARAMETER */.a.responseBody, hint);
}

// EXTERNAL MODULE: ./build/relay/errors.js
var errors = __webpack_require__(6027);
// EXTERNAL MODULE: ./build/protocol/json.js + 7 modules
var json = __webpack_require__(2947);
// EXTERNAL MODULE: ./build/protocol/webhook-path.js
var webhook_path = __webpack_require__(4734);
;// CONCATENATED MODULE: ./build/relay/handshake.js



/**
 * Some senders ask, before they send a first event, whether someone listens, and want their
 * challenge back at once. That is no event, so nothing is dispatched.
 */
function handshake(method, path, body) {
    const challenge = method === 'GET' ? subscriptionChallenge(path) : slackChallenge(method, path, body);
    return challenge === undefined ? undefined : plainText(challenge);
}
/** Meta and others: https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
function subscriptionChallenge(path) {
    if (!path.includes('hub.'))
        return undefined;
    const query = new URLSearchParams((0,webhook_path/* parseWebhookPath */.k)(path).querystring);
    if (query.get('hub.mode') !== 'subscribe')
        return undefined;
    return query.get('hub.challenge') ?? undefined;
}
/** https://api.slack.com/events/url_verification */
function slackChallenge(method, path, body) {
    if (method !== 'POST' || (0,webhook_path/* parseWebhookPath */.k)(path).trigger !== 'slack')
        return undefined;
    const request = handshake_json(body);
    if (!(0,json/* isObject */.Gv)(request) || request.type !== 'url_verification')
        return undefined;
    return typeof request.challenge === 'string' ? request.challenge : undefined;
}
function handshake_json(body) {
    try {
        return (0,json/* parseJson */.qF)((0,protocol_bytes/* utf8Text */.Hp)(body) ?? '');
    }
    catch {
        return undefined;
    }
}
function plainText(body) {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

;// CONCATENATED MODULE: ./build/relay/journal.js

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/;
/** Gathers, while a request is handled, what its line in the log will say. */
class Journal {
    delivery;
    receivedAt;
    #facts = {};
    constructor(delivery, receivedAt) {
        this.delivery = delivery;
        this.receivedAt = receivedAt;
    }
    /** @param path only after the tokens are scrubbed from it */
    addressed(repository, path, bytes) {
        const { workflow, trigger } = (0,webhook_path/* parseWebhookPath */.k)(path);
        this.#facts = {
            owner: repository.owner,
            repo: repository.name,
            ...(PLAIN_NAME.test(workflow) && { workflow }),
            ...(PLAIN_NAME.test(trigger) && { trigger }),
            bytes,
        };
    }
    attempted(attempts) {
        this.#facts = { ...this.#facts, ...attempts };
    }
    entry(method, status, now) {
        const ms = now.getTime() - this.receivedAt.getTime();
        const { delivery, receivedAt } = this;
        return { time: receivedAt.toISOString(), delivery, method, ...this.#facts, status, ms };
    }
}

;// CONCATENATED MODULE: ./build/relay/pages.js
const TEXT = 'text/plain; charset=utf-8';
const HELP = `This is a Hookline relay. It forwards a request to

  /<owner>/<repo>/<workflow>/<trigger>

as a repository_dispatch event, and so starts the GitHub Actions workflow that waits for it.
The token belongs in the header X-Platform-Authorization.
`;
const RELAY_PAGES = new Map([
    ['/', { contentType: TEXT, body: HELP }],
    ['/healthz', { contentType: TEXT, body: 'ok' }],
]);
/** The page that a request asks for; `undefined` when it asks for none. */
function visited(pages, method, path) {
    if (method !== 'GET' && method !== 'HEAD')
        return undefined;
    const found = pages.get(path);
    if (!found)
        return undefined;
    return { status: 200, headers: { 'content-type': found.contentType }, body: found.body };
}

;// CONCATENATED MODULE: ./build/relay/payload.js





/**
 * Text travels as it is, other bytes as base64, and what is too large for GitHub gzipped.
 *
 * @throws RelayError 413 when it is too large even then
 */
async function writePayload(received) {
    const plain = written(received, plainBody(received.body));
    if (byteLength(plain.clientPayload) <= limits/* LIMITS */.b.clientPayloadBytes)
        return plain;
    const packed = written(received, await packedBody(received.body));
    const bytes = byteLength(packed.clientPayload);
    if (bytes > limits/* LIMITS */.b.clientPayloadBytes)
        throw (0,refusals/* payloadTooLarge */.Iv)(bytes);
    return packed;
}
function plainBody({ bytes, text }) {
    if (bytes.length === 0)
        return { body: null };
    return text === undefined ? { body: (0,protocol_bytes/* toBase64 */.nk)(bytes), encoding: 'base64' } : { body: text };
}
async function packedBody({ bytes }) {
    if (bytes.length === 0)
        return { body: null };
    return { body: (0,protocol_bytes/* toBase64 */.nk)(await (0,protocol_bytes/* gzip */.ZI)(bytes)), encoding: 'gzip' };
}
function written(received, { body, encoding }) {
    const { path, method, delivery, receivedAt } = received;
    const metadata = (0,protocol_headers/* metadataHeaders */.ES)(delivery, receivedAt.toISOString(), encoding);
    const headers = Object.assign(Object.create(null), received.headers, metadata);
    const payload = { path, method, headers, body };
    return { payload, clientPayload: (0,dispatch/* writeClientPayload */.je)(payload) };
}
function byteLength(text) {
    // A UTF-16 unit takes at most 3 bytes of UTF-8, so most payloads need no encoding to be counted.
    if (text.length * 3 <= limits/* LIMITS */.b.clientPayloadBytes)
        return text.length * 3;
    return new TextEncoder().encode(text).length;
}

// EXTERNAL MODULE: ./build/relay/route.js
var route = __webpack_require__(2771);
;// CONCATENATED MODULE: ./build/relay/scrub.js


/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it.
 *
 * @throws RelayError 400 when the body contains a token
 */
function withoutTokens(received, tokens) {
    const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes);
    if (tokens.some((token) => token.isIn(body)))
        throw (0,refusals/* tokenInBody */.n3)();
    const scrub = (text) => tokens.reduce((rest, token) => token.scrub(rest), text);
    const headers = Object.entries(received.headers);
    return {
        ...received,
        path: scrub(received.path),
        headers: (0,json/* record */.g1)(headers.map(([name, value]) => [name, scrub(value)])),
    };
}
/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
function withoutEcho(reply, tokens) {
    const shown = [reply.body, ...Object.values(reply.headers)];
    if (!tokens.some((token) => shown.some((text) => token.isIn(text))))
        return reply;
    throw (0,refusals/* badResponseOption */.uJ)('an answer that contains the token', 'leave the token out of it');
}

;// CONCATENATED MODULE: ./build/relay/relay.js















/** Answers one request: forwards it as one event, or says why not. Never throws. */
async function relay(request, ports) {
    const journal = new Journal(ports.newDelivery(), ports.now());
    const reply = await answerOrFault(request, ports, journal);
    const method = isRelayed(request.method) ? request.method : 'other';
    ports.log(journal.entry(method, reply.status, ports.now()));
    return completed(reply, request.method, journal.delivery);
}
async function answerOrFault(request, ports, journal) {
    try {
        return await answer(request, ports, journal);
    }
    catch (error) {
        if (!(error instanceof errors/* RelayError */.c))
            ports.report(error);
        const fault = error instanceof errors/* RelayError */.c ? error : (0,refusals/* internalError */.WB)(error);
        journal.attempted(fault.attempts);
        return errorReply(fault, journal.delivery);
    }
}
async function answer(request, ports, journal) {
    const { method, target, headers } = request;
    if (!isRelayed(method))
        throw (0,refusals/* methodNotAllowed */.TS)(METHODS);
    return (preflight(method, headers) ??
        visited(ports.pages ?? RELAY_PAGES, method, (0,route/* pathOf */.XM)(target)) ??
        (await relayWebhook(request, ports, journal)));
}
async function relayWebhook(request, ports, journal) {
    const webhook = (0,route/* routeWebhook */.Fz)(request.target, ports.repository);
    const accepted = acceptedReply(webhook.reserved);
    const presented = (0,credentials/* presentedToken */.A_)(request.headers, webhook.reserved);
    if (!presented && ports.credentials.required)
        throw (0,refusals/* missingToken */.kh)();
    const body = await readBody(request.body);
    const challenge = handshake(request.method, webhook.path, body.bytes);
    if (challenge)
        return withoutEcho(challenge, present(presented));
    const token = presented && (await ports.credentials.platformToken(presented, webhook));
    const reply = withoutEcho(accepted, present(presented, token));
    const dispatch = await prepare(request, webhook, body, journal, present(presented, token));
    journal.attempted(await ports.dispatch({ ...dispatch, token }));
    return reply;
}
async function prepare({ method, headers }, { repository, path }, body, journal, tokens) {
    const { delivery, receivedAt } = journal;
    const travelling = { path, method, headers: (0,protocol_headers/* forwardedHeaders */.T2)(headers), body };
    const received = withoutTokens({ ...travelling, delivery, receivedAt }, tokens);
    journal.addressed(repository, received.path, body.bytes.length);
    return { repository, delivery, ...(await writePayload(received)) };
}
async function readBody(body) {
    try {
        const bytes = await (0,protocol_bytes/* collect */.Fo)(body, limits/* LIMITS */.b.requestBodyBytes);
        return { bytes, text: (0,protocol_bytes/* utf8Text */.Hp)(bytes) };
    }
    catch (error) {
        throw error instanceof RangeError ? (0,refusals/* bodyTooLarge */.Qb)() : (0,refusals/* brokenBody */.Os)(error);
    }
}
function present(...tokens) {
    return [...new Set(tokens)].filter((token) => token !== undefined);
}
function isRelayed(method) {
    return METHODS.some((relayed) => relayed === method);
}

// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(7067);
// EXTERNAL MODULE: ./build/protocol/errors.js
var protocol_errors = __webpack_require__(2546);
;// CONCATENATED MODULE: ./build/entries/node/http-server.js


/** Milliseconds and bytes that a client may take. */
const LIMITS = {
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 1000,
    /** Of the request line and the headers together. */
    maxHeaderSize: 16 * 1024,
};
const STOP_TIMEOUT = 9000;
/** A server with bounds on everything a client can draw out. */
async function serveHttp(options) {
    const answering = new Answering();
    // A missing Host is answered by `answer`, with the headers of every other answer.
    const server = (0,external_node_http_.createServer)({ ...LIMITS, requireHostHeader: false });
    const answer = (request, response) => {
        answering.begin(request, response);
        options.answer(request, response);
    };
    server.on('request', answer);
    server.on('checkExpectation', answer);
    server.on('connect', (_request, socket) => socket.end(options.refuse(405)));
    server.on('clientError', (error, socket) => {
        if (!socket.writable || answering.isAnswered(socket))
            socket.destroy();
        else
            socket.end(options.refuse(statusOf(error)));
    });
    const url = await listen(server, options);
    return { url, close: () => stop(server, answering) };
}
/** Which requests are in the works. */
class Answering {
    #responses = new Map();
    #stopping = false;
    #idle;
    begin(request, response) {
        const { socket } = request;
        this.#responses.set(socket, response);
        if (this.#stopping)
            response.shouldKeepAlive = false;
        response.on('close', () => {
            if (this.#responses.get(socket) === response)
                this.#responses.delete(socket);
            if (this.#responses.size === 0)
                this.#idle?.();
        });
    }
    /** True when the request of this connection has its answer, or part of it. */
    isAnswered(socket) {
        return this.#responses.get(socket)?.headersSent ?? false;
    }
    /** Resolves when all that was begun is answered. */
    async finish() {
        this.#stopping = true;
        for (const response of this.#responses.values())
            response.shouldKeepAlive = false;
        if (this.#responses.size === 0)
            return;
        await new Promise((resolve) => {
            this.#idle = resolve;
        });
    }
}
function statusOf({ code }) {
    if (code === 'HPE_HEADER_OVERFLOW')
        return 431;
    return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
}
/** @throws UserError when the address cannot be had */
async function listen(server, { host, port }) {
    await new Promise((resolve, reject) => {
        server.once('error', (cause) => reject(cannotListen(cause, host, port)));
        server.listen(port, host, resolve);
    });
    // A server that listens on a port has this kind of address.
    const { port: taken } = server.address();
    return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}
const LISTEN_FAULTS = new Map([
    ['EADDRINUSE', 'something else listens there: --port 0 takes a free port'],
    ['EACCES', 'the system does not allow it: take a port above 1023'],
    ['EADDRNOTAVAIL', 'this machine has no such address'],
    ['ENOTFOUND', 'there is no host of this name'],
]);
function cannotListen(cause, host, port) {
    const hint = LISTEN_FAULTS.get(cause.code);
    if (hint === undefined)
        return cause;
    return new protocol_errors/* UserError */.y({ message: `cannot listen on ${host}:${port}`, hint }, { cause });
}
async function stop(server, answering) {
    const closed = new Promise((resolve) => server.close(resolve));
    const cut = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT);
    await answering.finish();
    // What is left has sent no request: a client may hold such a connection open as long as it likes.
    server.closeAllConnections();
    await closed;
    clearTimeout(cut);
}

// EXTERNAL MODULE: ./node_modules/undici/index.js
var undici = __webpack_require__(4371);
// EXTERNAL MODULE: ./build/relay/platform.js
var platform = __webpack_require__(855);
;// CONCATENATED MODULE: ./build/entries/node/platform-pool.js


/** Sockets towards the platform; what comes beyond waits its turn within its own time limit. */
const CONNECTIONS = 256;
const CONNECT_TIMEOUT = 3000;
/** Keep-alive connections to the platform's API. */
function platformPool(apiUrl) {
    const pool = new undici/* Pool */.bC(apiUrl.origin, {
        connections: CONNECTIONS,
        connect: { timeout: CONNECT_TIMEOUT },
        // `Exchange` has the one time limit.
        headersTimeout: 0,
        bodyTimeout: 0,
    });
    return {
        post: (request) => new Promise((resolve, reject) => send(pool, request, resolve, reject)),
        close: () => pool.destroy(),
    };
}
function send(pool, { url, headers, body, timeout }, resolve, reject) {
    const exchange = new Exchange(timeout, resolve, reject);
    pool.dispatch({ path: url.pathname, method: 'POST', headers: { ...headers }, body }, exchange);
}
/**
 * One request and its answer. Undici's events tell what its promises do not: whether a byte of the
 * request can have left before it failed.
 */
class Exchange {
    #resolve;
    #reject;
    #timer;
    #chunks = [];
    #controller;
    #head;
    #size = 0;
    #late = false;
    constructor(timeout, resolve, reject) {
        this.#resolve = resolve;
        this.#reject = reject;
        this.#timer = setTimeout(() => this.#expire(), timeout);
    }
    onRequestStart(controller) {
        if (this.#late)
            controller.abort(new Error('no time is left'));
        else
            this.#controller = controller;
    }
    onResponseStart(_controller, status, headers) {
        this.#head = { status, header: (name) => [headers[name]].flat()[0] };
        // What the platform says of an accepted event is of no use to anyone.
        if (status >= 200 && status < 300)
            this.#answer();
    }
    onResponseData(controller, chunk) {
        this.#size += chunk.length;
        if (this.#size > platform/* ANSWER_BYTES */.X)
            controller.abort(new Error('the answer is too long'));
        else
            this.#chunks.push(chunk);
    }
    onResponseEnd() {
        clearTimeout(this.#timer);
        this.#answer();
    }
    onResponseError(_controller, error) {
        clearTimeout(this.#timer);
        if (this.#head)
            this.#answer();
        else
            this.#fail(error);
    }
    #expire() {
        this.#late = true;
        const error = new Error('no answer in time');
        // Before it started there is no one to tell, and `onRequestStart` will find it late.
        if (this.#controller)
            this.#controller.abort(error);
        else
            this.#fail(error);
    }
    #answer() {
        if (!this.#head)
            return;
        this.#resolve({ ...this.#head, text: Buffer.concat(this.#chunks).toString() });
    }
    #fail(cause) {
        const sent = this.#controller !== undefined;
        this.#reject(new platform/* PlatformFault */.A(cause.message, { sent, cause }));
    }
}

// EXTERNAL MODULE: ./build/entries/relay-config.js + 2 modules
var relay_config = __webpack_require__(3651);
;// CONCATENATED MODULE: ./build/entries/relay-node.js






/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
async function startRelay(options) {
    const { host, port, env, repository, write = writeLine } = options;
    const config = await (0,relay_config/* readRelayConfig */.Yd)(env, repository);
    const platform = platformPool(config.apiUrl);
    const server = await serveRelay({ host, port, ports: (0,relay_config/* relayPorts */.S7)(config, platform.post, write) });
    const close = async () => {
        await server.close();
        await platform.close();
    };
    return { url: server.url, close };
}
function writeLine(line) {
    process.stdout.write(`${line}\n`);
}
/** The relay behind node:http. */
function serveRelay(options) {
    const { host, port, ports, route } = options;
    return serveHttp({
        host,
        port,
        answer: (request, response) => {
            if (!route?.(request, response))
                void relay_node_answer(request, response, ports);
        },
        refuse: (status) => onTheWire(refusal((0,refusals/* malformedRequest */.XW)(status), 'GET', ports)),
    });
}
async function relay_node_answer(request, response, ports) {
    const reply = lacksHost(request)
        ? refusal((0,refusals/* malformedRequest */.XW)(400), request.method ?? 'GET', ports)
        : await relay(relayRequest(request), ports);
    if (response.destroyed)
        return;
    response.writeHead(reply.status, { ...reply.headers, ...relay_node_length(reply, request.method) });
    response.end(reply.body);
}
function relayRequest(request) {
    return {
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.rawHeaders,
        // Stopping to read must not destroy the connection: the answer is still to be sent on it.
        body: request.iterator({ destroyOnReturn: false }),
    };
}
/** RFC 9112, section 3.2: an HTTP/1.1 request without one is answered 400. */
function lacksHost(request) {
    return request.httpVersion === '1.1' && request.headers.host === undefined;
}
function refusal(error, method, ports) {
    const delivery = ports.newDelivery();
    return completed(errorReply(error, delivery), method, delivery);
}
function relay_node_length({ status, body }, method) {
    const none = method === 'HEAD' || status === 204 || status === 304;
    return none ? {} : { 'content-length': Buffer.byteLength(body) };
}
/** An answer for a connection whose request could not be read, so that there is no response to write. */
function onTheWire(reply) {
    const headers = { ...reply.headers, ...relay_node_length(reply, 'GET'), connection: 'close' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`;
}


/***/ }),

/***/ 697:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   m: () => (/* binding */ systemClock)
/* harmony export */ });
/** The clock of the machine. */
const systemClock = {
    now: () => new Date(),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    random: () => Math.random(),
};


/***/ }),

/***/ 5555:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   ES: () => (/* binding */ metadataHeaders),
/* harmony export */   T2: () => (/* binding */ forwardedHeaders),
/* harmony export */   VX: () => (/* binding */ TOKEN_HEADERS),
/* harmony export */   Z: () => (/* binding */ headerValue)
/* harmony export */ });
/* harmony import */ var _bytes_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5782);
/* harmony import */ var _dispatch_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(1647);
/* harmony import */ var _json_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2947);
/* harmony import */ var _limits_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3437);




/** The request headers that may carry the platform token, the first one wins. */
const TOKEN_HEADERS = ['x-platform-authorization', 'x-github-authorization'];
/** RFC 9110, section 7.6.1: they belong to one connection. */
const HOP_BY_HOP = [
    'connection',
    'keep-alive',
    'proxy-authenticate',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
];
const NOT_FORWARDED = new Set([
    ...TOKEN_HEADERS,
    ...HOP_BY_HOP,
    'cookie',
    'proxy-authorization',
    'x-real-ip',
    'forwarded',
    'via',
    'cdn-loop',
]);
const NOT_FORWARDED_PREFIXES = ['x-forwarded-', 'cf-', _dispatch_js__WEBPACK_IMPORTED_MODULE_1__/* .RESERVED_HEADER_PREFIX */ .Ix];
/**
 * The headers that travel: lower-case names, values as text, repeats joined with `, `. At most
 * `LIMITS.forwardedHeaders` names, those that came first.
 */
function forwardedHeaders(headers) {
    const forwarded = new Map();
    const named = namedByConnection(headers);
    for (const [name, value] of pairs(headers)) {
        if (!travels(name) || named.has(name))
            continue;
        const earlier = forwarded.get(name);
        if (earlier !== undefined)
            forwarded.set(name, `${earlier}, ${valueText(value)}`);
        else if (forwarded.size < _limits_js__WEBPACK_IMPORTED_MODULE_3__/* .LIMITS */ .b.forwardedHeaders)
            forwarded.set(name, valueText(value));
    }
    return (0,_json_js__WEBPACK_IMPORTED_MODULE_2__/* .record */ .g1)(forwarded);
}
/** The first value of a header; `undefined` when it is absent. */
function headerValue(headers, wanted) {
    for (const [name, value] of pairs(headers))
        if (name === wanted)
            return valueText(value);
    return undefined;
}
/** The relay's metadata, as headers that travel with the request. */
function metadataHeaders(delivery, receivedAt, bodyEncoding) {
    return {
        [_dispatch_js__WEBPACK_IMPORTED_MODULE_1__/* .HEADER */ .El.delivery]: delivery,
        [_dispatch_js__WEBPACK_IMPORTED_MODULE_1__/* .HEADER */ .El.receivedAt]: receivedAt,
        ...(bodyEncoding && { [_dispatch_js__WEBPACK_IMPORTED_MODULE_1__/* .HEADER */ .El.bodyEncoding]: bodyEncoding }),
    };
}
function travels(name) {
    return (!NOT_FORWARDED.has(name) && !NOT_FORWARDED_PREFIXES.some((prefix) => name.startsWith(prefix)));
}
/** A sender may declare more headers as hop-by-hop, by naming them in `Connection`. */
function namedByConnection(headers) {
    const value = headerValue(headers, 'connection') ?? '';
    return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}
function* pairs(headers) {
    for (let at = 0; at + 1 < headers.length; at += 2) {
        yield [(headers[at] ?? '').toLowerCase(), headers[at + 1] ?? ''];
    }
}
const BEYOND_ASCII = /[\x80-\xff]/;
/** UTF-8, else latin1: the sender does not say which. */
function valueText(value) {
    if (!BEYOND_ASCII.test(value))
        return value;
    const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0));
    return (0,_bytes_js__WEBPACK_IMPORTED_MODULE_0__/* .utf8Text */ .Hp)(bytes) ?? value;
}


/***/ }),

/***/ 5605:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   a: () => (/* binding */ PARAMETER),
/* harmony export */   n: () => (/* binding */ cutReservedParameters)
/* harmony export */ });
/** The query parameters that are the relay's own, and are never forwarded. */
const PARAMETER = {
    token: '__token',
    responseCode: '__response_code',
    responseContentType: '__response_content_type',
    responseBody: '__response_body',
};
const RESERVED = new Set(Object.values(PARAMETER));
/**
 * Takes the reserved parameters out of a raw query. Names are compared after percent-decoding, every
 * repeat is cut, and the bytes of all others stay as they came.
 *
 * @param query raw text after the first `?`, or `undefined` when there is none
 * @returns what is left, `undefined` when nothing is
 */
function cutReservedParameters(query) {
    if (query === undefined)
        return { query, reserved: new Map() };
    const reserved = new Map();
    const kept = query.split('&').filter((text) => {
        const [name, value] = parameter(text);
        if (!RESERVED.has(name))
            return true;
        if (!reserved.has(name))
            reserved.set(name, value);
        return false;
    });
    return { query: kept.length > 0 ? kept.join('&') : undefined, reserved };
}
/** Name and value of one `name=value`, decoded as URLSearchParams does. */
function parameter(text) {
    // The `&` keeps URLSearchParams from dropping a `?` that begins the name.
    const [first] = new URLSearchParams(`&${text}`);
    return first ?? ['', ''];
}


/***/ }),

/***/ 2977:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   z: () => (/* binding */ Secret)
/* harmony export */ });
/* unused harmony export base64Forms */
const HIDDEN = '***';
/** Shorter tokens are not looked for in other text: they could be part of any word. */
const SHORTEST_SCRUBBED = 20;
/** A value that must not be printed. It shows as `***` in text, JSON and the console. */
class Secret {
    #value;
    #forms;
    #percentEncoded;
    constructor(value) {
        this.#value = value;
    }
    /** The value itself: for the one call that needs it. */
    reveal() {
        return this.#value;
    }
    /**
     * True when the text holds the value raw, percent-encoded (any of its characters) or as base64.
     * Values of fewer than 20 characters are not looked for.
     */
    isIn(text) {
        return this.#plainForms().some((form) => text.includes(form)) || this.#isPercentEncodedIn(text);
    }
    /** The text with every form of the value replaced by `***`. */
    scrub(text) {
        const scrubbed = this.#plainForms().reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
        if (!this.#isPercentEncodedIn(scrubbed))
            return scrubbed;
        return scrubbed.replace(this.#percentPattern(), HIDDEN);
    }
    toString() {
        return HIDDEN;
    }
    toJSON() {
        return HIDDEN;
    }
    [Symbol.for('nodejs.util.inspect.custom')]() {
        return HIDDEN;
    }
    /** Found by plain search: compiling patterns for every request's own token would be its main cost. */
    #plainForms() {
        if (this.#value.length < SHORTEST_SCRUBBED)
            return [];
        this.#forms ??= [this.#value, ...base64Forms(this.#value)];
        return this.#forms;
    }
    #isPercentEncodedIn(text) {
        if (this.#value.length < SHORTEST_SCRUBBED || !text.includes('%'))
            return false;
        return text.search(this.#percentPattern()) >= 0;
    }
    #percentPattern() {
        this.#percentEncoded ??= percentPattern(this.#value);
        return this.#percentEncoded;
    }
}
/** Each character of the value as itself or as its percent escapes. */
function percentPattern(value) {
    const characters = [...value].map((char) => {
        const escapes = [...new TextEncoder().encode(char)].map(percentEscape).join('');
        return `(?:${escapeRegExp(char)}|${escapes})`;
    });
    return new RegExp(characters.join(''), 'gu');
}
function percentEscape(byte) {
    const digits = byte.toString(16).padStart(2, '0');
    return `%${digits.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)}`;
}
/** Base64 of the value in both alphabets, at each of its three alignments within a longer text. */
function base64Forms(value) {
    const binary = String.fromCharCode(...new TextEncoder().encode(value));
    const standard = [0, 1, 2].map((shift) => {
        const encoded = btoa('\0'.repeat(shift) + binary).replace(/.?=+$/, '');
        return encoded.slice(Math.ceil((shift * 8) / 6));
    });
    const urlSafe = standard.map((form) => form.replace(/\+/g, '-').replace(/\//g, '_'));
    return [...new Set([...standard, ...urlSafe])];
}
function escapeRegExp(text) {
    return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}


/***/ }),

/***/ 6955:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   b: () => (/* binding */ heldToken)
/* harmony export */ });
/* harmony import */ var _refusals_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5625);

/**
 * The relay holds the platform token, and a request brings one of the relay's own keys in its place.
 *
 * @param keys the keys that are accepted; more than one while they are being changed
 * @param token `undefined` where no platform is asked
 */
async function heldToken(keys, token) {
    const isKey = await comparison(keys);
    return {
        required: true,
        platformToken: async (presented) => {
            if (!(await isKey(presented)))
                throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_0__/* .invalidToken */ .R2)();
            return token;
        },
    };
}
/**
 * `subtle.verify` compares in constant time, which a comparison of strings does not: see
 * https://developers.cloudflare.com/workers/examples/protect-against-timing-attacks/
 */
async function comparison(keys) {
    const { subtle } = crypto;
    // A random key of one process: only equality within it is asked for.
    const random = crypto.getRandomValues(new Uint8Array(32));
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const hmac = await subtle.importKey('raw', random, algorithm, false, ['sign', 'verify']);
    const known = await Promise.all(keys.map((key) => subtle.sign('HMAC', hmac, bytesOf(key))));
    return async (other) => {
        const verdicts = known.map((mac) => subtle.verify('HMAC', hmac, mac, bytesOf(other)));
        return (await Promise.all(verdicts)).includes(true);
    };
}
function bytesOf(secret) {
    return new TextEncoder().encode(secret.reveal());
}


/***/ }),

/***/ 6500:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A_: () => (/* binding */ presentedToken),
/* harmony export */   K8: () => (/* binding */ ownToken),
/* harmony export */   fC: () => (/* binding */ noToken)
/* harmony export */ });
/* harmony import */ var _protocol_headers_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5555);
/* harmony import */ var _protocol_reply_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5605);
/* harmony import */ var _protocol_secret_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(2977);
/* harmony import */ var _refusals_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(5625);




/** The request brings the platform token itself. */
const ownToken = {
    required: true,
    platformToken: async (presented) => presented,
};
/** For a loopback address, behind which no platform stands. */
const noToken = {
    required: false,
    platformToken: async () => undefined,
};
/** The header beats the query parameter. An empty one counts as absent. */
function presentedToken(headers, reserved) {
    const values = _protocol_headers_js__WEBPACK_IMPORTED_MODULE_0__/* .TOKEN_HEADERS */ .VX.map((name) => withoutScheme((0,_protocol_headers_js__WEBPACK_IMPORTED_MODULE_0__/* .headerValue */ .Z)(headers, name)));
    const token = values.find(Boolean) || reserved.get(_protocol_reply_js__WEBPACK_IMPORTED_MODULE_1__/* .PARAMETER */ .a.token);
    if (!token)
        return undefined;
    if (!HEADER_SAFE.test(token))
        throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_3__/* .invalidToken */ .R2)();
    return new _protocol_secret_js__WEBPACK_IMPORTED_MODULE_2__/* .Secret */ .z(token);
}
/** What can stand in an `Authorization` header, so that no token can break out of one. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;
function withoutScheme(value) {
    return value?.replace(/^(?:token|bearer)[ \t]+/i, '');
}


/***/ }),

/***/ 6027:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   c: () => (/* binding */ RelayError)
/* harmony export */ });
/** Why a request was not dispatched, or not known to be: shown to the sender as it stands. */
class RelayError extends Error {
    name = 'RelayError';
    status;
    code;
    hint;
    retryAfter;
    attempts;
    constructor(status, code, message, options) {
        super(message, { cause: options.cause });
        this.status = status;
        this.code = code;
        this.hint = options.hint;
        this.retryAfter = options.retryAfter;
        this.attempts = options.attempts;
    }
    /** The same fault, with the account of the tries it took. */
    after(attempts) {
        const { status, code, message, hint, retryAfter, cause } = this;
        return new RelayError(status, code, message, {
            hint,
            attempts,
            cause,
            ...(retryAfter !== undefined && { retryAfter }),
        });
    }
}


/***/ }),

/***/ 855:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   A: () => (/* binding */ PlatformFault),
/* harmony export */   X: () => (/* binding */ ANSWER_BYTES)
/* harmony export */ });
/** Bytes of an answer that are read: enough for any error message. */
const ANSWER_BYTES = 64 * 1024;
/** No answer came from the platform. */
class PlatformFault extends Error {
    name = 'PlatformFault';
    /** True when the request may have arrived: nobody can tell whether it took effect. */
    sent;
    constructor(message, options) {
        super(message, options);
        this.sent = options.sent;
    }
}


/***/ }),

/***/ 5625:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   I7: () => (/* binding */ badRepository),
/* harmony export */   Iv: () => (/* binding */ payloadTooLarge),
/* harmony export */   Os: () => (/* binding */ brokenBody),
/* harmony export */   Qb: () => (/* binding */ bodyTooLarge),
/* harmony export */   R2: () => (/* binding */ invalidToken),
/* harmony export */   TS: () => (/* binding */ methodNotAllowed),
/* harmony export */   WB: () => (/* binding */ internalError),
/* harmony export */   XW: () => (/* binding */ malformedRequest),
/* harmony export */   hj: () => (/* binding */ badOwner),
/* harmony export */   kh: () => (/* binding */ missingToken),
/* harmony export */   mX: () => (/* binding */ notFound),
/* harmony export */   n3: () => (/* binding */ tokenInBody),
/* harmony export */   uJ: () => (/* binding */ badResponseOption)
/* harmony export */ });
/* harmony import */ var _protocol_limits_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3437);
/* harmony import */ var _errors_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6027);


/** Every reason for which the relay itself refuses a request, before the platform is asked. */
function methodNotAllowed(allowed) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(405, 'method_not_allowed', 'this method is not relayed', {
        hint: `use one of ${allowed.join(', ')}`,
    });
}
function notFound(form) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(404, 'not_found', 'there is nothing at this address', {
        hint: `a webhook URL has the form ${form}`,
    });
}
function badOwner() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(400, 'bad_owner', 'the first part of the path is no repository owner', {
        hint: 'an owner has at most 39 letters, digits, "-" and "_", none of them percent-encoded',
    });
}
function badRepository() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(400, 'bad_repository', 'the second part of the path is no repository', {
        hint: 'a name has at most 100 letters, digits, ".", "-" and "_", none of them percent-encoded',
    });
}
function badResponseOption(parameter, hint) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(400, 'bad_response_option', `${parameter} cannot be answered`, { hint });
}
function missingToken() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(401, 'missing_token', 'the request brings no token', {
        hint: 'send it in the header X-Platform-Authorization, or as the query parameter __token',
    });
}
/** One answer for every way in which a token can be wrong, so that none tells more than another. */
function invalidToken() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(401, 'invalid_token', 'the token was not accepted', {
        hint: 'check that it is complete, not expired, and meant for this repository and path',
    });
}
function tokenInBody() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(400, 'token_in_body', 'the body contains the token', {
        hint: 'everyone who can read the workflow run could read it: use a sealed token instead',
    });
}
function brokenBody(cause) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(400, 'broken_body', 'the body ended before it was complete', {
        hint: 'send the request again',
        cause,
    });
}
function bodyTooLarge() {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(413, 'payload_too_large', 'the body is larger than the relay accepts', {
        hint: `send at most ${_protocol_limits_js__WEBPACK_IMPORTED_MODULE_0__/* .LIMITS */ .b.requestBodyBytes} bytes`,
    });
}
function payloadTooLarge(bytes) {
    const message = `the event would take ${bytes} bytes, GitHub accepts ${_protocol_limits_js__WEBPACK_IMPORTED_MODULE_0__/* .LIMITS */ .b.clientPayloadBytes}`;
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(413, 'payload_too_large', message, {
        hint: 'send less, or only an address from which the workflow fetches the rest',
    });
}
function internalError(cause) {
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(500, 'internal_error', 'the relay failed', {
        hint: 'send the request again; if it keeps failing, report it with the delivery id',
        cause,
    });
}
/** What the server could not read as a request. */
function malformedRequest(status) {
    const [code, message] = MALFORMED.get(status) ?? ['bad_request', 'this is no valid HTTP request'];
    return new _errors_js__WEBPACK_IMPORTED_MODULE_1__/* .RelayError */ .c(status, code, message, {
        hint: 'see RFC 9112 for what a request looks like',
    });
}
const MALFORMED = new Map([
    [405, ['method_not_allowed', 'this method is not relayed']],
    [408, ['request_timeout', 'the request took too long to arrive']],
    [431, ['headers_too_large', 'the request line and the headers together are larger than 16 KB']],
]);


/***/ }),

/***/ 2771:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Fz: () => (/* binding */ routeWebhook),
/* harmony export */   SU: () => (/* binding */ parseRepository),
/* harmony export */   XM: () => (/* binding */ pathOf)
/* harmony export */ });
/* harmony import */ var _protocol_reply_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(5605);
/* harmony import */ var _refusals_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(5625);


const OWNER = /^[A-Za-z0-9][A-Za-z0-9_-]{0,38}$/;
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;
const HOSTED_FORM = '/<owner>/<repo>/<workflow>/<trigger>';
const SELF_HOSTED_FORM = '/webhook/<workflow>/<trigger>';
const SELF_HOSTED_PREFIX = '/webhook/';
/** Path of a raw request target, without its query and, in absolute form, without its authority. */
function pathOf(target) {
    return splitTarget(target)[0];
}
/**
 * Reads a webhook URL from a raw request target; nothing in it is decoded or normalised.
 *
 * @param repository set for the self-hosted form, where the URL names none
 * @throws RelayError 404, or 400 for a name that no repository can have
 */
function routeWebhook(target, repository) {
    const [path, rawQuery] = splitTarget(target);
    const { query, reserved } = (0,_protocol_reply_js__WEBPACK_IMPORTED_MODULE_0__/* .cutReservedParameters */ .n)(rawQuery);
    const [owned, rest] = repository ? selfHosted(path, repository) : hosted(path);
    return { repository: owned, path: query === undefined ? rest : `${rest}?${query}`, reserved };
}
/** @throws RelayError when the text is not `owner/name` */
function parseRepository(text) {
    const [owner = '', name = '', ...more] = text.split('/');
    if (!OWNER.test(owner))
        throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_1__/* .badOwner */ .hj)();
    if (!NAME.test(name) || more.length > 0)
        throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_1__/* .badRepository */ .I7)();
    return { owner, name };
}
function hosted(path) {
    const [, owner, name, rest] = /^\/([^/]*)\/([^/]*)\/(.*)$/s.exec(path) ?? [];
    if (!owner || !name || !rest)
        throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_1__/* .notFound */ .mX)(HOSTED_FORM);
    return [parseRepository(`${owner}/${name}`), rest];
}
function selfHosted(path, repository) {
    const rest = path.startsWith(SELF_HOSTED_PREFIX) ? path.slice(SELF_HOSTED_PREFIX.length) : '';
    if (rest === '')
        throw (0,_refusals_js__WEBPACK_IMPORTED_MODULE_1__/* .notFound */ .mX)(SELF_HOSTED_FORM);
    return [repository, rest];
}
function splitTarget(target) {
    // A proxy may send the absolute form; its authority says nothing that we would trust.
    const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
    const at = origin.indexOf('?');
    return at < 0 ? [origin, undefined] : [origin.slice(0, at), origin.slice(at + 1)];
}


/***/ })

};
