export const id = 693;
export const ids = [693];
export const modules = {

/***/ 78693:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  chosenStore: () => (/* binding */ chosenStore)
});

// UNUSED EXPORTS: githubApi, stateFiles

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(77598);
// EXTERNAL MODULE: external "node:fs/promises"
var promises_ = __webpack_require__(51455);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(48161);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: external "node:timers/promises"
var external_node_timers_promises_ = __webpack_require__(58500);
// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(77934);
// EXTERNAL MODULE: ./build/wire/bytes.js
var bytes = __webpack_require__(3251);
// EXTERNAL MODULE: ./build/wire/errors.js
var errors = __webpack_require__(41745);
// EXTERNAL MODULE: ./build/state/index.js
var build_state = __webpack_require__(97530);
;// CONCATENATED MODULE: ./build/state/branch.js




/** A file as the contents API tells it; larger ones come without their content. */
const contentSchema = dist/* object */.Ikc({ sha: dist/* string */.YjP(), content: dist/* string */.YjP(), encoding: dist/* string */.YjP() });
const objectSchema = dist/* object */.Ikc({ sha: dist/* string */.YjP() });
/**
 * One JSON file for each trigger on a branch that has nothing in common with the others. GitHub
 * replaces a file only when the blob that is to be replaced is named.
 *
 * @see https://docs.github.com/en/rest/repos/contents#create-or-update-file-contents
 */
function branchBackend(branch, api, ports) {
    return {
        load: async (id) => (await load(branch, id, api)).state,
        change: (id, step) => {
            const swappable = {
                place: `the branch ${branch}`,
                load: () => load(branch, id, api),
                save: (state, stamp) => save(branch, id, state, stamp, api),
            };
            return compareAndSwap(swappable, step, ports);
        },
    };
}
async function load(branch, id, api) {
    const reply = await api('GET /repos/{owner}/{repo}/contents/{path}', {
        path: file(id),
        ref: branch,
        // A cached answer would be refused with every attempt to replace it.
        headers: { 'if-none-match': '' },
    });
    if (reply.status === 404)
        return { state: build_state/* NO_STATE */.S_, stamp: undefined };
    return readReply(reply, id, branch);
}
async function save(branch, id, state, stamp, api) {
    const reply = await api('PUT /repos/{owner}/{repo}/contents/{path}', {
        path: file(id),
        branch,
        message: message(id),
        content: btoa(write(id, state)),
        ...(stamp !== undefined && { sha: stamp }),
    });
    if (reply.status === 404)
        return begin(branch, id, state, api);
    if (reply.status === 200 || reply.status === 201)
        return true;
    if (isConflict(reply))
        return false;
    throw refusalError(reply, `the branch ${branch}`);
}
function readReply(reply, id, branch) {
    if (reply.status !== 200)
        throw refusalError(reply, `the branch ${branch}`);
    const place = `${file(id)} on the branch ${branch}`;
    const reset = `to begin anew, delete the file, or the branch: git push origin --delete ${branch}`;
    const found = dist/* safeParse */.xLC(contentSchema, reply.data);
    if (!found.success || found.output.encoding !== 'base64') {
        throw new errors/* UserError */.yo({ message: `${place} is no state of Hookline`, notes: [reset] });
    }
    const { content, sha } = found.output;
    const text = new TextDecoder().decode((0,bytes/* fromBase64 */.Ey)(content.replace(/\s/g, '')));
    return { state: (0,build_state/* readStateFile */.qy)(build_state/* triggerStateSchema */.RZ, text, { place, reset }), stamp: sha };
}
/**
 * Somebody else wrote in between: another blob stands there, or one where there was none, or the
 * branch moved on.
 */
function isConflict({ status, message }) {
    if (status === 409)
        return !/rule violation|protected/i.test(message);
    return status === 422 && message.includes(`"sha" wasn't supplied`);
}
/** Makes the branch, with the file as its first commit. */
async function begin(branch, id, state, api) {
    const place = `the branch ${branch}`;
    const tree = await made(place, api('POST /repos/{owner}/{repo}/git/trees', {
        tree: [{ path: file(id), mode: '100644', type: 'blob', content: write(id, state) }],
    }));
    const commit = await made(place, api('POST /repos/{owner}/{repo}/git/commits', {
        message: message(id),
        tree,
        parents: [],
    }));
    const ref = `refs/heads/${branch}`;
    const reply = await api('POST /repos/{owner}/{repo}/git/refs', { ref, sha: commit });
    if (reply.status === 201)
        return true;
    if (reply.status === 422 && /already exists/i.test(reply.message))
        return false;
    throw refusalError(reply, place);
}
async function made(place, call) {
    const reply = await call;
    const object = dist/* safeParse */.xLC(objectSchema, reply.data);
    if (reply.status === 201 && object.success)
        return object.output.sha;
    throw refusalError(reply, place);
}
function file({ workflow, trigger }) {
    return `${encodeURIComponent(workflow)}/${trigger}.json`;
}
function message({ workflow, trigger }) {
    return `Keep the state of ${workflow}/${trigger}`;
}
/** ASCII, since keys are hashes and names are encoded: so its base64 is that of its characters. */
function write({ workflow, trigger }, state) {
    const head = { format: build_state/* FORMAT */.uB, version: build_state/* VERSION */.xv, workflow: encodeURIComponent(workflow), trigger };
    return `${JSON.stringify(head).slice(0, -1)},${(0,build_state/* stateJson */.mE)(state).slice(1)}\n`;
}
/** Somebody wins each round, so this is enough for dozens of runs at once. */
const MOST_ATTEMPTS = 40;
const LONGEST_WAIT = 2_000;
/**
 * Reads, changes and saves, again and again until nobody came in between.
 *
 * @returns the state before
 * @throws UserError when there is no end to it
 */
async function compareAndSwap({ place, load, save }, step, { sleep, random }) {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const { state, stamp } = await load();
        if (await save(step(state), stamp))
            return state;
        await sleep(random() * Math.min(LONGEST_WAIT, 50 * 2 ** attempt));
    }
    throw new errors/* UserError */.yo({
        message: `${place}: too many runs write at once, gave up after ${MOST_ATTEMPTS} attempts`,
        notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
    });
}
/** What GitHub's refusal means for the store, and what would help. */
function refusalError(reply, place) {
    const { status, message } = reply;
    const answer = status === 0 ? 'gave' : `answered ${status}:`;
    return new errors/* UserError */.yo({
        message: `${place} cannot be used as state: GitHub ${answer} ${oneLine(message)}`,
        notes: notes(reply),
    });
}
function notes({ status, message }) {
    if (status === 401)
        return ['the input `github-token` is no token that GitHub knows'];
    if (/rule violation|protected/i.test(message)) {
        return ['a rule protects the branch: exempt it, or choose another name'];
    }
    if (/secondary rate/i.test(message))
        return ['GitHub limits how often it is called: try again later'];
    if (status === 403 || status === 404) {
        return [
            'the job needs `permissions: contents: write`',
            "another token than the job's own goes into the input `github-token`",
        ];
    }
    return ['try again later'];
}
function oneLine(text) {
    return text.replace(/\s+/g, ' ').slice(0, 200);
}
const MOST_CALLS = 5;
const LONGEST_PAUSE = 4_000;
/**
 * Asks again when GitHub is busy or gave no answer. A write may then have taken effect already: the
 * next one is refused as a conflict, and what is read afterwards holds the run's own claims.
 */
function withRetries(api, { sleep, random }) {
    return async (route, parameters) => {
        for (let attempt = 1;; attempt++) {
            const reply = await api(route, parameters);
            if (!isTransient(reply) || attempt === MOST_CALLS)
                return reply;
            await sleep(random() * Math.min(LONGEST_PAUSE, 250 * 2 ** attempt));
        }
    };
}
function isTransient({ status, message }) {
    return status === 0 || status === 429 || status >= 500 || /secondary rate/i.test(message);
}

;// CONCATENATED MODULE: ./build/state/file.js



const fileSchema = dist/* object */.Ikc({ triggers: dist/* record */.g1P(dist/* string */.YjP(), build_state/* triggerStateSchema */.RZ) });
/**
 * One JSON file for all triggers, for runners that keep their disk.
 *
 * @param path absolute
 * @param place the path as the user wrote it
 */
function fileBackend(path, place, files, ports) {
    const read = async () => {
        const text = await files.read(path);
        if (text === undefined)
            return {};
        const reset = `to begin anew, delete ${place}`;
        return (0,build_state/* readStateFile */.qy)(fileSchema, text, { place, reset }).triggers;
    };
    return {
        load: async (id) => (await read())[file_name(id)] ?? build_state/* NO_STATE */.S_,
        change: (id, step) => withLock(`${path}.lock`, files, ports, async () => {
            const triggers = await read();
            const before = triggers[file_name(id)] ?? build_state/* NO_STATE */.S_;
            await files.replace(path, file_write({ ...triggers, [file_name(id)]: step(before) }));
            return before;
        }),
    };
}
function file_name({ workflow, trigger }) {
    return `${workflow}/${trigger}`;
}
function file_write(triggers) {
    const parts = Object.entries(triggers).map(([id, state]) => `\n${JSON.stringify(id)}:${(0,build_state/* stateJson */.mE)(state)}`);
    return `{"format":"${build_state/* FORMAT */.uB}","version":${build_state/* VERSION */.xv},"triggers":{${parts.join(',')}}}\n`;
}
const file_MOST_ATTEMPTS = 1_000;
const file_LONGEST_WAIT = 40;
/**
 * Does some work while no other process does work under the same lock.
 *
 * @throws UserError when the lock stays taken for some twenty seconds
 */
async function withLock(path, files, ports, work) {
    for (let attempt = 0; attempt < file_MOST_ATTEMPTS; attempt++) {
        if (await files.create(path, files.owner())) {
            return work().finally(() => files.remove(path));
        }
        await releaseIfGone(path, files);
        await ports.sleep(ports.random() * file_LONGEST_WAIT);
    }
    throw new errors/* UserError */.yo({
        message: `${path}: another run holds this lock`,
        notes: ['delete the file if no run is at work'],
    });
}
/**
 * Takes away the lock of a process that was killed. Only one process at a time may do so, under a
 * lock of its own: else the second would take away what the first has just made for itself.
 */
async function releaseIfGone(path, files) {
    const owner = await files.read(path);
    if (owner === undefined || !files.isGone(owner))
        return;
    const breaking = `${path}.break`;
    if (await files.create(breaking, files.owner())) {
        if ((await files.read(path)) === owner)
            await files.remove(path);
        await files.remove(breaking);
        return;
    }
    const breaker = await files.read(breaking);
    if (breaker !== undefined && files.isGone(breaker))
        await files.remove(breaking);
}

// EXTERNAL MODULE: ./build/wire/json.js + 7 modules
var json = __webpack_require__(78674);
;// CONCATENATED MODULE: ./build/action/store.js










/** The store that the input `state` names. */
function chosenStore({ state, githubToken }, folder) {
    if (state.kind === 'none')
        return undefined;
    const ports = { sleep: (duration) => (0,external_node_timers_promises_.setTimeout)(duration), random: Math.random };
    if (state.kind === 'branch') {
        return (0,build_state/* createStore */.y$)(branchBackend(state.name, withRetries(githubApi(githubToken), ports), ports));
    }
    const path = (0,external_node_path_.isAbsolute)(state.path) ? state.path : (0,external_node_path_.join)(folder, state.path);
    return (0,build_state/* createStore */.y$)(fileBackend(path, state.path, stateFiles, ports));
}
/** GitHub for the repository of the run, by its own client, which is loaded with the first call. */
function githubApi(token) {
    let client;
    return async (route, parameters) => {
        client ??= connect(token);
        const { request, owner, repo } = await client;
        try {
            const { status, data } = await request(route, { owner, repo, ...parameters });
            return { status, data, message: '' };
        }
        catch (error) {
            return refusal(error);
        }
    };
}
async function connect(token) {
    if (token === '') {
        throw new errors/* UserError */.yo({ message: 'input "github-token" is empty, but state is on a branch' });
    }
    const [owner = '', repo = ''] = (process.env.GITHUB_REPOSITORY ?? '').split('/');
    const { getOctokit } = await __webpack_require__.e(/* import() */ 413).then(__webpack_require__.bind(__webpack_require__, 92413));
    const baseUrl = process.env.GITHUB_API_URL ?? 'https://api.github.com';
    const { request } = getOctokit(token, { baseUrl });
    return { request, owner, repo };
}
function refusal(error) {
    // The client's own message is not told: it may hold the address of a proxy.
    if (!hasResponse(error))
        return { status: 0, data: undefined, message: 'no answer' };
    const { data } = error.response;
    const message = (0,json/* isObject */.Gv)(data) ? data.message : undefined;
    return { status: error.status, data, message: typeof message === 'string' ? message : '' };
}
/** The client's error for an answer that is no success. */
function hasResponse(error) {
    return (0,json/* isObject */.Gv)(error) && typeof error.status === 'number' && (0,json/* isObject */.Gv)(error.response);
}
/** Files of this machine. A new text is written beside its place first, then put there at once. */
const stateFiles = {
    async read(path) {
        try {
            return await (0,promises_.readFile)(path, 'utf8');
        }
        catch (error) {
            if (codeOf(error) === 'ENOENT')
                return undefined;
            throw unusable(path, error);
        }
    },
    async create(path, text) {
        return beside(path, text, async (written) => {
            try {
                await (0,promises_.link)(written, path);
                return true;
            }
            catch (error) {
                if (codeOf(error) === 'EEXIST')
                    return false;
                throw error;
            }
        });
    },
    async replace(path, text) {
        await beside(path, text, (written) => (0,promises_.rename)(written, path));
    },
    async remove(path) {
        await (0,promises_.rm)(path, { force: true });
    },
    owner: () => `${(0,external_node_os_.hostname)()} ${process.pid} ${(0,external_node_crypto_.randomUUID)()}`,
    isGone(owner) {
        const [host, pid] = owner.split(' ');
        return host === (0,external_node_os_.hostname)() && !isRunning(Number(pid));
    },
};
async function beside(path, text, place) {
    const written = `${path}.${(0,external_node_crypto_.randomUUID)()}.tmp`;
    try {
        await (0,promises_.mkdir)((0,external_node_path_.dirname)(path), { recursive: true });
        await (0,promises_.writeFile)(written, text);
        return await place(written);
    }
    catch (error) {
        throw unusable(path, error);
    }
    finally {
        await (0,promises_.rm)(written, { force: true });
    }
}
function isRunning(pid) {
    try {
        return process.kill(pid, 0);
    }
    catch (error) {
        return codeOf(error) !== 'ESRCH';
    }
}
function unusable(path, cause) {
    return new errors/* UserError */.yo({ message: `${path} cannot be used as state (${codeOf(cause)})` }, { cause });
}
function codeOf(error) {
    const hasCode = typeof error === 'object' && error !== null && 'code' in error;
    return hasCode ? String(error.code) : 'unknown fault';
}


/***/ })

};
