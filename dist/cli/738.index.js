export const id = 738;
export const ids = [738];
export const modules = {

/***/ 44738:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  serveDev: () => (/* binding */ serveDev)
});

// EXTERNAL MODULE: ./build/action/inputs.js
var inputs = __webpack_require__(7126);
// EXTERNAL MODULE: ./build/action/ports.js
var ports = __webpack_require__(80215);
// EXTERNAL MODULE: ./build/workflow/code-frame.js
var code_frame = __webpack_require__(88375);
// EXTERNAL MODULE: ./build/wire/bytes.js
var wire_bytes = __webpack_require__(3251);
// EXTERNAL MODULE: ./build/wire/json.js + 7 modules
var json = __webpack_require__(78674);
// EXTERNAL MODULE: ./build/wire/payload.js
var wire_payload = __webpack_require__(14070);
// EXTERNAL MODULE: ./build/wire/request.js + 1 modules
var request = __webpack_require__(71058);
;// CONCATENATED MODULE: ./build/dev/inspector/shown-request.js




/** Stands for what authenticates the sender: kept for a replay, never shown. */
const HIDDEN = '***';
/** The request of a payload, and what of it is not shown. */
async function shownRequest(payload) {
    const { method, path } = payload;
    const headers = Object.entries(payload.headers).filter(([name]) => !name.startsWith(wire_payload/* RESERVED_HEADER_PREFIX */.Ix));
    const shown = headers.map(([name, value]) => [name, request/* CREDENTIAL_HEADERS */.zt.has(name) ? HIDDEN : value]);
    const withheld = (0,json/* record */.g1)(headers.filter(([name]) => request/* CREDENTIAL_HEADERS */.zt.has(name)));
    return { request: { method, path, headers: (0,json/* record */.g1)(shown), ...(await body(payload)) }, withheld };
}
async function body({ body, headers, }) {
    // Here a payload comes from the relay, which writes text or nothing.
    const text = typeof body === 'string' ? body : '';
    const bytes = await (0,wire_bytes/* bodyBytes */.OM)(text, headers[wire_payload/* HEADER */.El.bodyEncoding]);
    const read = (0,wire_bytes/* utf8Text */.Hp)(bytes);
    return read === undefined
        ? { body: (0,wire_bytes/* toBase64 */.nk)(bytes), encoding: 'base64' }
        : { body: read, encoding: 'text' };
}

;// CONCATENATED MODULE: ./build/dev/inspector/describe.js


/** An event and its request, as the inspector keeps them. */
async function describeRequest(event, payload, came) {
    const { request, withheld } = await shownRequest(payload);
    return { unlisted: { ...describeEvent(event, came), request }, withheld };
}
/** An event that no request brought. */
function describeEvent(event, at) {
    const { delivery, method, path, workflow, trigger, milliseconds } = event;
    const { decisions, items, found, fields, warnings, count, problems, reason = null } = event;
    const named = { delivery, method, path, workflow, trigger, milliseconds };
    const came = { time: at.time.toISOString(), origin: at.origin };
    const outcome = count > 0 ? 'fired' : problems.length > 0 ? 'mistaken' : 'skipped';
    const result = { decisions, items, found, fields, warnings, count, outcome, reason };
    const rendered = problems.map((problem) => (0,code_frame/* renderProblem */.y)(problem));
    return { ...named, ...came, ...result, problems: rendered, request: null };
}
/** Why the relay takes no request of a status. */
const REFUSALS = new Map([
    [400, 'the URL, a __response_… parameter or the request itself is malformed'],
    [401, 'the key is missing or unknown'],
    [404, 'the address is /webhook/<workflow>/<trigger>'],
    [405, 'a webhook takes GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS'],
    [413, 'the body is too large for an event of GitHub'],
    [500, 'a fault of Hookline itself: the terminal says more'],
]);
/** A request that the relay did not take; its address and content were not looked at. */
function describeRefusal(entry) {
    const { time, delivery, method, status, workflow = '', trigger = '', ms } = entry;
    const why = REFUSALS.get(status);
    const reason = `answered ${status}${why ? `: ${why}` : ''}`;
    const nothing = { decisions: [], problems: [], warnings: [], found: [], items: [], fields: [] };
    const named = { time, delivery, method, workflow, trigger, milliseconds: ms, path: '' };
    const result = { origin: 'request', outcome: 'refused', count: 0, reason, request: null };
    return { ...named, ...result, ...nothing };
}

;// CONCATENATED MODULE: ./build/dev/inspector/recorder.js
/** What is kept at most, the newest first. */
const BOUNDS = { requests: 200, bytes: 32 * 1024 * 1024 };
/** Remembers the last events, within bounds, and tells who listens of each new one. */
class Recorder {
    #bounds;
    #listeners = new Set();
    #kept = new Map();
    #last = 0;
    #bytes = 0;
    constructor(bounds = BOUNDS) {
        this.#bounds = bounds;
    }
    /** Bytes of all that is kept. */
    get bytes() {
        return this.#bytes;
    }
    /** The id of the oldest event that is kept; one more than the last when none is. */
    get oldest() {
        return this.#kept.keys().next().value ?? this.#last + 1;
    }
    add(unlisted, withheld = {}) {
        const detail = { id: ++this.#last, ...unlisted };
        const json = new TextEncoder().encode(JSON.stringify(detail));
        const kept = { summary: summaryOf(detail), json, withheld };
        this.#kept.set(detail.id, kept);
        this.#bytes += size(kept);
        this.#forget();
        for (const listener of this.#listeners)
            listener(kept);
        return kept.summary;
    }
    find(id) {
        return this.#kept.get(id);
    }
    /** What came after an event, oldest first; all that is kept when that one is 0. */
    after(id) {
        return [...this.#kept.values()].filter(({ summary }) => summary.id > id);
    }
    /** @returns what ends it */
    listen(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }
    #forget() {
        for (const [id, kept] of this.#kept) {
            if (this.#kept.size <= this.#bounds.requests && this.#bytes <= this.#bounds.bytes)
                return;
            this.#kept.delete(id);
            this.#bytes -= size(kept);
        }
    }
}
function summaryOf(detail) {
    const { id, time, origin, delivery, method, path, workflow, trigger } = detail;
    const { outcome, count, reason, milliseconds } = detail;
    const named = { id, time, origin, delivery, method, path, workflow, trigger };
    return { ...named, outcome, count, reason, milliseconds };
}
/** The summary repeats a part of the detail, so it counts too; a character takes two bytes. */
function size({ summary, json, withheld }) {
    return json.length + 2 * JSON.stringify([summary, withheld]).length;
}

// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(77934);
;// CONCATENATED MODULE: ./build/dev/inspector/replay.js



/** What the page asks to be sent again, changed or not. */
const orderSchema = dist/* object */.Ikc({
    /** Event whose hidden headers are put in again where the order says `***`. */
    of: dist/* number */.aig(),
    method: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[A-Z]{1,20}$/)),
    path: dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[\x21-\x7e]{1,8192}$/)),
    headers: dist/* record */.g1P(dist/* pipe */.FsL(dist/* string */.YjP(), dist/* regex */.yGV(/^[\w!#$%&'*+.^`|~-]{1,200}$/)), dist/* pipe */.FsL(dist/* string */.YjP(), dist/* maxLength */.Ru6(8192), dist/* regex */.yGV(/^[^\r\n\0]*$/))),
    body: dist/* string */.YjP(),
    encoding: dist/* picklist */.KIO(['text', 'base64']),
});
/** `undefined` for what the page would not send. */
function readOrder(text) {
    try {
        const order = dist/* safeParse */.xLC(orderSchema, JSON.parse(text));
        return order.success ? order.output : undefined;
    }
    catch {
        return undefined;
    }
}
/** The request as the relay would receive it from its sender. */
function replayRequest(order, withheld) {
    const bytes = bodyOf(order);
    const headers = Object.entries(order.headers)
        .filter(([name]) => name.toLowerCase() !== 'content-length')
        .map(([name, value]) => [name, value === HIDDEN ? (withheld[name] ?? '') : value]);
    const length = bytes.length > 0 ? [['content-length', String(bytes.length)]] : [];
    return {
        method: order.method,
        target: `/webhook/${order.path}`,
        headers: [...headers, ...length].flatMap(([name = '', value = '']) => [
            name,
            (0,wire_bytes/* byteString */.iP)(value),
        ]),
        readBody: async () => bytes,
    };
}
/** The newest request that is kept, ready to be sent again; `undefined` when there was none. */
function newestRequest(kept) {
    for (const { json, withheld } of kept.toReversed()) {
        const { id, request } = JSON.parse(new TextDecoder().decode(json));
        if (request)
            return replayRequest({ of: id, ...request }, withheld);
    }
    return undefined;
}
function bodyOf({ body, encoding }) {
    if (encoding === 'text')
        return new TextEncoder().encode(body);
    try {
        return (0,wire_bytes/* fromBase64 */.Ey)(body);
    }
    catch {
        return new Uint8Array();
    }
}

// EXTERNAL MODULE: ./build/relay/access-keys.js
var access_keys = __webpack_require__(86955);
// EXTERNAL MODULE: ./build/relay/config.js
var config = __webpack_require__(97246);
// EXTERNAL MODULE: ./build/relay/credentials.js
var credentials = __webpack_require__(56500);
// EXTERNAL MODULE: ./build/relay/node.js + 2 modules
var node = __webpack_require__(28855);
// EXTERNAL MODULE: ./build/relay/relay.js + 2 modules
var relay = __webpack_require__(22465);
// EXTERNAL MODULE: ./build/state/index.js
var state = __webpack_require__(97530);
;// CONCATENATED MODULE: ./build/state/memory.js

/** State that lasts as long as its process, as for a local trial. */
function memoryBackend() {
    const states = new Map();
    const name = ({ workflow, trigger }) => `${workflow}/${trigger}`;
    return {
        load: async (id) => states.get(name(id)) ?? state/* NO_STATE */.S_,
        async change(id, step) {
            const before = states.get(name(id)) ?? state/* NO_STATE */.S_;
            states.set(name(id), step(before));
            return before;
        },
    };
}

// EXTERNAL MODULE: ./build/wire/secret.js
var secret = __webpack_require__(96338);
;// CONCATENATED MODULE: ./build/dev/inspector/admission.js
const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
/** Any port: it may be forwarded. No name that a foreign DNS server could point here. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
/** A tunnel's end is on this machine, but whoever comes through it is not. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+|cf-.+|ngrok-.+)$/;
/**
 * Why a visitor may not see the inspector; `undefined` for this machine's own browser.
 *
 * - Address and forwarding headers keep other machines out.
 * - `Host` keeps out a foreign page whose own name was pointed at this machine (DNS rebinding).
 * - `Origin` and `Sec-Fetch-Site` keep out every other page of this browser.
 */
function whyNotAdmitted({ address, headers }) {
    const { origin } = headers;
    const host = String(headers.host);
    if (!LOOPBACK_ADDRESS.test(address ?? ''))
        return 'it answers this machine only';
    if (Object.keys(headers).some((name) => FORWARDED.test(name))) {
        return 'it answers no request that was forwarded';
    }
    if (!LOOPBACK_HOST.test(host))
        return 'open it as localhost';
    if (origin !== undefined && origin !== `http://${host}`)
        return 'another page asked for it';
    if (!isOwnPage(headers))
        return 'another page asked for it';
    return undefined;
}
/** Browsers since 2023 say it; a click on a link from elsewhere may show the page, and no more. */
function isOwnPage({ 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode, }) {
    return site === 'same-origin' || site === 'none' || mode === 'navigate';
}

;// CONCATENATED MODULE: ./build/dev/inspector/inspector.js



const FOLDER = '/inspector/';
/** True for the addresses that are the inspector's own. */
function isInspectors(path) {
    return path === '/' || path.startsWith(FOLDER);
}
const POLICY = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No text can become HTML: a browser refuses innerHTML and the like.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
].join('; ');
const EVERY_ANSWER = {
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
};
const TYPES = new Map([
    ['html', 'text/html; charset=utf-8'],
    ['css', 'text/css; charset=utf-8'],
    ['js', 'text/javascript; charset=utf-8'],
    ['svg', 'image/svg+xml'],
]);
/** Answers one request to the inspector. */
async function inspect(visit, parts) {
    const refusal = whyNotAdmitted(visit);
    if (refusal)
        return inspector_text(403, `Not for you: the inspector of hookline dev is closed, ${refusal}.`);
    const [resource = '', id = ''] = visit.path.slice(FOLDER.length).split('/');
    if (resource === 'replay')
        return replayed(visit, parts);
    if (visit.method !== 'GET' && visit.method !== 'HEAD')
        return inspector_text(405, 'GET only');
    if (resource === 'run')
        return inspector_json(run(visit, parts));
    if (resource === 'events')
        return events(visit, parts);
    if (resource === 'requests')
        return detail(Number(id), parts);
    return file(resource || 'index.html', parts);
}
function file(name, { files }) {
    const found = files.get(name);
    const type = TYPES.get(name.slice(name.lastIndexOf('.') + 1));
    return found === undefined || !type ? inspector_text(404, 'no such page') : answer(200, type, found);
}
function run({ headers }, { run, key, welcome }) {
    // The host was checked: it is this machine's, with the port that the visitor sees.
    return { run, key, ...welcome(`http://${headers.host}`) };
}
function detail(id, { recorder }) {
    const kept = recorder.find(id);
    return kept ? answer(200, 'application/json', kept.json) : inspector_text(404, 'no longer kept');
}
/** A browser that lost the connection says which event it saw last: `<run>-<id>`. */
function events({ headers }, { run }) {
    const [, seenRun, id] = /^(.+)-(\d+)$/.exec(String(headers['last-event-id'] ?? '')) ?? [];
    const streaming = { ...EVERY_ANSWER, 'content-type': 'text/event-stream; charset=utf-8' };
    return { eventsAfter: seenRun === run ? Number(id) : 0, headers: streaming };
}
async function replayed(visit, parts) {
    if (visit.method !== 'POST')
        return inspector_text(405, 'POST only');
    const key = String(visit.headers['x-hookline-key'] ?? '');
    if (!(await (0,secret/* sameText */.QV)(key, parts.key)))
        return inspector_text(403, 'the key of this run is missing');
    const order = readOrder(await visit.body());
    if (!order)
        return inspector_text(400, 'not a request that can be sent');
    const withheld = parts.recorder.find(order.of)?.withheld ?? {};
    const { status, headers, body } = await parts.replay(replayRequest(order, withheld));
    return inspector_json({ status, delivery: headers['x-hookline-delivery'] ?? '', body });
}
function inspector_text(status, body) {
    return answer(status, 'text/plain; charset=utf-8', `${body}\n`);
}
function inspector_json(value) {
    return answer(200, 'application/json', JSON.stringify(value));
}
function answer(status, type, body) {
    return { reply: { status, headers: { ...EVERY_ANSWER, 'content-type': type }, body } };
}

// EXTERNAL MODULE: ./build/relay/route.js
var route = __webpack_require__(2771);
;// CONCATENATED MODULE: ./build/inspector/http.js



/** Of an order to send a request again: a body of the largest kind, escaped as JSON. */
const ORDER_BYTES = 2 * 1024 * 1024;
/** The inspector behind node:http. */
function inspectorServer(parts, report) {
    const stream = new EventStream();
    const told = (kept) => streamed(kept, parts);
    const unlisten = parts.recorder.listen((kept) => stream.send(told(kept)));
    const answer = async (request, response) => {
        const answered = await inspect(visitOf(request), parts);
        if ('reply' in answered)
            return write(response, answered.reply, request.method);
        const missed = parts.recorder.after(answered.eventsAfter).map(told);
        stream.open(response, answered.headers, [hello(parts), ...missed]);
    };
    const fail = (response, error) => {
        report(error);
        if (!response.headersSent)
            response.writeHead(500);
        response.end();
    };
    return {
        route(request, response) {
            if (!isInspectors((0,route/* pathOf */.XM)(request.url ?? '')))
                return false;
            answer(request, response).catch((error) => fail(response, error));
            return true;
        },
        close() {
            unlisten();
            stream.close();
        },
    };
}
/** Begins every stream: a page of an earlier run learns that what it shows is gone. */
function hello({ recorder, run }) {
    const data = JSON.stringify({ run, oldest: recorder.oldest });
    return { id: `${run}-0`, name: 'hello', data };
}
function streamed({ summary }, { recorder, run }) {
    const data = JSON.stringify({ summary, oldest: recorder.oldest });
    return { id: `${run}-${summary.id}`, name: 'request', data };
}
function visitOf(request) {
    return {
        address: request.socket.remoteAddress,
        method: request.method ?? 'GET',
        path: (0,route/* pathOf */.XM)(request.url ?? '/'),
        headers: request.headers,
        body: async () => new TextDecoder().decode(await (0,wire_bytes/* collect */.Fo)(request, ORDER_BYTES)),
    };
}
function write(response, { status, headers, body }, method) {
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(method === 'HEAD' ? '' : body);
}
/** Readers at a time; a browser opens at most six connections to one host. */
const MOST_READERS = 32;
/** Bytes that wait for a reader who does not read; it may come back and say what it missed. */
const MOST_WAITING = 4 * 1024 * 1024;
/** Milliseconds until a browser that lost the connection tries again. */
const RETRY = 1000;
const HEARTBEAT = 15_000;
/** Responses that stay open, to each of which every event is written. */
class EventStream {
    #readers = new Set();
    #heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT).unref();
    /** Takes a response whose head is not written yet, and writes what the reader has missed. */
    open(response, headers, missed) {
        if (this.#readers.size >= MOST_READERS) {
            response.writeHead(503, headers).end();
            return;
        }
        response.writeHead(200, headers);
        response.write(`retry: ${RETRY}\n\n${missed.map(eventText).join('')}`);
        this.#readers.add(response);
        response.on('close', () => this.#readers.delete(response));
    }
    send(event) {
        this.#write(eventText(event));
    }
    close() {
        clearInterval(this.#heartbeat);
        for (const reader of this.#readers)
            reader.end();
    }
    #write(text) {
        for (const reader of this.#readers) {
            if (reader.writableLength > MOST_WAITING)
                reader.destroy();
            else
                reader.write(text);
        }
    }
}
function eventText({ id, name, data }) {
    return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

// EXTERNAL MODULE: ./build/inspector/local-engine.js + 8 modules
var local_engine = __webpack_require__(30294);
;// CONCATENATED MODULE: ./build/inspector/page-files.js
const INSPECTOR_FILES = new Map([["actions.js","import { replay } from './connection.js';\nimport { edit } from './editor.js';\nimport { curlLine, fixtureName, fixtureText } from './request-text.js';\nimport { copy, say } from './toast.js';\nimport { chooseDelivery, shownDetail } from './view.js';\nconst ACTIONS = new Map([\n    ['replay', (request, id) => void send(id, request)],\n    ['edit', (request, id) => edit(request, (changed) => void send(id, changed))],\n    ['curl', (request) => void copy(curlLine(request, location.origin), 'the command')],\n    ['save', (request) => save(fixtureName(request), fixtureText(request))],\n]);\nexport function act(name) {\n    const { request, id = 0 } = shownDetail() ?? {};\n    if (request)\n        ACTIONS.get(name)?.(request, id);\n}\nasync function send(of, request) {\n    try {\n        const { status, delivery } = await replay(of, request);\n        say(`Sent again, answered ${status}`);\n        chooseDelivery(delivery);\n    }\n    catch (error) {\n        say(`Not sent: ${error instanceof Error ? error.message : 'hookline dev does not answer'}`);\n    }\n}\nfunction save(name, text) {\n    const link = document.createElement('a');\n    link.download = name;\n    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));\n    link.click();\n    setTimeout(() => URL.revokeObjectURL(link.href), 1000);\n    say(`Saved ${name}`);\n}\n"],["base.css",":root {\n  color-scheme: light dark;\n  --ground: light-dark(#f6f6f4, #14171a);\n  --surface: light-dark(#ffffff, #1b1f23);\n  --raised: light-dark(#ffffff, #23282d);\n  --line: light-dark(#e3e3de, #2c3238);\n  --text: light-dark(#1d2125, #e6e8ea);\n  --muted: light-dark(#5f666d, #9aa3ab);\n  --accent: light-dark(#0b6b60, #4fd1c0);\n  --accent-ground: light-dark(#e2f1ef, #173531);\n  --fired: light-dark(#17703a, #5fd38d);\n  --skipped: light-dark(#6a5a18, #d8bd5c);\n  --mistaken: light-dark(#b3261e, #ff8a80);\n  --string: light-dark(#8a3b12, #eab08a);\n  --number: light-dark(#2352b8, #8fb4ff);\n  --constant: light-dark(#7a2f9c, #d4a3ef);\n  --mono: ui-monospace, \"SF Mono\", SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", monospace;\n  --gap: 1rem;\n  --radius: 8px;\n}\n\n* {\n  box-sizing: border-box;\n}\n\n/* Only for screen readers. */\n.unseen {\n  position: absolute;\n  width: 1px;\n  height: 1px;\n  padding: 0;\n  overflow: hidden;\n  clip-path: inset(50%);\n  white-space: nowrap;\n}\n\nbody {\n  display: flex;\n  flex-direction: column;\n  height: 100dvh;\n  margin: 0;\n  background: var(--ground);\n  color: var(--text);\n  font:\n    15px / 1.5 system-ui,\n    -apple-system,\n    \"Segoe UI\",\n    \"Noto Sans\",\n    \"Liberation Sans\",\n    sans-serif;\n}\n\ncode,\npre,\ntextarea,\n.path,\n.method,\n.tree,\n.headers,\n#edit-path,\n.step-id {\n  font-family: var(--mono);\n  font-size: 13px;\n}\n\nh1,\nh2,\nh3,\np,\nul,\nol,\ndl,\ndd,\npre {\n  margin: 0;\n  padding: 0;\n}\n\nul,\nol {\n  list-style: none;\n}\n\na {\n  color: inherit;\n}\n\n:focus-visible {\n  outline: 2px solid var(--accent);\n  outline-offset: 2px;\n}\n"],["connection.js","let key = '';\nlet run = '';\nexport function follow({ connection, restarted, request, oldest }) {\n    const source = new EventSource('/inspector/events');\n    source.addEventListener('open', () => connection('live'));\n    source.addEventListener('error', () => {\n        connection('lost');\n        if (source.readyState === EventSource.CLOSED) {\n            setTimeout(() => follow({ connection, restarted, request, oldest }), 2000);\n        }\n    });\n    source.addEventListener('hello', ({ data }) => {\n        const hello = JSON.parse(data);\n        if (run !== '' && run !== hello.run) {\n            key = '';\n            restarted();\n        }\n        run = hello.run;\n        oldest(hello.oldest);\n    });\n    source.addEventListener('request', ({ data }) => {\n        const event = JSON.parse(data);\n        request(event.summary);\n        oldest(event.oldest);\n    });\n}\nexport async function welcome() {\n    const answer = await (await fetch('/inspector/run')).json();\n    key = answer.key;\n    return answer;\n}\nexport async function loadDetail(id) {\n    const response = await fetch(`/inspector/requests/${id}`);\n    return response.ok ? response.json() : undefined;\n}\nexport async function replay(of, request) {\n    if (key === '')\n        await welcome();\n    const response = await fetch('/inspector/replay', {\n        method: 'POST',\n        headers: { 'content-type': 'application/json', 'x-hookline-key': key },\n        body: JSON.stringify({ of, ...request }),\n    });\n    if (!response.ok)\n        throw new Error((await response.text()).trim());\n    return response.json();\n}\n"],["controls.css","button,\ninput,\nselect,\ntextarea {\n  border: 1px solid var(--line);\n  border-radius: 6px;\n  background: var(--raised);\n  color: inherit;\n  font: inherit;\n  font-size: 14px;\n}\n\nbutton {\n  padding: 0.3rem 0.7rem;\n  cursor: pointer;\n}\n\nbutton:hover {\n  border-color: var(--muted);\n}\n\nbutton.quiet {\n  border-color: transparent;\n  background: none;\n  color: var(--muted);\n}\n\nbutton.quiet:hover {\n  color: var(--text);\n  background: var(--accent-ground);\n}\n\nbutton.primary {\n  border-color: var(--accent);\n  background: var(--accent);\n  color: light-dark(#fff, #0c1f1c);\n}\n\nkbd {\n  display: inline-block;\n  min-width: 1.4em;\n  margin-left: 0.4em;\n  padding: 0 0.3em;\n  border: 1px solid var(--line);\n  border-radius: 4px;\n  color: var(--muted);\n  font: 11px / 1.5 var(--mono);\n  text-align: center;\n}\n\nbutton.primary kbd {\n  border-color: currentColor;\n  color: inherit;\n}\n\ntextarea {\n  width: 100%;\n  padding: 0.5rem 0.6rem;\n  line-height: 1.5;\n  resize: vertical;\n}\n"],["detail.css",".detail {\n  overflow-y: auto;\n  padding: 1.5rem clamp(1rem, 3vw, 2.4rem) 4rem;\n}\n\n.detail:focus-visible {\n  outline: none;\n}\n\n.detail > * {\n  max-width: 900px;\n}\n\n.detail > section {\n  margin-top: 2rem;\n}\n\n.heading h2 {\n  font-size: 17px;\n  font-weight: 500;\n  line-height: 1.4;\n  overflow-wrap: anywhere;\n}\n\n.heading .path {\n  font-size: 16px;\n}\n\n.heading .method {\n  margin-right: 0.2rem;\n  font-size: 15px;\n}\n\n.facts {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 0.2rem 1.1rem;\n  margin-top: 0.35rem;\n  color: var(--muted);\n  font-size: 13px;\n  font-variant-numeric: tabular-nums;\n}\n\n.facts .outcome {\n  font-size: 13px;\n}\n\n.delivery code {\n  font-size: 12px;\n  overflow-wrap: anywhere;\n}\n\n.back {\n  display: none;\n  margin-bottom: 0.9rem;\n  color: var(--accent);\n  font-size: 14px;\n  text-decoration: none;\n}\n\n.actions {\n  display: flex;\n  flex-wrap: wrap;\n  gap: 0.5rem;\n  margin-top: 1.1rem;\n}\n\nsection > header {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: center;\n  gap: 0.5rem 0.8rem;\n  min-height: 2rem;\n  margin-bottom: 0.5rem;\n}\n\nsection h3 {\n  margin-right: auto;\n  font-size: 14px;\n  font-weight: 620;\n}\n\n.card,\npre {\n  border: 1px solid var(--line);\n  border-radius: var(--radius);\n  background: var(--surface);\n}\n\npre {\n  overflow-x: auto;\n  padding: 0.8rem 1rem;\n  line-height: 1.55;\n}\n\nsection pre {\n  margin-top: 0.7rem;\n}\n\npre.body {\n  max-height: 26rem;\n  overflow-y: auto;\n  white-space: pre-wrap;\n  overflow-wrap: anywhere;\n}\n\npre.problem {\n  border-left: 3px solid var(--mistaken);\n}\n\n.reason {\n  margin-bottom: 0.7rem;\n}\n\n.warning {\n  margin-bottom: 0.7rem;\n  color: var(--skipped);\n}\n\n.verdict {\n  display: flex;\n  flex-wrap: wrap;\n  align-items: baseline;\n  gap: 0.2rem 0.9rem;\n  color: var(--muted);\n}\n\n.verdict code {\n  color: var(--text);\n  font-weight: 600;\n}\n\n.checks {\n  margin-top: 0.35rem;\n}\n\n.checks li {\n  position: relative;\n  padding-left: 1.5rem;\n  color: var(--muted);\n  font-size: 14px;\n}\n\n.checks li::before {\n  position: absolute;\n  left: 0.2rem;\n  font-weight: 700;\n}\n\n.checks .held::before {\n  color: var(--fired);\n  content: \"✓\" / \"\";\n}\n\n.checks .missed::before {\n  color: var(--mistaken);\n  content: \"✕\" / \"\";\n}\n\n.checks code {\n  margin-right: 0.3rem;\n  color: var(--text);\n}\n\n.checks .missed {\n  color: var(--text);\n}\n\n.account {\n  margin-top: 0.3rem;\n  padding-left: 1.5rem;\n  color: var(--muted);\n  font-size: 14px;\n}\n\n.account li {\n  padding-left: 1rem;\n}\n\n.decisions > li {\n  padding: 0.7rem 1rem;\n}\n\n.decisions > li + li {\n  border-top: 1px solid var(--line);\n}\n"],["detail.js","import { element } from './element.js';\nimport { clockTime, duration, outcome, shownPath } from './list.js';\nimport { outputsSection } from './outputs.js';\nimport { tallyPart } from './tally.js';\nimport { tree } from './tree.js';\nconst ACTIONS = [\n    ['replay', 'r', 'Replay'],\n    ['edit', 'e', 'Edit and replay'],\n    ['curl', 'c', 'Copy as curl'],\n    ['save', 's', 'Save as fixture'],\n];\nexport function detailView(detail) {\n    const { request, items, count, found } = detail;\n    return [\n        element('a', { class: 'back', href: '#' }, '← All requests'),\n        heading(detail),\n        request &&\n            element('div', { class: 'actions' }, ...ACTIONS.map(([name = '', key = '', label = '']) => element('button', { type: 'button', 'data-action': name }, label, element('kbd', {}, key)))),\n        decisionSection(detail),\n        count > 0 && items.length > 0 && outputsSection(detail),\n        isPrepared(detail) && foundSection(found),\n        request && requestSection(request),\n    ].filter((part) => part !== null && part !== false);\n}\nfunction heading(detail) {\n    const { method, time, milliseconds, delivery, origin } = detail;\n    return element('header', { class: 'heading' }, element('h2', {}, element('span', { class: 'method' }, origin === 'poll' ? 'POLL' : method), ' ', element('span', { class: 'path' }, shownPath(detail))), element('p', { class: 'facts' }, outcome(detail), element('time', { datetime: time }, clockTime(time)), element('span', {}, duration(milliseconds)), origin === 'replay' && element('span', {}, 'replay'), delivery &&\n        element('span', { class: 'delivery' }, 'delivery ', element('code', {}, delivery))));\n}\nfunction decisionSection({ decisions, reason, problems, warnings }) {\n    return element('section', { 'aria-labelledby': 'decision-title' }, element('header', {}, element('h3', { id: 'decision-title' }, 'Decision')), reason && element('p', { class: 'reason' }, sentence(reason)), ...problems.map((problem) => element('pre', { class: 'problem', tabindex: '0' }, problem)), ...warnings.map((warning) => element('p', { class: 'warning' }, 'Warning: ', warning)), decisions.length > 0 &&\n        element('ul', { class: 'decisions card' }, ...decisions.map(decisionItem)));\n}\nfunction decisionItem({ trigger, fired, reason, checks, tally }) {\n    const tallied = tallyPart(tally);\n    return element('li', {}, element('p', { class: 'verdict' }, element('code', {}, trigger), element('span', { class: `outcome ${fired ? 'fired' : 'skipped'}` }, fired ? 'Fired' : 'Skipped'), checks.length === 0 && !tallied && element('span', {}, reason)), checks.length > 0 &&\n        element('ul', { class: 'checks' }, ...checks.map(({ option, held, found }) => element('li', { class: held ? 'held' : 'missed' }, element('span', { class: 'unseen' }, held ? 'held: ' : 'did not hold: '), element('code', {}, option), ' ', found))), tallied);\n}\nfunction isPrepared({ found, items }) {\n    const outputs = items.flatMap((context) => Object.values(context).flatMap((one) => (one.outcome === 'success' ? [one.outputs] : [])));\n    return found.length > 0 && JSON.stringify(found) !== JSON.stringify(outputs);\n}\nfunction foundSection(found) {\n    const title = `Before config: ${found.length === 1 ? '1 item' : `${found.length} items`}`;\n    return element('section', { 'aria-labelledby': 'found-title' }, element('header', {}, element('h3', { id: 'found-title' }, title)), element('div', { class: 'card' }, tree([...found], { label: 'Items before config' })));\n}\nfunction requestSection({ headers, body, encoding }) {\n    const rows = Object.entries(headers).map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value)));\n    return element('section', { 'aria-labelledby': 'request-title' }, element('header', {}, element('h3', { id: 'request-title' }, 'Request')), element('div', { class: 'card' }, element('dl', { class: 'headers' }, ...rows)), body !== '' &&\n        element('pre', { class: 'body', tabindex: '0', role: 'region', 'aria-label': 'Body' }, encoding === 'text' ? pretty(body) : body));\n}\nfunction pretty(body) {\n    if (!/^\\s*[[{]/.test(body) || /\\d{16}/.test(body))\n        return body;\n    try {\n        return JSON.stringify(JSON.parse(body), null, 2);\n    }\n    catch {\n        return body;\n    }\n}\nfunction sentence(text) {\n    const first = text.charAt(0).toUpperCase() + text.slice(1);\n    return /[.!?]$/.test(first) ? first : `${first}.`;\n}\n"],["dialogs.css",".dialog {\n  width: min(720px, calc(100vw - 2rem));\n  max-height: calc(100dvh - 2rem);\n  padding: 1.4rem;\n  border: 1px solid var(--line);\n  border-radius: 12px;\n  background: var(--surface);\n  color: inherit;\n  box-shadow: 0 20px 60px rgb(0 0 0 / 25%);\n}\n\n#help {\n  width: min(440px, calc(100vw - 2rem));\n}\n\n.dialog::backdrop {\n  background: rgb(10 15 20 / 45%);\n}\n\n.dialog h2 {\n  margin-bottom: 1rem;\n  font-size: 17px;\n}\n\n.address {\n  display: grid;\n  grid-template-columns: auto 1fr;\n  gap: 0.8rem;\n}\n\n.field {\n  margin-bottom: 0.9rem;\n}\n\n.field label {\n  display: block;\n  margin-bottom: 0.2rem;\n  color: var(--muted);\n  font-size: 13px;\n}\n\n.field input,\n.field select {\n  width: 100%;\n  height: 2.2rem;\n  padding: 0 0.6rem;\n}\n\n.hint {\n  margin-top: 0.25rem;\n  color: var(--muted);\n  font-size: 13px;\n}\n\n.buttons {\n  display: flex;\n  justify-content: flex-end;\n  gap: 0.6rem;\n  margin-top: 0.4rem;\n}\n\n.shortcuts div {\n  display: flex;\n  gap: 1rem;\n  padding: 0.15rem 0;\n}\n\n.shortcuts dt {\n  flex: none;\n  width: 8.5rem;\n}\n\n.shortcuts kbd {\n  margin: 0 0.3em 0 0;\n}\n\n.toggle {\n  display: block;\n  margin: 0.9rem 0;\n}\n\n.toast {\n  position: fixed;\n  bottom: 1.2rem;\n  left: 50%;\n  max-width: min(640px, calc(100vw - 2rem));\n  padding: 0.55rem 1rem;\n  border-radius: var(--radius);\n  background: light-dark(#1d2125, #e6e8ea);\n  color: light-dark(#fff, #14171a);\n  font-size: 14px;\n  overflow-wrap: anywhere;\n  opacity: 0;\n  pointer-events: none;\n  translate: -50% 0.6rem;\n}\n\n.toast.shown {\n  opacity: 1;\n  translate: -50% 0;\n}\n\n.toast code {\n  margin-left: 0.3rem;\n}\n\n@media (prefers-reduced-motion: no-preference) {\n  .toast {\n    transition:\n      opacity 0.15s,\n      translate 0.15s;\n  }\n}\n"],["editor.js","import { byId, element } from './element.js';\nconst METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];\nconst dialog = byId('editor', HTMLDialogElement);\nexport function edit(request, send) {\n    const fields = editorFields(request);\n    const submit = () => {\n        const { method, path, headers, body } = fields;\n        dialog.close();\n        send({\n            method: method.value,\n            path: path.value\n                .trim()\n                .replace(/^\\/+/, '')\n                .replace(/^webhook\\/(?=[^/]+\\/)/, ''),\n            headers: readHeaders(headers.value),\n            body: body.value,\n            encoding: request.encoding,\n        });\n    };\n    dialog.replaceChildren(editorForm(fields, request.encoding, submit));\n    dialog.showModal();\n    fields.body.focus();\n}\nfunction editorFields({ method, path, headers, body }) {\n    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);\n    const options = METHODS.map((name) => element('option', { selected: name === method }, name));\n    const plain = { spellcheck: 'false', autocomplete: 'off' };\n    const fields = {\n        method: element('select', { id: 'edit-method' }, ...options),\n        path: element('input', { id: 'edit-path', required: true, ...plain }),\n        headers: element('textarea', { id: 'edit-headers', rows: '6', ...plain }),\n        body: element('textarea', { id: 'edit-body', rows: '12', ...plain }),\n    };\n    fields.path.value = path;\n    fields.headers.value = lines.join('\\n');\n    fields.body.value = body;\n    return fields;\n}\nfunction editorForm(fields, encoding, submit) {\n    const form = element('form', { method: 'dialog', submit, keydown: submitOnEnter }, element('h2', { id: 'editor-title' }, 'Edit and replay'), element('div', { class: 'address' }, labelled('Method', fields.method), labelled('Path', fields.path)), labelled('Headers', fields.headers, 'One a line. *** stands for a hidden value, which is put in again.'), labelled(encoding === 'text' ? 'Body' : 'Body, as base64', fields.body), element('div', { class: 'buttons' }, element('button', { type: 'button', class: 'quiet', click: () => dialog.close() }, 'Cancel'), element('button', { type: 'submit', class: 'primary' }, 'Send', element('kbd', {}, 'Ctrl ↵'))));\n    return form;\n}\nfunction submitOnEnter(event) {\n    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))\n        event.currentTarget.requestSubmit();\n}\nfunction labelled(label, field, hint) {\n    if (hint)\n        field.setAttribute('aria-describedby', `${field.id}-hint`);\n    return element('div', { class: 'field' }, element('label', { for: field.id }, label), field, hint && element('p', { id: `${field.id}-hint`, class: 'hint' }, hint));\n}\nfunction readHeaders(text) {\n    const lines = text.split('\\n').flatMap((line) => {\n        const at = line.indexOf(':');\n        return at > 0 ? [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]] : [];\n    });\n    return Object.fromEntries(lines);\n}\n"],["element.js","export function element(tag, attributes = {}, ...children) {\n    const made = document.createElement(tag);\n    for (const [name, value] of Object.entries(attributes)) {\n        const listener = (value);\n        if (typeof value === 'function')\n            made.addEventListener(name, listener);\n        else if (value !== false)\n            made.setAttribute(name, value === true ? '' : value);\n    }\n    made.append(...shown(children));\n    return made;\n}\nfunction shown(children) {\n    return children\n        .flat()\n        .filter((child) => child !== null && child !== undefined && child !== false)\n        .map((child) => (child instanceof Node ? child : String(child)));\n}\nexport function byId(id, kind) {\n    const found = document.getElementById(id);\n    if (found instanceof kind)\n        return found;\n    throw new Error(`the page has no ${id}`);\n}\n"],["empty.css",".empty {\n  max-width: 720px;\n  margin: 8vh auto 0;\n}\n\n.empty h2 {\n  font-size: 22px;\n  font-weight: 600;\n  letter-spacing: -0.015em;\n}\n\n.empty h3 {\n  margin: 2.2rem 0 0.5rem;\n  font-size: 14px;\n}\n\n.empty > p {\n  margin: 0.5rem 0 0.9rem;\n  color: var(--muted);\n}\n\n.curl {\n  display: flex;\n  align-items: flex-start;\n  gap: 0.6rem;\n}\n\n.curl pre {\n  flex: 1;\n  min-width: 0;\n  white-space: pre-wrap;\n  overflow-wrap: anywhere;\n}\n\n.addresses {\n  border: 1px solid var(--line);\n  border-radius: var(--radius);\n  background: var(--surface);\n}\n\n.addresses li {\n  display: flex;\n  align-items: baseline;\n  gap: 0.8rem;\n  padding: 0.4rem 0.6rem 0.4rem 1rem;\n}\n\n.addresses li + li {\n  border-top: 1px solid var(--line);\n}\n\n.addresses button {\n  margin-left: auto;\n}\n\n.addresses .method {\n  min-width: 3.6rem;\n}\n\n.addresses code {\n  min-width: 0;\n  overflow-wrap: anywhere;\n}\n\n.empty .problem {\n  margin-top: 1.2rem;\n}\n"],["empty.js","import { element } from './element.js';\nimport { copy } from './toast.js';\nconst EXAMPLE = `# workflows/hook.yml\non:\n  webhook:\n    method: post\n`;\nexport function emptyView({ triggers, problems }) {\n    const [first] = triggers;\n    return [\n        element('div', { class: 'empty' }, element('h2', {}, first ? 'Waiting for the first request' : 'No trigger is waiting'), ...(first ? firstSteps(first.curl) : noTrigger()), triggers.length > 0 && triggerList(triggers), ...problems.map((problem) => element('pre', { class: 'problem', tabindex: '0' }, problem))),\n    ];\n}\nfunction firstSteps(curl) {\n    return [\n        element('p', {}, 'Paste this into a terminal, and it appears here:'),\n        element('div', { class: 'curl' }, element('pre', { tabindex: '0', role: 'region', 'aria-label': 'Command' }, curl), element('button', { type: 'button', click: () => void copy(curl, 'the command') }, 'Copy')),\n    ];\n}\nfunction noTrigger() {\n    return [\n        element('p', {}, 'Put a workflow file into the folder workflows. This is the smallest one:'),\n        element('pre', { class: 'body', tabindex: '0' }, EXAMPLE),\n        element('p', {}, 'It takes effect at once; reload this page for its address.'),\n    ];\n}\nfunction triggerList(triggers) {\n    const rows = triggers.map(({ method, url, curl }) => element('li', {}, element('span', { class: 'method' }, method), element('code', {}, url), element('button', {\n        type: 'button',\n        class: 'quiet',\n        'aria-label': `Copy curl for ${method} ${url}`,\n        click: () => void copy(curl, 'the command'),\n    }, 'Copy curl')));\n    return element('div', {}, element('h3', {}, 'Addresses'), element('ul', { class: 'addresses' }, ...rows));\n}\n"],["expression.js","const RESERVED = new Set([\n    'triggered',\n    'trigger',\n    'workflow',\n    'count',\n    'on',\n    'items',\n    'delivery',\n    'received-at',\n]);\nexport function onExpression({ trigger, path, value }) {\n    return wrapped(asText(`on${steps([trigger, 'outputs', ...path])}`, value));\n}\nexport function stepExpression(place, id) {\n    const { trigger, path, value, item } = place;\n    const outputs = `steps${steps([id, 'outputs'])}`;\n    const own = ownOutput(place);\n    if (own !== undefined)\n        return wrapped(fieldExpression(`${outputs}${step(own)}`, path, value));\n    const all = item === 0 ? `fromJSON(${outputs}.on)` : `fromJSON(${outputs}.items)[${item}]`;\n    return wrapped(asText(`${all}${steps([trigger, 'outputs', ...path])}`, value));\n}\nfunction ownOutput({ path: [field], item, fields }) {\n    const isOwn = item === 0 && typeof field === 'string' && fields.includes(field);\n    return isOwn && !RESERVED.has(field) ? field : undefined;\n}\nfunction fieldExpression(output, [, ...below], value) {\n    if (below.length > 0)\n        return asText(`fromJSON(${output})${steps(below)}`, value);\n    return typeof value === 'string' || isStructure(value) ? output : `fromJSON(${output})`;\n}\nfunction asText(expression, value) {\n    return isStructure(value) ? `toJSON(${expression})` : expression;\n}\nfunction isStructure(value) {\n    return typeof value === 'object' && value !== null;\n}\nfunction steps(path) {\n    return path.map(step).join('');\n}\nfunction step(key) {\n    if (typeof key === 'number')\n        return `[${key}]`;\n    return /^[A-Za-z_][\\w-]*$/.test(key) ? `.${key}` : `['${key.replaceAll(\"'\", \"''\")}']`;\n}\nfunction wrapped(expression) {\n    return `\\${{ ${expression} }}`;\n}\n"],["frame.css",".skip:not(:focus) {\n  position: absolute;\n  clip-path: inset(50%);\n}\n\n.bar {\n  display: flex;\n  align-items: center;\n  gap: var(--gap);\n  padding: 0.6rem 1.1rem;\n  border-bottom: 1px solid var(--line);\n  background: var(--surface);\n}\n\n.bar h1 {\n  display: flex;\n  align-items: center;\n  gap: 0.5rem;\n  font-size: 16px;\n  font-weight: 650;\n  letter-spacing: -0.01em;\n}\n\n.bar h1 span {\n  color: var(--muted);\n  font-weight: 450;\n}\n\n.bar svg {\n  width: 22px;\n  fill: none;\n  stroke: var(--accent);\n  stroke-width: 2.8;\n  stroke-linecap: round;\n  stroke-linejoin: round;\n}\n\n.connection {\n  display: flex;\n  align-items: center;\n  gap: 0.45rem;\n  margin-right: auto;\n  color: var(--muted);\n  font-size: 13px;\n}\n\n.connection::before {\n  width: 8px;\n  height: 8px;\n  border-radius: 50%;\n  background: var(--skipped);\n  content: \"\";\n}\n\n.connection[data-state=\"live\"]::before {\n  background: var(--fired);\n}\n\n.connection[data-state=\"lost\"] {\n  color: var(--mistaken);\n}\n\n.connection[data-state=\"lost\"]::before {\n  background: var(--mistaken);\n}\n\n.panes {\n  display: grid;\n  grid-template-columns: minmax(300px, 390px) minmax(0, 1fr);\n  flex: 1;\n  min-height: 0;\n}\n"],["icon.svg","<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 32 32\"><title>Hookline</title><rect width=\"32\" height=\"32\" rx=\"7\" fill=\"#0f6e63\"/><path d=\"M20 9v9a5.5 5.5 0 0 1-11 0v-2m0 0-2.5 2.5M9 16l2.5 2.5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2.6\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/><circle cx=\"20\" cy=\"7.5\" r=\"2.2\" fill=\"#fff\"/></svg>\n"],["index.html","<!doctype html>\n<html lang=\"en\">\n  <head>\n    <meta charset=\"utf-8\">\n    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n    <meta name=\"color-scheme\" content=\"light dark\">\n    <title>Hookline dev</title>\n    <link rel=\"icon\" href=\"/inspector/icon.svg\">\n    <link rel=\"stylesheet\" href=\"/inspector/base.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/controls.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/frame.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/list.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/detail.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/outputs.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/empty.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/dialogs.css\">\n    <link rel=\"stylesheet\" href=\"/inspector/narrow.css\">\n    <script type=\"module\" src=\"/inspector/main.js\"></script>\n  </head>\n  <body>\n    <a class=\"skip\" href=\"#detail\">Skip to the request</a>\n    <header class=\"bar\">\n      <h1>\n        <svg viewBox=\"0 0 32 32\" aria-hidden=\"true\">\n          <path d=\"M20 5v13a7 7 0 0 1-14 0v-3m0 0-3 3m3-3 3 3\" />\n          <circle cx=\"20\" cy=\"4\" r=\"2.5\" />\n        </svg>\n        Hookline <span>dev</span>\n      </h1>\n      <p id=\"connection\" class=\"connection\" role=\"status\" data-state=\"connecting\">Connecting</p>\n      <button id=\"help-button\" class=\"quiet\" type=\"button\">Shortcuts <kbd>?</kbd></button>\n    </header>\n    <div class=\"panes\">\n      <nav class=\"list\" aria-label=\"Requests\">\n        <div class=\"filter\">\n          <label class=\"unseen\" for=\"filter\">Filter requests</label>\n          <input id=\"filter\" type=\"search\" placeholder=\"Filter: path, trigger, fired, post\" autocomplete=\"off\" spellcheck=\"false\">\n          <kbd aria-hidden=\"true\">/</kbd>\n        </div>\n        <p id=\"tally\" class=\"tally\" role=\"status\"></p>\n        <ol id=\"rows\" class=\"rows\"></ol>\n      </nav>\n      <main id=\"detail\" class=\"detail\" tabindex=\"-1\"></main>\n    </div>\n    <div id=\"toast\" class=\"toast\" role=\"status\"></div>\n    <dialog id=\"editor\" class=\"dialog\" aria-labelledby=\"editor-title\"></dialog>\n    <dialog id=\"help\" class=\"dialog\" aria-labelledby=\"help-title\"></dialog>\n    <noscript>The inspector shows requests as they come, which takes JavaScript.</noscript>\n  </body>\n</html>\n"],["keys.js","import { byId, element } from './element.js';\nimport { keep, setting } from './settings.js';\nconst dialog = byId('help', HTMLDialogElement);\nlet enabled = setting('shortcuts') !== 'off';\nexport function listenForKeys(shortcuts) {\n    document.addEventListener('keydown', (event) => {\n        const { key, ctrlKey, metaKey, altKey, target } = event;\n        if (!enabled || ctrlKey || metaKey || altKey || isTyping(target))\n            return;\n        if (document.querySelector('dialog[open]'))\n            return;\n        const shortcut = shortcuts.find(({ keys }) => keys.includes(key));\n        if (!shortcut || belongsTo(target, key))\n            return;\n        event.preventDefault();\n        shortcut.run();\n    });\n}\nexport function showHelp(shortcuts) {\n    const rows = shortcuts.map(({ keys, label }) => element('div', {}, element('dt', {}, ...keys.map((key) => element('kbd', {}, key))), element('dd', {}, label)));\n    const toggle = element('input', {\n        type: 'checkbox',\n        checked: enabled,\n        change: () => enable(toggle.checked),\n    });\n    dialog.replaceChildren(element('form', { method: 'dialog' }, element('h2', { id: 'help-title' }, 'Shortcuts'), element('dl', { class: 'shortcuts' }, ...rows), element('p', { class: 'hint' }, 'Within a tree: arrow keys to move, Enter to copy the expression.'), element('label', { class: 'toggle' }, toggle, ' Single-key shortcuts'), element('div', { class: 'buttons' }, element('button', { type: 'submit', class: 'primary' }, 'Close'))));\n    dialog.showModal();\n}\nfunction enable(on) {\n    enabled = on;\n    keep('shortcuts', on ? 'on' : 'off');\n}\nfunction belongsTo(target, key) {\n    if (!(target instanceof Element))\n        return false;\n    if (key === 'Enter')\n        return target.matches('a, button');\n    return key.startsWith('Arrow') && !target.closest('.list');\n}\nfunction isTyping(target) {\n    return (target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, select'));\n}\n"],["list.css",".list {\n  display: flex;\n  flex-direction: column;\n  min-height: 0;\n  border-right: 1px solid var(--line);\n  background: var(--surface);\n}\n\n.filter {\n  position: relative;\n  padding: 0.8rem 0.8rem 0.4rem;\n}\n\n.filter input {\n  width: 100%;\n  padding: 0.4rem 2rem 0.4rem 0.7rem;\n  background: var(--ground);\n}\n\n.filter input::placeholder {\n  color: var(--muted);\n  opacity: 1;\n}\n\n.filter kbd {\n  position: absolute;\n  top: 1.25rem;\n  right: 1.4rem;\n}\n\n.filter input:focus + kbd,\n.filter input:not(:placeholder-shown) + kbd {\n  visibility: hidden;\n}\n\n.tally {\n  min-height: 1.5em;\n  padding: 0 1rem 0.4rem;\n  color: var(--muted);\n  font-size: 12.5px;\n}\n\n.rows {\n  flex: 1;\n  overflow-y: auto;\n  padding: 0 0.5rem 1rem;\n}\n\n.rows a {\n  display: block;\n  padding: 0.55rem 0.6rem;\n  border-radius: var(--radius);\n  text-decoration: none;\n}\n\n.rows a:hover {\n  background: var(--ground);\n}\n\n.rows a[aria-current] {\n  background: var(--accent-ground);\n}\n\n.rows a:focus-visible {\n  outline-offset: -2px;\n}\n\n@media (prefers-reduced-motion: no-preference) {\n  .rows a {\n    animation: arrive 0.6s ease-out;\n  }\n}\n\n@keyframes arrive {\n  from {\n    background: var(--accent-ground);\n  }\n}\n\n.line {\n  display: flex;\n  align-items: baseline;\n  gap: 0.55rem;\n}\n\n.line.second {\n  margin-top: 0.15rem;\n  color: var(--muted);\n  font-size: 12.5px;\n}\n\n.line .path,\n.line .trigger {\n  flex: 1;\n  overflow: hidden;\n  text-overflow: ellipsis;\n  white-space: nowrap;\n}\n\n.line time,\n.line .duration {\n  color: var(--muted);\n  font-size: 12px;\n  font-variant-numeric: tabular-nums;\n}\n\n.line .duration {\n  margin-left: auto;\n}\n\n.method {\n  color: var(--accent);\n  font-size: 12px;\n  font-weight: 600;\n}\n\n.outcome {\n  display: inline-flex;\n  align-items: center;\n  gap: 0.35rem;\n  color: var(--muted);\n  font-size: 12.5px;\n  font-weight: 550;\n  white-space: nowrap;\n}\n\n.outcome::before {\n  width: 7px;\n  height: 7px;\n  border: 1.5px solid currentColor;\n  border-radius: 50%;\n  content: \"\";\n}\n\n.outcome.fired {\n  color: var(--fired);\n}\n\n.outcome.fired::before {\n  background: currentColor;\n}\n\n.outcome.skipped {\n  color: var(--skipped);\n}\n\n.outcome.mistaken,\n.outcome.refused {\n  color: var(--mistaken);\n}\n\n.outcome.mistaken::before,\n.outcome.refused::before {\n  border-radius: 1px;\n  background: currentColor;\n}\n"],["list.js","import { element } from './element.js';\nconst WORDS = { fired: 'Fired', skipped: 'Skipped', mistaken: 'Mistake', refused: 'Refused' };\nexport function row(summary) {\n    const { id, method, path, trigger, reason, milliseconds, time, origin } = summary;\n    return element('li', { 'data-id': String(id) }, element('a', { href: `#${id}` }, element('span', { class: 'line' }, element('span', { class: 'method' }, origin === 'poll' ? 'POLL' : method), element('span', { class: 'path', title: path }, shownPath(summary)), element('time', { datetime: time }, clockTime(time))), element('span', { class: 'line second' }, outcome(summary), element('span', { class: 'trigger' }, reason ?? trigger), origin === 'replay' && element('span', { class: 'origin' }, 'replay'), element('span', { class: 'duration' }, duration(milliseconds)))));\n}\nexport function outcome({ outcome, count }) {\n    const items = outcome === 'fired' && count !== 1 ? ` ${count} items` : '';\n    return element('span', { class: `outcome ${outcome}` }, WORDS[outcome], items);\n}\nexport function shownPath({ path, workflow, trigger }) {\n    return path || [workflow, trigger].filter(Boolean).join('/') || 'unknown address';\n}\nexport function clockTime(time) {\n    return new Date(time).toLocaleTimeString([], { hour12: false });\n}\nexport function duration(milliseconds) {\n    return `${milliseconds < 10 ? milliseconds.toFixed(1) : milliseconds.toFixed(0)} ms`;\n}\nexport function matches({ method, path, workflow, trigger, outcome, origin, reason }, filter) {\n    const line = [method, path, workflow, trigger, outcome, origin, reason].join(' ').toLowerCase();\n    return filter\n        .toLowerCase()\n        .split(/\\s+/)\n        .every((word) => line.includes(word));\n}\n"],["main.js","import { act } from './actions.js';\nimport { follow } from './connection.js';\nimport { byId } from './element.js';\nimport { listenForKeys, showHelp } from './keys.js';\nimport { switchForm } from './outputs.js';\nimport { say } from './toast.js';\nimport * as view from './view.js';\nconst pane = byId('detail', HTMLElement);\nconst filter = byId('filter', HTMLInputElement);\nconst connection = byId('connection', HTMLElement);\nconst SHORTCUTS = [\n    { keys: ['j', 'ArrowDown'], label: 'Next request', run: () => view.step(1) },\n    { keys: ['k', 'ArrowUp'], label: 'Request before', run: () => view.step(-1) },\n    { keys: ['Enter', 'o'], label: 'Open it', run: view.openShown },\n    { keys: ['Escape', 'h'], label: 'Back to the list, follow the newest', run: view.back },\n    { keys: ['r'], label: 'Replay', run: () => act('replay') },\n    { keys: ['e'], label: 'Edit and replay', run: () => act('edit') },\n    { keys: ['c'], label: 'Copy as curl', run: () => act('curl') },\n    { keys: ['s'], label: 'Save as fixture', run: () => act('save') },\n    { keys: ['x'], label: 'Switch between on.… and steps.…', run: switchForm },\n    { keys: ['/'], label: 'Filter', run: () => filter.focus() },\n    { keys: ['?'], label: 'This help', run: () => showHelp(SHORTCUTS) },\n];\nlistenForKeys(SHORTCUTS);\nbyId('help-button', HTMLButtonElement).addEventListener('click', () => showHelp(SHORTCUTS));\nfilter.addEventListener('input', view.filterRows);\nfilter.addEventListener('keydown', ({ key }) => {\n    if (key === 'Escape' || key === 'Enter')\n        filter.blur();\n});\npane.addEventListener('click', ({ target }) => {\n    const button = target instanceof Element ? target.closest('[data-action]') : null;\n    if (button instanceof HTMLElement)\n        act(button.dataset.action ?? '');\n});\naddEventListener('hashchange', () => {\n    view.refresh();\n    if (location.hash.length > 1 && byId('rows', HTMLElement).offsetParent === null)\n        pane.focus();\n});\naddEventListener('focus', () => {\n    if (document.body.dataset.empty === 'true')\n        void view.showWelcome();\n});\nfollow({\n    connection(state) {\n        connection.dataset.state = state;\n        connection.textContent = state === 'live' ? 'Live' : 'Connection lost, trying again';\n    },\n    restarted() {\n        view.forgetAll();\n        say('hookline dev was started anew');\n    },\n    request: view.arrived,\n    oldest: view.forget,\n});\nview.refresh();\n"],["narrow.css","@media (max-width: 760px) {\n  .panes {\n    grid-template-columns: minmax(0, 1fr);\n  }\n\n  .list {\n    border-right: 0;\n  }\n\n  /* One at a time: the list, or the request that was chosen; before the first one, where to send it. */\n  [data-view=\"list\"] .rows:empty {\n    display: none;\n  }\n\n  [data-view=\"list\"] .list:has(.rows:not(:empty)) + .detail,\n  [data-view=\"list\"] .list:has(.rows:empty),\n  [data-view=\"detail\"] .list {\n    display: none;\n  }\n\n  .back {\n    display: inline-block;\n  }\n\n  .actions kbd,\n  .bar kbd {\n    display: none;\n  }\n\n  .empty {\n    margin-top: 1rem;\n  }\n\n  .curl {\n    flex-direction: column;\n  }\n\n  .curl pre {\n    align-self: stretch;\n  }\n\n  .headers div {\n    grid-template-columns: 1fr;\n    gap: 0;\n    padding-bottom: 0.45rem;\n  }\n\n  .address {\n    grid-template-columns: 1fr;\n    gap: 0;\n  }\n\n  .addresses li {\n    flex-wrap: wrap;\n    gap: 0 0.8rem;\n  }\n}\n"],["outputs.css",".forms {\n  display: flex;\n  align-items: center;\n  gap: 2px;\n  margin: 0;\n  padding: 2px;\n  border: 1px solid var(--line);\n  border-radius: 7px;\n  background: var(--surface);\n}\n\n.forms input[type=\"radio\"] {\n  position: absolute;\n  opacity: 0;\n}\n\n.forms span {\n  display: block;\n  padding: 0.1rem 0.6rem;\n  border-radius: 5px;\n  color: var(--muted);\n  font: 12.5px / 1.6 var(--mono);\n  cursor: pointer;\n}\n\n.forms input:checked + span {\n  background: var(--accent-ground);\n  color: var(--accent);\n}\n\n.forms input:focus-visible + span {\n  outline: 2px solid var(--accent);\n  outline-offset: 1px;\n}\n\n.step-id {\n  width: 8.5rem;\n  padding: 0.05rem 0.4rem;\n  font-size: 12.5px;\n}\n\n.preview {\n  position: sticky;\n  z-index: 1;\n  top: -1.5rem;\n  display: block;\n  overflow: hidden;\n  padding: 0.5rem 1rem;\n  border-bottom: 1px solid var(--line);\n  border-radius: var(--radius) var(--radius) 0 0;\n  background: var(--surface);\n  color: var(--muted);\n  font-size: 12.5px;\n  text-overflow: ellipsis;\n  white-space: nowrap;\n}\n\n.tree {\n  padding: 0.5rem 0.4rem;\n  line-height: 1.5;\n}\n\n.tree ul {\n  margin-left: 0.95rem;\n  padding-left: 0.35rem;\n  border-left: 1px solid var(--line);\n}\n\n.tree [aria-expanded=\"false\"] + ul {\n  display: none;\n}\n\n.leaf {\n  display: flex;\n  gap: 0.6rem;\n  padding: 0.12rem 0.6rem 0.12rem 1.5rem;\n  outline-offset: -2px;\n  border-radius: 5px;\n  cursor: copy;\n}\n\n.leaf:hover {\n  background: var(--accent-ground);\n}\n\n.leaf.branch {\n  padding-left: 0;\n}\n\n.leaf.more {\n  color: var(--accent);\n  cursor: pointer;\n}\n\n.twisty {\n  flex: none;\n  width: 1.5rem;\n  margin-right: -0.6rem;\n  color: var(--muted);\n  text-align: center;\n  cursor: pointer;\n}\n\n.twisty::before {\n  display: inline-block;\n  content: \"›\" / \"\";\n}\n\n[aria-expanded=\"true\"] > .twisty::before {\n  rotate: 90deg;\n}\n\n.key {\n  flex: none;\n  max-width: 45%;\n  overflow-wrap: anywhere;\n}\n\n.value {\n  min-width: 0;\n  overflow-wrap: anywhere;\n  white-space: pre-wrap;\n}\n\n.value.string {\n  color: var(--string);\n}\n\n.value.number {\n  color: var(--number);\n}\n\n.value.boolean,\n.value.null {\n  color: var(--constant);\n}\n\n.value.size {\n  color: var(--muted);\n}\n\n.headers {\n  padding: 0.5rem 0;\n}\n\n.headers div {\n  display: grid;\n  grid-template-columns: minmax(8rem, 15rem) 1fr;\n  gap: 1rem;\n  padding: 0.15rem 1rem;\n}\n\n.headers dt {\n  color: var(--muted);\n  overflow-wrap: anywhere;\n}\n\n.headers dd {\n  min-width: 0;\n  overflow-wrap: anywhere;\n}\n"],["outputs.js","import { element } from './element.js';\nimport { onExpression, stepExpression } from './expression.js';\nimport { keep, setting } from './settings.js';\nimport { copy } from './toast.js';\nimport { tree } from './tree.js';\nconst form = {\n    native: setting('form') === 'steps',\n    id: setting('step') ?? 'hookline',\n};\nexport function switchForm() {\n    const [on, steps] = document.querySelectorAll('.forms input[type=radio]');\n    const next = form.native ? on : steps;\n    if (next instanceof HTMLInputElement)\n        next.click();\n}\nexport function outputsSection({ items, fields }) {\n    const preview = element('code', { class: 'preview' }, 'Click a value to copy its expression');\n    const shown = element('div');\n    const show = (item) => shown.replaceChildren(...trees({ context: items[item] ?? {}, item, fields }, preview));\n    show(0);\n    return element('section', { 'aria-labelledby': 'outputs-title' }, element('header', {}, element('h3', { id: 'outputs-title' }, 'Outputs'), items.length > 1 && itemChoice(items.length, show), formChoice()), element('div', { class: 'card' }, preview, shown));\n}\nfunction trees({ context, item, fields }, preview) {\n    const fired = Object.entries(context).filter(([, { outcome }]) => outcome === 'success');\n    return fired.map(([trigger, { outputs }]) => {\n        const expression = (path, value) => {\n            const place = { trigger, path, value, item, fields };\n            return form.native ? stepExpression(place, form.id) : onExpression(place);\n        };\n        return tree(outputs, {\n            label: `Outputs of ${trigger}`,\n            choose: (path, value) => void copy(expression(path, value), 'the expression'),\n            point: (path, value) => preview.replaceChildren(expression(path, value)),\n        });\n    });\n}\nfunction itemChoice(count, show) {\n    const change = ({ target }) => show(target.selectedIndex);\n    const options = Array.from({ length: count }, (_, at) => element('option', {}, `Item ${at + 1} of ${count}`));\n    return element('select', { 'aria-label': 'Item', change }, ...options);\n}\nfunction formChoice() {\n    const id = element('input', {\n        class: 'step-id',\n        'aria-label': 'id of the step that runs the action',\n        value: form.id,\n        spellcheck: 'false',\n        autocomplete: 'off',\n        input: () => {\n            form.id = id.value.trim() || 'hookline';\n            keep('step', form.id);\n        },\n    });\n    const choose = (native) => () => {\n        form.native = native;\n        keep('form', native ? 'steps' : 'on');\n        id.hidden = !native;\n    };\n    id.hidden = !form.native;\n    return element('fieldset', { class: 'forms' }, element('legend', { class: 'unseen' }, 'Form of copied expressions'), radio('on.…', 'for a workflow that hookline build compiles', !form.native, choose(false)), radio('steps.…', 'for a workflow that uses the action', form.native, choose(true)), id);\n}\nfunction radio(label, title, checked, change) {\n    const input = element('input', { type: 'radio', name: 'form', checked, change });\n    return element('label', { title }, input, element('span', {}, label));\n}\n"],["request-text.js","const OF_THE_CLIENT = new Set(['host', 'content-length', 'connection', 'accept-encoding']);\nexport function curlLine({ method, path, headers, body, encoding }, base) {\n    const given = Object.entries(headers).filter(([name]) => !OF_THE_CLIENT.has(name));\n    const binary = encoding === 'base64';\n    const options = [\n        ...(method === 'HEAD' ? ['--head'] : method === 'GET' && !body ? [] : ['-X', method]),\n        ...given.flatMap(([name, value]) => [\n            '-H',\n            quoted(value === '' ? `${name};` : `${name}: ${value}`),\n        ]),\n        ...(binary ? ['--data-binary', '@-'] : body ? ['--data-raw', quoted(body)] : []),\n    ];\n    const line = ['curl', ...options, quoted(`${base}/webhook/${path}`)].join(' ');\n    return binary ? `printf %s ${quoted(body)} | base64 -d | ${line}` : line;\n}\nexport function fixtureText({ method, path, headers, body, encoding }) {\n    const kept = Object.entries(headers).filter(([name, value]) => value !== '***' && !OF_THE_CLIENT.has(name));\n    const encoded = encoding === 'base64' ? { 'x-hookline-body-encoding': 'base64' } : {};\n    const fixture = { method, path, headers: { ...Object.fromEntries(kept), ...encoded }, body };\n    return `${JSON.stringify(fixture, null, 2)}\\n`;\n}\nexport function fixtureName({ method, path }) {\n    const place = path.replace(/\\?.*$/s, '').replace(/[^\\w.-]+/g, '-');\n    return `${method.toLowerCase()}-${place}`.slice(0, 80).replace(/-+$/, '').concat('.json');\n}\nfunction quoted(text) {\n    return `'${text.replaceAll(\"'\", \"'\\\\''\")}'`;\n}\n"],["settings.js","export function setting(name) {\n    try {\n        return localStorage.getItem(`hookline-${name}`);\n    }\n    catch {\n        return null;\n    }\n}\nexport function keep(name, value) {\n    try {\n        localStorage.setItem(`hookline-${name}`, value);\n    }\n    catch {\n    }\n}\n"],["tally.js","import { element } from './element.js';\nexport function tallyPart(tally) {\n    if (!tally || (tally.found === 1 && tally.account.length === 0))\n        return null;\n    const { found, handedOn, account } = tally;\n    const counts = `${found} ${found === 1 ? 'item' : 'items'} found, ${handedOn} handed on`;\n    return element('div', { class: 'account' }, element('p', {}, counts), account.length > 0 &&\n        element('ul', { 'aria-label': 'config' }, ...account.map((step) => element('li', {}, step))));\n}\n"],["toast.js","import { byId, element } from './element.js';\nconst toast = byId('toast', HTMLElement);\nlet timer;\nexport function say(text, code) {\n    toast.replaceChildren(text, ...(code ? [' ', element('code', {}, code)] : []));\n    toast.classList.add('shown');\n    clearTimeout(timer);\n    timer = setTimeout(() => toast.classList.remove('shown'), 3500);\n}\nexport async function copy(text, what) {\n    try {\n        await navigator.clipboard.writeText(text);\n        say(`Copied ${what}`, text.length > 200 ? `${text.slice(0, 200)}…` : text);\n    }\n    catch {\n        say('The browser did not let me copy:', text);\n    }\n}\n"],["tree.js","import { element } from './element.js';\nconst PAGE = 100;\nconst OPEN = { levels: 4, children: 12 };\nconst CLOSED = new Set(['headers']);\nconst SHOWN = 2000;\nexport function tree(root, options) {\n    const list = element('ul', { class: 'tree', role: 'tree', 'aria-label': options.label });\n    list.append(...children(root, [], options));\n    list.querySelector('[role=treeitem]')?.setAttribute('tabindex', '0');\n    list.addEventListener('keydown', (event) => onKey(event, list));\n    list.addEventListener('focusin', ({ target }) => rove(list, (target)));\n    return list;\n}\nfunction children(parent, path, options, from = 0) {\n    const all = Array.isArray(parent) ? [...parent.entries()] : Object.entries(parent);\n    const items = all\n        .slice(from, from + PAGE)\n        .map(([key, value]) => treeItem(key, value, [...path, key], options));\n    const left = all.length - from - PAGE;\n    if (left > 0)\n        items.push(moreItem(left, () => children(parent, path, options, from + PAGE)));\n    return items;\n}\nfunction treeItem(key, value, path, options) {\n    const branch = isBranch(value);\n    const item = element('div', { class: 'leaf', role: 'treeitem', tabindex: '-1', 'aria-level': String(path.length) }, branch && element('span', { class: 'twisty', 'aria-hidden': 'true' }), element('span', { class: 'key' }, `${key}:`), ' ', valueText(value));\n    listen(item, path, value, options);\n    return element('li', { role: 'none' }, item, branch && group(item, value, path, options));\n}\nfunction listen(item, path, value, { choose, point }) {\n    item.addEventListener('click', ({ target }) => {\n        if (!choose || (target instanceof Element && target.matches('.twisty')))\n            toggle(item);\n        else\n            choose(path, value);\n    });\n    item.addEventListener('mouseenter', () => point?.(path, value));\n    item.addEventListener('focus', () => point?.(path, value));\n}\nfunction group(item, value, path, options) {\n    const list = element('ul', { role: 'group' });\n    const small = path.length < OPEN.levels && Object.keys(value).length <= OPEN.children;\n    item.classList.add('branch');\n    item.addEventListener('open', () => {\n        if (list.childElementCount === 0)\n            list.append(...children(value, path, options));\n    });\n    setOpen(item, small && !CLOSED.has(String(path[0])));\n    return list;\n}\nfunction moreItem(left, next) {\n    const item = element('div', { class: 'leaf more', role: 'treeitem', tabindex: '-1' }, `${left} more…`);\n    const line = element('li', { role: 'none' }, item);\n    item.addEventListener('click', () => {\n        const shown = next();\n        line.replaceWith(...shown);\n        const first = shown[0]?.firstElementChild;\n        if (first instanceof HTMLElement)\n            first.focus();\n    });\n    return line;\n}\nfunction valueText(value) {\n    if (isBranch(value)) {\n        const size = Object.keys(value).length;\n        const text = Array.isArray(value) ? `[${size}]` : `{${size}}`;\n        return element('span', { class: 'value size' }, text);\n    }\n    const kind = value === null ? 'null' : typeof value;\n    if (typeof value !== 'string')\n        return element('span', { class: `value ${kind}` }, String(value));\n    const cut = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;\n    return element('span', { class: 'value string' }, cut === '' ? '\"\"' : cut);\n}\nfunction isBranch(value) {\n    return typeof value === 'object' && value !== null && Object.keys(value).length > 0;\n}\nfunction toggle(item) {\n    setOpen(item, item.getAttribute('aria-expanded') !== 'true');\n}\nfunction setOpen(item, open) {\n    item.setAttribute('aria-expanded', String(open));\n    if (open)\n        item.dispatchEvent(new Event('open'));\n}\nfunction onKey(event, list) {\n    const item = document.activeElement;\n    if (!(item instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.altKey)\n        return;\n    const action = KEYS.get(event.key);\n    if (!action || item.getAttribute('role') !== 'treeitem')\n        return;\n    event.preventDefault();\n    event.stopPropagation();\n    action(item, list);\n}\nconst KEYS = new Map([\n    ['ArrowDown', (item, list) => move(item, list, 1)],\n    ['ArrowUp', (item, list) => move(item, list, -1)],\n    ['ArrowRight', (item, list) => (isClosed(item) ? toggle(item) : move(item, list, 1))],\n    ['ArrowLeft', (item) => (isOpen(item) ? toggle(item) : parentOf(item)?.focus())],\n    ['Enter', (item) => item.click()],\n    [' ', (item) => item.click()],\n]);\nfunction isClosed(item) {\n    return item.getAttribute('aria-expanded') === 'false';\n}\nfunction isOpen(item) {\n    return item.getAttribute('aria-expanded') === 'true';\n}\nfunction parentOf(item) {\n    const above = item.closest('[role=group]')?.previousElementSibling;\n    return above instanceof HTMLElement ? above : undefined;\n}\nfunction move(item, list, by) {\n    const all = list.querySelectorAll('[role=treeitem]');\n    const visible = [...all].filter((one) => one.offsetParent !== null);\n    visible[visible.findIndex((one) => item.isSameNode(one)) + by]?.focus();\n}\nfunction rove(list, target) {\n    for (const item of list.querySelectorAll('[tabindex=\"0\"]'))\n        item.setAttribute('tabindex', '-1');\n    target.closest('[role=treeitem]')?.setAttribute('tabindex', '0');\n}\n"],["view.js","import { loadDetail, welcome } from './connection.js';\nimport { detailView } from './detail.js';\nimport { byId } from './element.js';\nimport { emptyView } from './empty.js';\nimport { matches, row, shownPath } from './list.js';\nconst rows = byId('rows', HTMLOListElement);\nconst pane = byId('detail', HTMLElement);\nconst filter = byId('filter', HTMLInputElement);\nconst tally = byId('tally', HTMLElement);\nconst summaries = new Map();\nlet shown;\nlet awaited = '';\nlet isWaiting = false;\nexport function shownDetail() {\n    return shown;\n}\nexport function arrived(summary) {\n    summaries.set(summary.id, summary);\n    const line = row(summary);\n    line.hidden = !matches(summary, filter.value);\n    rows.prepend(line);\n    if (summary.delivery === awaited)\n        choose(summary.id);\n    else\n        refreshSoon();\n}\nexport function forget(oldest) {\n    for (const id of summaries.keys()) {\n        if (id >= oldest)\n            break;\n        summaries.delete(id);\n        rows.querySelector(`[data-id=\"${id}\"]`)?.remove();\n    }\n}\nexport function forgetAll() {\n    forget(Number.POSITIVE_INFINITY);\n    location.hash = '';\n    refreshSoon();\n}\nexport function choose(id) {\n    awaited = '';\n    if (chosen() === id)\n        refresh();\n    else\n        location.hash = String(id);\n}\nexport function chooseDelivery(delivery) {\n    const already = [...summaries.values()].find((summary) => summary.delivery === delivery);\n    if (already)\n        choose(already.id);\n    else\n        awaited = delivery;\n}\nexport function step(by) {\n    const lines = visible();\n    const current = wanted();\n    const next = lines[lines.findIndex(({ id }) => id === current) + by];\n    if (!next)\n        return;\n    choose(next.id);\n    const line = rows.querySelector(`[data-id=\"${next.id}\"] a`);\n    line?.scrollIntoView({ block: 'nearest' });\n    if (line instanceof HTMLElement && rows.contains(document.activeElement))\n        line.focus();\n}\nexport function openShown() {\n    if (shown)\n        choose(shown.id);\n    pane.focus();\n}\nexport function back() {\n    location.hash = '';\n    const line = rows.querySelector('[aria-current]');\n    if (line instanceof HTMLElement)\n        line.focus();\n}\nexport function filterRows() {\n    for (const summary of summaries.values()) {\n        const line = rows.querySelector(`[data-id=\"${summary.id}\"]`);\n        if (line instanceof HTMLElement)\n            line.hidden = !matches(summary, filter.value);\n    }\n    refresh();\n}\nexport function refresh() {\n    const lines = visible();\n    const current = wanted();\n    for (const line of rows.children) {\n        const isCurrent = line.getAttribute('data-id') === String(current);\n        if (isCurrent)\n            line.firstElementChild?.setAttribute('aria-current', 'true');\n        else\n            line.firstElementChild?.removeAttribute('aria-current');\n    }\n    document.body.dataset.view = chosen() ? 'detail' : 'list';\n    document.body.dataset.empty = String(summaries.size === 0);\n    tally.textContent = tallyText(lines.length);\n    if (current !== shown?.id || current === 0)\n        void show(current);\n}\nfunction refreshSoon() {\n    if (isWaiting)\n        return;\n    isWaiting = true;\n    setTimeout(() => {\n        isWaiting = false;\n        refresh();\n    }, 16);\n}\nfunction chosen() {\n    return Number(location.hash.slice(1)) || 0;\n}\nfunction wanted() {\n    return chosen() || visible()[0]?.id || 0;\n}\nfunction visible() {\n    const newestFirst = [...summaries.values()].reverse();\n    return newestFirst.filter((summary) => matches(summary, filter.value));\n}\nfunction tallyText(count) {\n    if (summaries.size === 0)\n        return 'Requests appear here as they come.';\n    const all = `${summaries.size} ${summaries.size === 1 ? 'request' : 'requests'}`;\n    if (count !== summaries.size)\n        return `${count} of ${all}`;\n    return chosen() ? all : `${all}, following the newest`;\n}\nasync function show(id) {\n    const detail = id === 0 ? undefined : await loadDetail(id);\n    if (wanted() !== id)\n        return;\n    shown = detail;\n    document.title = detail ? `${detail.method} ${shownPath(detail)} · Hookline dev` : 'Hookline dev';\n    if (detail)\n        pane.replaceChildren(...detailView(detail));\n    else if (id !== 0)\n        pane.replaceChildren('This request is no longer kept.');\n    else if (summaries.size > 0)\n        pane.replaceChildren('No request matches the filter.');\n    else\n        await showWelcome();\n    pane.scrollTop = 0;\n}\nexport async function showWelcome() {\n    const view = await welcome().then(emptyView, () => ['hookline dev does not answer.']);\n    if (summaries.size === 0)\n        pane.replaceChildren(...view);\n}\n"]])

;// CONCATENATED MODULE: ./build/inspector/dev-server.js


















/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' };
/** Milliseconds between two looks at what is due; GitHub's own schedule is five minutes at least. */
const POLL_PAUSE = 5000;
/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
async function serveDev(options) {
    const { host, port, env, workflows, report } = options;
    const recorder = new Recorder();
    const platform = { workflows, engine: devEngine(env), now: () => performance.now() };
    const stage = { ...options, recorder, platform };
    const ports = devPorts(stage, 'request', await devCredentials(host, env));
    const again = devPorts(stage, 'replay', credentials/* noToken */.fC);
    const replay = (request) => (0,relay/* relay */.E)(request, again);
    const parts = {
        recorder,
        files: INSPECTOR_FILES,
        run: crypto.randomUUID(),
        key: crypto.randomUUID(),
        welcome: (base) => welcome(base, workflows),
        replay,
    };
    const inspector = inspectorServer(parts, report);
    const { route } = inspector;
    const server = await (0,node/* serveRelay */.v)({ host: host ?? 'localhost', port, ports, route });
    let stopPolling = async () => { };
    return {
        url: server.url,
        poll() {
            stopPolling = (0,local_engine/* repeat */.ux)(localPoller(stage), POLL_PAUSE, report);
        },
        async replayNewest() {
            const request = newestRequest(recorder.after(0));
            return request && replay(request);
        },
        async close() {
            inspector.close();
            await Promise.all([server.close(), stopPolling()]);
        },
    };
}
/** Every run has an id of its own; what is seen is remembered as long as the process lives. */
function devEngine(env) {
    const store = (0,state/* createStore */.y$)(memoryBackend());
    const engine = (0,ports/* enginePorts */.r1)(env.HOOKLINE_MESSAGING_API_URL || inputs/* DEFAULT_MESSAGING_API_URL */.wp, { store });
    return () => ({ ...engine, run: { id: crypto.randomUUID(), at: Date.now() } });
}
function devPorts(stage, origin, credentials) {
    return {
        dispatch: localDispatch(stage, origin),
        credentials,
        repository: LOCAL,
        now: config/* systemClock */.ml.now,
        newDelivery: () => crypto.randomUUID(),
        log: (entry) => {
            if (entry.status >= 400)
                stage.recorder.add(describeRefusal(entry));
        },
        report: stage.report,
    };
}
/** Evaluates here what would be dispatched, and tells and records what came of it. */
function localDispatch({ platform, recorder, tell }, origin) {
    return async ({ clientPayload }) => {
        const payload = (0,wire_payload/* readClientPayload */.yo)((0,json/* parseJson */.qF)(clientPayload));
        const time = config/* systemClock */.ml.now();
        const event = await (0,local_engine/* runLocally */.gm)(payload, platform);
        const { unlisted, withheld } = await describeRequest(event, payload, { time, origin });
        recorder.add(unlisted, withheld);
        tell(event);
        return { tries: 1 };
    };
}
function localPoller({ platform, recorder, tell }) {
    return (0,local_engine/* poller */.Ff)(platform, (event) => {
        recorder.add(describeEvent(event, { time: config/* systemClock */.ml.now(), origin: 'poll' }));
        tell(event);
    });
}
function welcome(base, workflows) {
    const { found, problems } = (0,local_engine/* readAllWorkflows */.Ox)(() => workflows({}));
    const triggers = (0,local_engine/* foundTriggers */.YG)(base, found).flatMap(({ workflow, trigger, url, example }) => {
        if (!example)
            return [];
        const curl = (0,local_engine/* curlLine */.R8)(url, example);
        return { workflow, trigger, method: example.method, url: url + example.path, curl };
    });
    return { triggers, problems: problems.map((problem) => (0,code_frame/* renderProblem */.y)(problem)) };
}
/** @throws UserError when the server is opened without a key */
async function devCredentials(host, env) {
    if (host === undefined)
        return credentials/* noToken */.fC;
    return (0,access_keys/* heldToken */.b)((0,config/* readAccessKeys */.R1)(env.HOOKLINE_KEYS), undefined);
}


/***/ })

};
