export const id = 789;
export const ids = [789];
export const modules = {

/***/ 46789:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  startRelay: () => (/* binding */ startRelay)
});

;// CONCATENATED MODULE: ./build/entries/node/line-writer.js
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

// EXTERNAL MODULE: ./node_modules/undici/index.js
var undici = __webpack_require__(24371);
// EXTERNAL MODULE: ./build/relay/platform.js
var platform = __webpack_require__(70855);
;// CONCATENATED MODULE: ./build/entries/node/platform-pool.js


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
        if (this.#size > platform/* ANSWER_BYTES */.X)
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
        this.#reject(new platform/* PlatformFault */.A(cause.message, { sent, cause }));
    }
}

// EXTERNAL MODULE: ./build/entries/relay/relay-config.js + 2 modules
var relay_config = __webpack_require__(18275);
// EXTERNAL MODULE: ./build/entries/relay/relay-server.js + 2 modules
var relay_server = __webpack_require__(65990);
;// CONCATENATED MODULE: ./build/entries/relay-node.js




/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong
 */
async function startRelay(options) {
    const { host, port, env, repository, write = lineWriter(process.stdout) } = options;
    const config = await (0,relay_config/* readRelayConfig */.Yd)(env, repository);
    const platform = platformPool(config.apiUrl);
    const server = await (0,relay_server/* serveRelay */.v)({ host, port, ports: (0,relay_config/* relayPorts */.S7)(config, platform.post, write) });
    const close = async () => {
        await server.close();
        await platform.close();
    };
    return { url: server.url, close };
}


/***/ })

};
