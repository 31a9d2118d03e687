export const id = 855;
export const ids = [855];
export const modules = {

/***/ 28855:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  v: () => (/* binding */ serveRelay),
  startRelay: () => (/* binding */ startRelay)
});

// EXTERNAL MODULE: ./build/wire/bytes.js
var bytes = __webpack_require__(3251);
// EXTERNAL MODULE: ./build/relay/answers.js
var answers = __webpack_require__(34201);
// EXTERNAL MODULE: ./build/relay/config.js
var relay_config = __webpack_require__(97246);
// EXTERNAL MODULE: ./build/relay/errors.js
var errors = __webpack_require__(56027);
// EXTERNAL MODULE: external "node:http"
var external_node_http_ = __webpack_require__(37067);
// EXTERNAL MODULE: ./build/wire/errors.js
var wire_errors = __webpack_require__(41745);
;// CONCATENATED MODULE: ./build/relay/http-server.js


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
/** Milliseconds between a refusal and the end of its connection. */
const LINGER = 1000;
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
    const refuse = (socket, status) => {
        if (answering.mayInterrupt(socket))
            endWith(socket, options.refuse(status));
    };
    server.on('connect', (_request, socket) => {
        // The server has let go of this connection, and of its errors.
        socket.on('error', () => { });
        refuse(socket, 405);
    });
    server.on('clientError', (error, socket) => {
        if (socket.writable)
            refuse(socket, statusOf(error));
        else
            socket.destroy();
    });
    const url = await listen(server, options);
    return { url, close: () => stop(server, answering) };
}
/** Says a last thing, and gives the client a moment to hear it: one that keeps sending would be reset. */
function endWith(socket, text) {
    socket.end(text);
    const cut = setTimeout(() => socket.destroy(), LINGER);
    socket.once('close', () => clearTimeout(cut));
}
/**
 * Which requests are in the works. They are counted, and a connection is known until it closes: a
 * map that grows and shrinks with every request would cost as much as the rest of serving it.
 */
class Answering {
    #connections = new Map();
    #open = 0;
    #stopping = false;
    #idle;
    begin({ socket }, response) {
        const connection = this.#connections.get(socket) ?? this.#connect(socket);
        connection.last = response;
        connection.open++;
        this.#open++;
        response.once('close', connection.ended);
        if (this.#stopping)
            response.shouldKeepAlive = false;
    }
    /**
     * True when nothing on its way to the client would be mistaken for a refusal, or the other way
     * round. Otherwise the connection ends with what is on its way.
     */
    mayInterrupt(socket) {
        const { last, open } = this.#connections.get(socket) ?? { last: undefined, open: 0 };
        if (!last || open === 0)
            return true;
        if (last.req.complete && !last.headersSent)
            last.shouldKeepAlive = false;
        else if (open === 1 && !last.headersSent)
            return true;
        else
            socket.destroy();
        return false;
    }
    /** Resolves when all that was begun is answered, or nobody is there any more to be answered. */
    async finish() {
        this.#stopping = true;
        for (const { last } of this.#connections.values())
            if (last)
                last.shouldKeepAlive = false;
        if (this.#open === 0)
            return;
        await new Promise((resolve) => {
            this.#idle = resolve;
        });
    }
    #connect(socket) {
        const connection = {
            last: undefined,
            open: 0,
            ended: () => this.#end(connection, 1),
        };
        this.#connections.set(socket, connection);
        socket.once('close', () => {
            this.#connections.delete(socket);
            // Of requests that came one behind the other, only the first is told that its client is gone.
            this.#end(connection, connection.open);
        });
        return connection;
    }
    #end(connection, count) {
        const ended = Math.min(count, connection.open);
        connection.open -= ended;
        this.#open -= ended;
        if (this.#open === 0)
            this.#idle?.();
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
    return new wire_errors/* UserError */.yo({ message: `cannot listen on ${host}:${port}`, hint }, { cause });
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
var undici = __webpack_require__(24371);
// EXTERNAL MODULE: ./build/relay/github.js
var github = __webpack_require__(87931);
;// CONCATENATED MODULE: ./build/relay/platform-pool.js


/** Sockets towards the platform; what comes beyond waits its turn within its own time limit. */
const CONNECTIONS = 256;
const CONNECT_TIMEOUT = 3000;
/** Keep-alive connections to the platform's API. */
function platformPool(apiUrl) {
    const pool = new undici.Pool(apiUrl.origin, {
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
function send(pool, { path, headers, body, timeout }, resolve, reject) {
    const exchange = new Exchange(timeout, resolve, reject);
    pool.dispatch({ path, method: 'POST', headers: { ...headers }, body }, exchange);
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
    #status;
    #headers = {};
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
        // A hint ahead of the answer, such as 103, says nothing of what became of the request.
        if (status < 200)
            return;
        this.#status = status;
        this.#headers = headers;
        // What the platform says of an accepted event is of no use to anyone.
        if (status >= 200 && status < 300)
            this.#answer(status);
    }
    onResponseData(controller, chunk) {
        this.#size += chunk.length;
        if (this.#size > github/* ANSWER_BYTES */.Xy)
            controller.abort(new Error('the answer is too long'));
        else
            this.#chunks.push(chunk);
    }
    onResponseEnd() {
        clearTimeout(this.#timer);
        if (this.#status !== undefined)
            this.#answer(this.#status);
    }
    onResponseError(_controller, error) {
        clearTimeout(this.#timer);
        if (this.#status === undefined)
            this.#fail(error);
        else
            this.#answer(this.#status);
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
    #answer(status) {
        const header = (name) => [this.#headers[name]].flat()[0];
        const text = this.#size > 0 ? Buffer.concat(this.#chunks).toString() : '';
        this.#resolve({ status, header, text });
    }
    #fail(cause) {
        const sent = this.#controller !== undefined;
        this.#reject(new github/* PlatformFault */.A(cause.message, { sent, cause }));
    }
}

// EXTERNAL MODULE: ./build/relay/relay.js + 2 modules
var relay = __webpack_require__(22465);
;// CONCATENATED MODULE: ./build/relay/node.js







/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
async function startRelay(options) {
    const { host, port, env, repository, write = lineWriter(process.stdout) } = options;
    const config = await (0,relay_config/* readRelayConfig */.Yd)(env, repository);
    const platform = platformPool(config.apiUrl);
    const server = await serveRelay({ host, port, ports: (0,relay_config/* relayPorts */.S7)(config, platform.post, write) });
    const close = async () => {
        await server.close();
        await platform.close();
    };
    return { url: server.url, close };
}
/** The relay behind node:http. */
function serveRelay(options) {
    const { host, port, ports, route } = options;
    return serveHttp({
        host,
        port,
        answer: (request, response) => {
            if (!route?.(request, response))
                void answer(request, response, ports);
        },
        refuse: (status) => onTheWire(refusal((0,errors/* malformedRequest */.XW)(status), 'GET', ports)),
    });
}
async function answer(request, response, ports) {
    const reply = lacksOneHost(request)
        ? refusal((0,errors/* malformedRequest */.XW)(400), request.method ?? 'GET', ports)
        : await (0,relay/* relay */.E)(relayRequest(request), ports);
    if (response.destroyed)
        return;
    response.writeHead(reply.status, framed(reply, request.method));
    response.end(reply.body);
}
function relayRequest(request) {
    return {
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.rawHeaders,
        readBody: (limit) => readBody(request, limit),
    };
}
/** RFC 9112, section 3.2: an HTTP/1.1 request without one, or with two, is answered 400. */
function lacksOneHost({ httpVersion, rawHeaders }) {
    const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
    return httpVersion === '1.1' ? hosts.length !== 1 : hosts.length > 1;
}
function refusal(error, method, ports) {
    const delivery = ports.newDelivery();
    return (0,answers/* withStandardHeaders */.Sv)((0,answers/* errorReply */.fs)(error, delivery), method, delivery);
}
/** The headers of a reply, and the length of its body where it may have one. */
function framed({ status, headers, body }, method) {
    const bare = method === 'HEAD' || status === 204 || status === 304;
    return Object.assign(bare ? {} : { 'content-length': Buffer.byteLength(body) }, headers);
}
/** An answer for a connection whose request could not be read, so that there is no response to write. */
function onTheWire(reply) {
    const headers = { ...framed(reply, 'GET'), connection: 'close' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `HTTP/1.1 ${reply.status} Refused\r\n${lines.join('')}\r\n${reply.body}`;
}
/**
 * Reads the body of a request to its end. Node's own iterator would destroy the connection when its
 * reader stops early, before the answer is sent on it; and this costs a good deal less.
 *
 * @throws RangeError as soon as more than `limit` bytes have come; what follows is thrown away
 */
function readBody(request, limit) {
    return new Promise((resolve, reject) => {
        const chunks = [];
        let size = 0;
        const arrive = (chunk) => {
            size += chunk.length;
            if (size <= limit)
                chunks.push(chunk);
            else {
                request.off('data', arrive).resume();
                reject(new RangeError(`more than ${limit} bytes`));
            }
        };
        request.on('data', arrive);
        request.once('end', () => resolve((0,bytes/* whole */.WQ)(chunks, size)));
        request.once('error', reject);
    });
}
/** Milliseconds that a line may wait for others. */
const DELAY = 20;
/**
 * Writes lines, some at a time: a pipe is written to synchronously on Linux, and a system call for
 * every request would be felt. The process stays until the last line is written.
 */
function lineWriter(stream) {
    let lines = [];
    const flush = () => {
        stream.write(`${lines.join('\n')}\n`);
        lines = [];
    };
    return (line) => {
        if (lines.push(line) === 1)
            setTimeout(flush, DELAY);
    };
}


/***/ }),

/***/ 22465:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  E: () => (/* binding */ relay)
});

// UNUSED EXPORTS: writePayload

// EXTERNAL MODULE: ./build/wire/bytes.js
var wire_bytes = __webpack_require__(3251);
// EXTERNAL MODULE: ./build/wire/headers.js
var wire_headers = __webpack_require__(38178);
// EXTERNAL MODULE: ./build/wire/limits.js
var limits = __webpack_require__(59406);
// EXTERNAL MODULE: ./build/wire/payload.js
var payload = __webpack_require__(14070);
// EXTERNAL MODULE: ./build/relay/answers.js
var answers = __webpack_require__(34201);
// EXTERNAL MODULE: ./build/relay/credentials.js
var credentials = __webpack_require__(56500);
// EXTERNAL MODULE: ./build/relay/errors.js
var errors = __webpack_require__(56027);
// EXTERNAL MODULE: ./build/wire/json.js + 7 modules
var json = __webpack_require__(78674);
// EXTERNAL MODULE: ./build/wire/path.js
var wire_path = __webpack_require__(94217);
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
    const query = new URLSearchParams((0,wire_path/* parseWebhookPath */.kC)(path).querystring);
    if (query.get('hub.mode') !== 'subscribe')
        return undefined;
    return query.get('hub.challenge') ?? undefined;
}
/** `<workflow>/slack`, with whatever may follow. */
const SLACK_PATH = /^[^/?]*\/slack(?:[/?]|$)/;
/** https://api.slack.com/events/url_verification */
function slackChallenge(method, path, body) {
    if (method !== 'POST' || !SLACK_PATH.test(path))
        return undefined;
    const request = handshake_json(body);
    if (!(0,json/* isObject */.Gv)(request) || request.type !== 'url_verification')
        return undefined;
    return typeof request.challenge === 'string' ? request.challenge : undefined;
}
function handshake_json(body) {
    try {
        return (0,json/* parseJson */.qF)((0,wire_bytes/* utf8Text */.Hp)(body) ?? '');
    }
    catch {
        return undefined;
    }
}
function plainText(body) {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

;// CONCATENATED MODULE: ./build/relay/log.js

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/;
/** Gathers, while a request is handled, what its line in the log will say. */
class RequestLog {
    delivery;
    /** ISO 8601, UTC. */
    receivedAt;
    #start;
    #repository;
    #path;
    #bytes;
    #attempts;
    constructor(delivery, now) {
        this.delivery = delivery;
        this.receivedAt = now.toISOString();
        this.#start = now.getTime();
    }
    /** @param path only after the tokens are scrubbed from it */
    addressed(repository, path, bytes) {
        this.#repository = repository;
        this.#path = (0,wire_path/* parseWebhookPath */.kC)(path);
        this.#bytes = bytes;
    }
    attempted(attempts) {
        this.#attempts = attempts;
    }
    /** What is not known is `undefined`, which no line of JSON shows. */
    entry(method, status, now) {
        return {
            time: this.receivedAt,
            delivery: this.delivery,
            method,
            owner: this.#repository?.owner,
            repo: this.#repository?.name,
            workflow: plainName(this.#path?.workflow),
            trigger: plainName(this.#path?.trigger),
            bytes: this.#bytes,
            tries: this.#attempts?.tries,
            platformStatus: this.#attempts?.platformStatus,
            status,
            ms: now.getTime() - this.#start,
        };
    }
}
function plainName(name) {
    return name !== undefined && PLAIN_NAME.test(name) ? name : undefined;
}

// EXTERNAL MODULE: ./build/relay/route.js
var route = __webpack_require__(2771);
;// CONCATENATED MODULE: ./build/relay/relay.js










/** Answers one request: forwards it as one event, or says why not. Never throws. */
async function relay(request, ports) {
    const journal = new RequestLog(ports.newDelivery(), ports.now());
    const reply = await answerOrFault(request, ports, journal);
    const method = isRelayed(request.method) ? request.method : 'other';
    ports.log(journal.entry(method, reply.status, ports.now()));
    return (0,answers/* withStandardHeaders */.Sv)(reply, request.method, journal.delivery);
}
async function answerOrFault(request, ports, journal) {
    try {
        return answerLocally(request, ports) ?? (await relayWebhook(request, ports, journal));
    }
    catch (error) {
        if (!(error instanceof errors/* RelayError */.cx))
            ports.report(error);
        const fault = error instanceof errors/* RelayError */.cx ? error : (0,errors/* internalError */.WB)(error);
        journal.attempted(fault.attempts);
        return (0,answers/* errorReply */.fs)(fault, journal.delivery);
    }
}
/** The answer to what is no webhook. */
function answerLocally({ method, target, headers }, { pages }) {
    if (!isRelayed(method))
        throw (0,errors/* methodNotAllowed */.TS)(answers/* METHODS */.J8);
    return (0,answers/* preflight */.Mz)(method, headers) ?? (0,answers/* servePage */.Z3)(pages ?? answers/* RELAY_PAGES */.hG, method, (0,route/* pathOf */.XM)(target));
}
async function relayWebhook(request, ports, journal) {
    const webhook = (0,route/* routeWebhook */.Fz)(request.target, ports.repository);
    const custom = (0,answers/* customReply */.WH)(webhook.reserved);
    const presented = (0,credentials/* presentedToken */.A_)(request.headers, webhook.reserved);
    if (!presented && ports.credentials.required)
        throw (0,errors/* missingToken */.kh)();
    const body = await readBody(request);
    const challenge = handshake(request.method, webhook.path, body.bytes);
    if (challenge)
        return redactReply(challenge, tokensOf(presented));
    const token = presented && (await ports.credentials.platformToken(presented, webhook));
    const tokens = tokensOf(presented, token);
    const reply = custom ? redactReply(custom, tokens) : answers/* ACCEPTED */.wh;
    const received = redactRequest(toForwardable(request, webhook, body, journal), tokens, token);
    const { repository } = webhook;
    journal.addressed(repository, received.path, body.bytes.length);
    const clientPayload = await writePayload(received);
    const { delivery } = journal;
    journal.attempted(await ports.dispatch({ repository, delivery, clientPayload, token }));
    return reply;
}
function toForwardable({ method, headers }, { path }, body, { delivery, receivedAt }) {
    return { path, method, headers: (0,wire_headers/* forwardedHeaders */.T2)(headers), body, delivery, receivedAt };
}
async function readBody(request) {
    try {
        const bytes = await request.readBody(limits/* LIMITS */.b.requestBodyBytes);
        return { bytes, text: (0,wire_bytes/* utf8Text */.Hp)(bytes) };
    }
    catch (error) {
        throw error instanceof RangeError ? (0,errors/* bodyTooLarge */.Qb)() : (0,errors/* brokenBody */.Os)(error);
    }
}
/** What the request brought, and what the platform is asked with: often the same. */
function tokensOf(...tokens) {
    return [...new Set(tokens)].filter((token) => token !== undefined);
}
function isRelayed(method) {
    return answers/* METHODS */.J8.some((relayed) => relayed === method);
}
/**
 * The serialised `client_payload`, at most `LIMITS.clientPayloadBytes` long. Text travels as it is,
 * other bytes as base64, and what is too large for GitHub gzipped.
 *
 * @throws RelayError 413 when it is too large even then
 */
async function writePayload(received) {
    const plain = written(received, plainBody(received.body));
    if (byteLength(plain) <= limits/* LIMITS */.b.clientPayloadBytes)
        return plain;
    const packed = written(received, await packedBody(received.body));
    const bytes = byteLength(packed);
    if (bytes > limits/* LIMITS */.b.clientPayloadBytes)
        throw (0,errors/* payloadTooLarge */.Iv)(bytes);
    return packed;
}
function plainBody({ bytes, text }) {
    if (bytes.length === 0)
        return { body: null };
    return text === undefined ? { body: (0,wire_bytes/* toBase64 */.nk)(bytes), encoding: 'base64' } : { body: text };
}
async function packedBody({ bytes }) {
    if (bytes.length === 0)
        return { body: null };
    return { body: (0,wire_bytes/* toBase64 */.nk)(await (0,wire_bytes/* gzip */.ZI)(bytes)), encoding: 'gzip' };
}
function written(received, { body, encoding }) {
    const { path, method, delivery, receivedAt } = received;
    const headers = Object.fromEntries(received.headers);
    headers[payload/* HEADER */.El.delivery] = delivery;
    headers[payload/* HEADER */.El.receivedAt] = receivedAt;
    if (encoding)
        headers[payload/* HEADER */.El.bodyEncoding] = encoding;
    return (0,payload/* writeClientPayload */.je)({ path, method, headers, body });
}
function byteLength(text) {
    // A UTF-16 unit takes at most 3 bytes of UTF-8, so most payloads need no encoding to be counted.
    if (text.length * 3 <= limits/* LIMITS */.b.clientPayloadBytes)
        return text.length * 3;
    return new TextEncoder().encode(text).length;
}
/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it; a sealed token or a key of the relay may stand in it, as some senders (Trello)
 * repeat the URL that they call.
 *
 * @throws RelayError 400 when the body contains the platform token
 */
function redactRequest(received, tokens, platformToken) {
    const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes);
    if (platformToken?.isIn(body))
        throw (0,errors/* tokenInBody */.n3)();
    // Hardly any request has one left: one search through all of it is the usual cost.
    const others = [received.path, ...received.headers.values()].join('\n');
    return isAnyIn(tokens, others) ? redact(received, tokens) : received;
}
function redact(received, tokens) {
    const scrub = (text) => tokens.reduce((rest, token) => token.scrub(rest), text);
    const headers = [...received.headers].map(([name, value]) => [name, scrub(value)]);
    return { ...received, path: scrub(received.path), headers: new Map(headers) };
}
/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
function redactReply(reply, tokens) {
    const shown = [reply.body, ...Object.values(reply.headers)].join('\n');
    if (!isAnyIn(tokens, shown))
        return reply;
    throw (0,errors/* badResponseOption */.uJ)('an answer that contains the token', 'leave the token out of it');
}
function isAnyIn(tokens, text) {
    return tokens.some((token) => token.isIn(text));
}


/***/ })

};
