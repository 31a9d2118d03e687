export const id = 608;
export const ids = [608];
export const modules = {

/***/ 9608:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  serveDev: () => (/* binding */ serveDev)
});

// EXTERNAL MODULE: ./build/action/inputs.js
var inputs = __webpack_require__(7126);
// EXTERNAL MODULE: ./build/dev/local-platform.js + 17 modules
var local_platform = __webpack_require__(7313);
// EXTERNAL MODULE: ./build/relay/access-keys.js
var access_keys = __webpack_require__(6955);
// EXTERNAL MODULE: ./build/relay/credentials.js
var credentials = __webpack_require__(6500);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./build/entries/http.js + 1 modules
var http = __webpack_require__(6477);
// EXTERNAL MODULE: ./build/items/scripts.js
var scripts = __webpack_require__(1007);
;// CONCATENATED MODULE: ./build/entries/scripts.js

/** A script may take so many milliseconds for all items of a run. */
const LONGEST = 2_000;
const MOST_ATTEMPTS = 5;
/**
 * Scripts in contexts of their own, where there is nothing but the language: items go in and come
 * back as text, so no object of this process is in reach. It keeps mistakes in, it is no sandbox
 * against malice.
 */
const scripts_scripts = {
    async run(script, items) {
        const vm = await Promise.resolve(/* import() */).then(__webpack_require__.t.bind(__webpack_require__, 714, 19));
        const context = vm.createContext(Object.create(null), {
            microtaskMode: 'afterEvaluate',
            codeGeneration: { strings: false, wasm: false },
        });
        context.input = items;
        const filename = `config.${script.option}`;
        try {
            new vm.Script(source(script), { filename, lineOffset: -1 }).runInContext(context);
        }
        catch (error) {
            // The message speaks of the script alone, which stands in the workflow file.
            throw new scripts/* ScriptFailure */.g(`does not compile: ${property(error, 'message')}`);
        }
        return drive(script, (code) => vm.runInContext(code, context, { timeout: LONGEST }));
    },
    async within(milliseconds, work) {
        const vm = await Promise.resolve(/* import() */).then(__webpack_require__.t.bind(__webpack_require__, 714, 19));
        let result;
        const context = vm.createContext({
            work() {
                result = { value: work() };
            },
        });
        limited(milliseconds, () => vm.runInContext('work()', context, { timeout: milliseconds }));
        if (!result)
            throw new scripts/* ScriptFailure */.g('did not end');
        return result.value;
    },
};
function source({ parameters, body }) {
    return `this.script = function (${parameters.join(', ')}) {\n${body}\n}`;
}
/** Runs within the context, so that whatever the script throws is made into text there as well. */
function drive(script, run) {
    const outcome = limited(LONGEST, () => run(DRIVER(script.drive)));
    const text = typeof outcome === 'string' ? outcome : '';
    if (text.startsWith('='))
        return text.slice(1);
    throw new scripts/* ScriptFailure */.g(failureText(text));
}
const DRIVER = (expression) => `(() => {
  const { stringify, parse } = JSON
  try {
    const items = parse(input)
    const call = (...args) => {
      const result = script(...args)
      if (result && typeof result.then === 'function') throw new Error('promise')
      return result
    }
    return '=' + stringify(${expression})
  } catch (error) {
    return '!' + String(error && error.stack)
  }
})()`;
/**
 * Runs until the time is over. A process that got too little of a busy processor meanwhile has not
 * had its time: it is given another one.
 */
function limited(milliseconds, run) {
    for (let attempt = 1;; attempt++) {
        const before = process.cpuUsage();
        try {
            return run();
        }
        catch (error) {
            // The error belongs to the context, so it is no `Error` of this one.
            if (property(error, 'code') !== 'ERR_SCRIPT_EXECUTION_TIMEOUT')
                throw error;
            const { user, system } = process.cpuUsage(before);
            const hadItsTime = (user + system) / 1_000 > milliseconds / 2;
            if (hadItsTime || attempt === MOST_ATTEMPTS) {
                throw new scripts/* ScriptFailure */.g(`took longer than ${milliseconds} ms, and was broken off`);
            }
        }
    }
}
function property(value, name) {
    return typeof value === 'object' && value !== null
        ? value[name] // any object may have it
        : undefined;
}
/** Messages of the engine that speak of the script alone; others may quote an item. */
const HARMLESS = /^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/;
function failureText(text) {
    const [first = '', ...frames] = text.slice(1).split('\n');
    if (first === 'Error: promise')
        return 'returned a promise; it must return at once';
    const line = frames.map((frame) => /config\.\w+:(\d+)/.exec(frame)?.[1]).find(Boolean);
    const kind = /^[A-Z]\w{0,40}/.exec(first)?.[0] ?? 'something';
    const what = HARMLESS.test(first) ? first : `threw ${kind}`;
    return line === undefined ? what : `${what} (line ${line} of the script)`;
}

;// CONCATENATED MODULE: ./build/entries/ports.js



/** The real world for the engine. */
function enginePorts(messagingApiUrl, { store, mask = () => { } } = {}) {
    return {
        triggers: {
            http: http/* http */.L,
            now: () => Date.now(),
            sleep: (duration) => (0,promises_.setTimeout)(duration),
            messagingApiUrl: messagingApiUrl.replace(/\/+$/, ''),
            mask,
        },
        scripts: scripts_scripts,
        store,
        run: { id: process.env.GITHUB_RUN_ID || 'local', at: Date.now() },
        folder: workingCopy(),
    };
}
/** The working copy of the repository, absolute. */
function workingCopy() {
    return process.env.GITHUB_WORKSPACE || process.cwd();
}

// EXTERNAL MODULE: ./build/entries/relay-config.js + 2 modules
var relay_config = __webpack_require__(3651);
// EXTERNAL MODULE: ./build/entries/relay-node.js + 11 modules
var relay_node = __webpack_require__(4211);
// EXTERNAL MODULE: ./build/entries/system-clock.js
var system_clock = __webpack_require__(697);
;// CONCATENATED MODULE: ./build/entries/dev-server.js








/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' };
/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
async function serveDev(options) {
    const { host, port, env, workflows, tell, report } = options;
    const engine = enginePorts(env.HOOKLINE_MESSAGING_API_URL || inputs/* DEFAULT_MESSAGING_API_URL */.wp);
    const ports = {
        dispatch: async ({ payload }) => {
            tell(await (0,local_platform/* runLocally */.g)(payload, { workflows, engine, now: () => performance.now() }));
            return { tries: 1 };
        },
        credentials: await devCredentials(host, env),
        repository: LOCAL,
        now: system_clock/* systemClock */.m.now,
        newDelivery: () => crypto.randomUUID(),
        log: () => { },
        report,
    };
    return (0,relay_node/* serveRelay */.v)({ host: host ?? 'localhost', port, ports });
}
/** @throws UserError when the server is opened without a key of at least 20 characters */
async function devCredentials(host, env) {
    if (host === undefined)
        return credentials/* noToken */.fC;
    return (0,access_keys/* heldToken */.b)((0,relay_config/* readAccessKeys */.R1)(env.HOOKLINE_KEYS ?? ''), undefined);
}


/***/ }),

/***/ 6477:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  L: () => (/* binding */ http_http)
});

// EXTERNAL MODULE: ./build/protocol/http.js
var http = __webpack_require__(4697);
;// CONCATENATED MODULE: ./build/entries/proxy.js
/**
 * An agent that goes through the proxy which `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`
 * name for an address; `undefined` when they name none.
 */
async function proxyAgent(url) {
    const { getProxyForUrl } = await __webpack_require__.e(/* import() */ 182).then(__webpack_require__.bind(__webpack_require__, 8182));
    const proxy = getProxyForUrl(url);
    if (proxy === '')
        return undefined;
    const { HttpsProxyAgent } = await __webpack_require__.e(/* import() */ 659).then(__webpack_require__.bind(__webpack_require__, 40));
    return new HttpsProxyAgent(proxy);
}

;// CONCATENATED MODULE: ./build/entries/http.js


/** Answers beyond this many bytes are not read. */
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Calls a service with node-fetch, which is loaded with the first call. */
async function http_http(request) {
    const { default: fetch, AbortError } = await __webpack_require__.e(/* import() */ 816).then(__webpack_require__.bind(__webpack_require__, 816));
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
