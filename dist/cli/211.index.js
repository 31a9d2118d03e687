export const id = 211;
export const ids = [211];
export const modules = {

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
async function listen(server, { host, port }) {
    await new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
    });
    // A server that listens on a port has this kind of address.
    const { port: taken } = server.address();
    return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
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


/***/ })

};
