export const id = 325;
export const ids = [325];
export const modules = {

/***/ 35325:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  describeBot: () => (/* binding */ describeBot)
});

// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(58500);
// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(77934);
// EXTERNAL MODULE: ./build/action/inputs.js
var inputs = __webpack_require__(7126);
// EXTERNAL MODULE: ./build/protocol/errors.js
var errors = __webpack_require__(2546);
// EXTERNAL MODULE: ./build/protocol/secret.js
var protocol_secret = __webpack_require__(52977);
// EXTERNAL MODULE: ./build/protocol/webhook-url.js
var webhook_url = __webpack_require__(53428);
// EXTERNAL MODULE: ./build/triggers/messaging-bot/bot-api.js + 1 modules
var bot_api = __webpack_require__(94381);
// EXTERNAL MODULE: ./build/protocol/json.js + 7 modules
var json = __webpack_require__(22947);
// EXTERNAL MODULE: ./build/triggers/messaging-bot/conditions.js
var conditions = __webpack_require__(42581);
;// CONCATENATED MODULE: ./build/triggers/messaging-bot/set-webhook.js



function setWebhookBody({ url, secretToken, updates }) {
    const secret = secretToken === undefined ? {} : { secret_token: secretToken };
    return { url, ...secret, allowed_updates: (0,conditions/* firingKinds */.B)({ updates: [...updates] }) };
}
/** @throws UserError with what the Bot API says against it */
async function setWebhook(bot, registration) {
    await (0,bot_api/* callBotOrThrow */.DT)(bot, 'setWebhook', setWebhookBody(registration));
}
/** @throws UserError when the Bot API gives no answer */
async function getWebhookInfo(bot) {
    const result = await (0,bot_api/* callBotOrThrow */.DT)(bot, 'getWebhookInfo', {});
    const info = (0,json/* isObject */.Gv)(result) ? result : {}; // parsed from JSON
    return {
        url: set_webhook_text(info.url).replace(/[?#].*$/s, ''),
        pending: typeof info.pending_update_count === 'number' ? info.pending_update_count : 0,
        lastError: lastError(info),
        updates: Array.isArray(info.allowed_updates) ? info.allowed_updates.map(set_webhook_text) : [],
    };
}
function lastError({ last_error_date: date, last_error_message: message }) {
    if (typeof date !== 'number')
        return undefined;
    return { at: new Date(date * 1000).toISOString(), message: set_webhook_text(message) };
}
function set_webhook_text(value) {
    return typeof value === 'string' ? value : '';
}

// EXTERNAL MODULE: ./build/triggers/messaging-bot/update-kinds.js
var update_kinds = __webpack_require__(84356);
// EXTERNAL MODULE: ./build/workflow/suggestion.js + 1 modules
var suggestion = __webpack_require__(84637);
// EXTERNAL MODULE: ./build/entries/http.js + 1 modules
var http = __webpack_require__(36477);
// EXTERNAL MODULE: ./build/entries/cli/webhook-lines.js
var webhook_lines = __webpack_require__(66857);
;// CONCATENATED MODULE: ./build/entries/cli/bot-webhook.js












/**
 * A bot's webhook URL and its setWebhook call; with `set`, makes the call. What the bot API knows of
 * the webhook is shown when the token is there.
 *
 * @throws UserError when a token that is needed is not in the environment, or the bot API refuses
 */
async function describeBot(bare, { updates, set = false }, env) {
    const kinds = updates.map(updateKind);
    const bot = env.BOT_TOKEN ? botFrom(env, env.BOT_TOKEN) : undefined;
    if (set)
        await register(bot, bare, kinds, env);
    const url = (0,webhook_url/* withToken */.u)(bare, webhook_lines/* TOKEN_VARIABLE */.bG);
    const body = setWebhookBody({ url, secretToken: '$BOT_SECRET', updates: kinds });
    const call = { method: 'POST', url: `${apiFrom(env)}/bot$BOT_TOKEN/setWebhook`, body };
    const webhook = bot && (await getWebhookInfo(bot));
    const state = webhook ? infoText(webhook, bare) : 'unknown: set BOT_TOKEN to ask the bot API';
    const title = set ? 'Webhook, as it was just set' : 'Webhook now';
    const text = (0,webhook_lines/* lines */.Mn)('Webhook URL', url, 'Register it', curlLine(call.url, body), title, state);
    return { text, url, setWebhook: call, set, webhook: webhook ?? null };
}
async function register(bot, bare, updates, { HOOKLINE_TOKEN, BOT_SECRET }) {
    if (!bot)
        throw missing('BOT_TOKEN', 'the token of the bot, as BotFather gives it');
    if (!HOOKLINE_TOKEN)
        throw missing('HOOKLINE_TOKEN', 'what the URL carries in __token');
    const url = (0,webhook_url/* withToken */.u)(bare, encodeURIComponent(HOOKLINE_TOKEN));
    await setWebhook(bot, { url, secretToken: BOT_SECRET || undefined, updates });
}
function botFrom(env, token) {
    if (!/^\d+:[\w-]+$/.test(token)) {
        throw new errors/* UserError */.y({ message: 'BOT_TOKEN is no bot token: digits, a colon and a string' });
    }
    const hidden = [env.HOOKLINE_TOKEN, env.BOT_SECRET].flatMap((text) => text || []);
    const api = apiFrom(env);
    return { token: new protocol_secret/* Secret */.zh(token), api, http: hiding(hidden), sleep: (ms) => (0,promises_.setTimeout)(ms) };
}
/** Calls the bot API, whose answers may hold what it was given: the secrets are taken out of them. */
function hiding(secrets) {
    return async (request) => {
        const reply = await (0,http/* http */.L)(request);
        const text = secrets.reduce((rest, secret) => (0,bot_api/* withoutSecret */.Nt)(rest, new protocol_secret/* Secret */.zh(secret)), reply.text);
        return { ...reply, text };
    };
}
function apiFrom(env) {
    return (env.HOOKLINE_MESSAGING_API_URL || inputs/* DEFAULT_MESSAGING_API_URL */.wp).replace(/\/+$/, '');
}
function updateKind(name) {
    const kind = dist/* safeParse */.xLC(dist/* picklist */.KIO(update_kinds/* UPDATE_KINDS */.GY), name);
    if (kind.success)
        return kind.output;
    const hint = (0,suggestion/* didYouMean */.a)(name, update_kinds/* UPDATE_KINDS */.GY);
    throw new errors/* UserError */.y({
        message: `unknown kind of update ${JSON.stringify(name)}`,
        ...(hint && { hint }),
        notes: [`allowed: ${update_kinds/* UPDATE_KINDS */.GY.join(', ')}`],
    });
}
function missing(variable, meaning) {
    return new errors/* UserError */.y({ message: `--set needs ${variable} in the environment: ${meaning}` });
}
/** The body comes from a here-document, in which the shell fills in the variables. */
function curlLine(url, body) {
    const json = JSON.stringify(body);
    return `curl -sS "${url}" -H "Content-Type: application/json" -d @- <<JSON\n${json}\nJSON`;
}
function infoText({ url, pending, lastError, updates }, bare) {
    if (url === '')
        return `none, ${pending} updates waiting to be polled`;
    return [
        `${url}${url === bare ? '' : ' (not the one above)'}`,
        `${pending} updates waiting${updates.length > 0 ? `, of ${updates.join(', ')}` : ''}`,
        ...(lastError ? [`last error ${lastError.at}: ${lastError.message}`] : []),
    ].join('\n');
}


/***/ }),

/***/ 36477:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  L: () => (/* binding */ http_http)
});

// EXTERNAL MODULE: ./build/protocol/http.js
var http = __webpack_require__(14697);
;// CONCATENATED MODULE: ./build/entries/proxy.js
/**
 * An agent that goes through the proxy which `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`
 * name for an address; `undefined` when they name none.
 */
async function proxyAgent(url) {
    const { getProxyForUrl } = await __webpack_require__.e(/* import() */ 182).then(__webpack_require__.bind(__webpack_require__, 98182));
    const proxy = getProxyForUrl(url);
    if (proxy === '')
        return undefined;
    const { HttpsProxyAgent } = await __webpack_require__.e(/* import() */ 659).then(__webpack_require__.bind(__webpack_require__, 57659));
    return new HttpsProxyAgent(proxy);
}

;// CONCATENATED MODULE: ./build/entries/http.js


/** Answers beyond this many bytes are not read. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Calls a service with node-fetch, which is loaded with the first call. */
async function http_http(request) {
    const { default: fetch, AbortError } = await __webpack_require__.e(/* import() */ 816).then(__webpack_require__.bind(__webpack_require__, 70816));
    const { method, url, headers = {}, body = null, timeout } = request;
    try {
        const signal = AbortSignal.timeout(timeout);
        const agent = await proxyAgent(url);
        const options = { method, headers: { ...headers }, body, signal, size: LARGEST_ANSWER, agent };
        const response = await fetch(url, { ...options, redirect: 'manual' });
        const names = Object.fromEntries(response.headers);
        return { status: response.status, headers: names, text: await response.text() };
    }
    catch (error) {
        // The library's message holds the URL, which may hold a token: only its code is told.
        const aborted = error instanceof AbortError;
        throw new http/* HttpFailure */.H(aborted ? 'timeout' : 'connection', codeOf(error) ?? 'broken off');
    }
}
function codeOf(error) {
    const code = typeof error === 'object' && error !== null && 'code' in error && error.code;
    return typeof code === 'string' ? code : undefined;
}


/***/ })

};
