export const id = 207;
export const ids = [207];
export const modules = {

/***/ 8207:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  chosenStore: () => (/* binding */ chosenStore)
});

// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(6760);
// EXTERNAL MODULE: external "node:timers/promises"
var promises_ = __webpack_require__(8500);
// EXTERNAL MODULE: ./node_modules/valibot/dist/index.mjs
var dist = __webpack_require__(7934);
// EXTERNAL MODULE: ./build/protocol/bytes.js
var bytes = __webpack_require__(5782);
// EXTERNAL MODULE: ./build/protocol/errors.js
var errors = __webpack_require__(2546);
;// CONCATENATED MODULE: ./build/state/github-refusal.js

/** What GitHub's refusal means for the store, and what would help. */
function refused(reply, place) {
    const { status, message } = reply;
    return new errors/* UserError */.y({
        message: `${place} cannot be used as state: GitHub answered ${status} (${oneLine(message)})`,
        notes: notes(reply),
    });
}
function notes({ status, message }) {
    if (status === 401)
        return ['the input `github-token` is no token that GitHub knows'];
    if (/rule violation|protected/i.test(message)) {
        return ['a rule protects the branch: exempt it, or choose another name'];
    }
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

;// CONCATENATED MODULE: ./build/state/trigger-state.js


const NO_STATE = { lastSuccess: null, claims: [] };
/** What every state file says of itself. */
const FORMAT = 'hookline-state';
const VERSION = 1;
const triggerStateSchema = dist/* object */.Ikc({
    lastSuccess: dist/* nullable */.mee(dist/* number */.aig()),
    claims: dist/* array */.YOg(dist/* object */.Ikc({ key: dist/* string */.YjP(), run: dist/* string */.YjP(), at: dist/* number */.aig(), done: dist/* boolean */.zMY() })),
});
/** What a state file has besides what it holds. */
const header = dist/* object */.Ikc({ format: dist/* literal */.euz(FORMAT), version: dist/* number */.aig() });
/**
 * Reads a state file.
 *
 * @param place how the user finds it: `state.json`, `hook/webhook.json on the branch state`
 * @param reset what the user can do to begin anew
 * @throws UserError for a file that is not ours, broken, or of a newer version
 */
function readStateFile(schema, text, { place, reset }) {
    const found = parsed(text);
    const head = dist/* safeParse */.xLC(header, found);
    if (head.success && head.output.version > VERSION) {
        throw new errors/* UserError */.y({
            message: `${place} was written by a newer version of Hookline`,
            notes: ['use that version here too', reset],
        });
    }
    const checked = dist/* safeParse */.xLC(schema, found);
    if (head.success && checked.success)
        return checked.output;
    throw new errors/* UserError */.y({ message: `${place} is no state of Hookline, or broken`, notes: [reset] });
}
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
/** JSON with one claim a line, so that a difference between two states can be read. */
function stateJson({ lastSuccess, claims }) {
    const lines = claims.map((claim) => `\n${JSON.stringify(claim)}`);
    return `{"lastSuccess":${JSON.stringify(lastSuccess)},"claims":[${lines.join(',')}]}`;
}

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
function branchShelf(branch, api) {
    const place = `the branch ${branch}`;
    return {
        place,
        async load(id) {
            const reply = await api('GET /repos/{owner}/{repo}/contents/{path}', {
                path: file(id),
                ref: branch,
                // A cached answer would be refused with every attempt to replace it.
                headers: { 'if-none-match': '' },
            });
            if (reply.status === 404)
                return { state: NO_STATE, stamp: undefined };
            return readReply(reply, id, branch);
        },
        async save(id, state, stamp) {
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
            if (isOutrun(reply))
                return false;
            throw refused(reply, place);
        },
    };
}
function readReply(reply, id, branch) {
    if (reply.status !== 200)
        throw refused(reply, `the branch ${branch}`);
    const place = `${file(id)} on the branch ${branch}`;
    const reset = `to begin anew, delete the file, or the branch: git push origin --delete ${branch}`;
    const found = dist/* safeParse */.xLC(contentSchema, reply.data);
    if (!found.success || found.output.encoding !== 'base64') {
        throw new errors/* UserError */.y({ message: `${place} is no state of Hookline`, notes: [reset] });
    }
    const { content, sha } = found.output;
    const text = new TextDecoder().decode((0,bytes/* fromBase64 */.Ey)(content.replace(/\s/g, '')));
    return { state: readStateFile(triggerStateSchema, text, { place, reset }), stamp: sha };
}
/**
 * Somebody else wrote in between: another blob stands there, or one where there was none, or the
 * branch moved on.
 */
function isOutrun({ status, message }) {
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
    throw refused(reply, place);
}
async function made(place, call) {
    const reply = await call;
    const object = dist/* safeParse */.xLC(objectSchema, reply.data);
    if (reply.status === 201 && object.success)
        return object.output.sha;
    throw refused(reply, place);
}
function file({ workflow, trigger }) {
    return `${encodeURIComponent(workflow)}/${trigger}.json`;
}
function message({ workflow, trigger }) {
    return `Keep the state of ${workflow}/${trigger}`;
}
/** ASCII, since keys are hashes and names are encoded: so its base64 is that of its characters. */
function write({ workflow, trigger }, state) {
    const head = { format: FORMAT, version: VERSION, workflow: encodeURIComponent(workflow), trigger };
    return `${JSON.stringify(head).slice(0, -1)},${stateJson(state).slice(1)}\n`;
}

;// CONCATENATED MODULE: ./build/state/file-lock.js

const MOST_ATTEMPTS = 1_000;
const LONGEST_WAIT = 40;
/**
 * Does some work while no other process does work under the same lock.
 *
 * @throws UserError when the lock stays taken for some twenty seconds
 */
async function locked(path, files, ports, work) {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        if (await files.create(path, files.owner())) {
            return work().finally(() => files.remove(path));
        }
        await releaseIfGone(path, files);
        await ports.sleep(ports.random() * LONGEST_WAIT);
    }
    throw new errors/* UserError */.y({
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

;// CONCATENATED MODULE: ./build/state/file.js



const fileSchema = dist/* object */.Ikc({
    /** Counts the writes. */
    revision: dist/* number */.aig(),
    triggers: dist/* record */.g1P(dist/* string */.YjP(), triggerStateSchema),
});
/**
 * One JSON file for all triggers, for runners that keep their disk.
 *
 * @param path absolute
 * @param place the path as the user wrote it
 */
function fileShelf(path, place, files, ports) {
    const read = async () => {
        const text = await files.read(path);
        if (text === undefined)
            return { revision: 0, triggers: {} };
        return readStateFile(fileSchema, text, { place, reset: `to begin anew, delete ${place}` });
    };
    return {
        place,
        async load(id) {
            const { revision, triggers } = await read();
            return { state: triggers[file_name(id)] ?? NO_STATE, stamp: String(revision) };
        },
        async save(id, state, stamp) {
            return locked(`${path}.lock`, files, ports, async () => {
                const { revision, triggers } = await read();
                if (String(revision) !== stamp)
                    return false;
                const next = { revision: revision + 1, triggers: { ...triggers, [file_name(id)]: state } };
                await files.replace(path, file_write(next));
                return true;
            });
        },
    };
}
function file_name({ workflow, trigger }) {
    return `${workflow}/${trigger}`;
}
function file_write({ revision, triggers }) {
    const parts = Object.entries(triggers).map(([id, state]) => `\n${JSON.stringify(id)}:${stateJson(state)}`);
    return `{"format":"${FORMAT}","version":${VERSION},"revision":${revision},"triggers":{${parts.join(',')}}}\n`;
}

// EXTERNAL MODULE: ./build/state/claims.js
var claims = __webpack_require__(213);
;// CONCATENATED MODULE: ./build/state/store.js


/** Under contention someone wins each round, so this is enough for dozens of runs at once. */
const store_MOST_ATTEMPTS = 40;
const store_LONGEST_WAIT = 1_000;
/** A store on a shelf: every change is read, made and saved again until nobody came in between. */
function createStore(shelf, ports) {
    const change = async (id, step) => {
        for (let attempt = 0; attempt < store_MOST_ATTEMPTS; attempt++) {
            const { state, stamp } = await shelf.load(id);
            if (await shelf.save(id, step(state), stamp))
                return state;
            await ports.sleep(ports.random() * Math.min(store_LONGEST_WAIT, 10 * 2 ** attempt));
        }
        throw new errors/* UserError */.y({
            message: `${shelf.place}: too many runs write at once, gave up after ${store_MOST_ATTEMPTS} attempts`,
            notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
        });
    };
    return {
        read: async (id) => (await shelf.load(id)).state,
        async claim(id, keys, run, force = false) {
            const before = await change(id, (state) => (0,claims/* claimed */.Sf)(state, keys, run, force));
            const standing = (0,claims/* standings */.ES)(before, run);
            return keys.map((key) => (force ? 'fresh' : standing(key)));
        },
        async commit(id, run) {
            await change(id, (state) => (0,claims/* committed */.rh)(state, run));
        },
    };
}

;// CONCATENATED MODULE: ./build/entries/github.js

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
        throw new errors/* UserError */.y({ message: 'input "github-token" is empty, but state is on a branch' });
    }
    const [owner = '', repo = ''] = (process.env.GITHUB_REPOSITORY ?? '').split('/');
    const { getOctokit } = await __webpack_require__.e(/* import() */ 413).then(__webpack_require__.bind(__webpack_require__, 2413));
    const baseUrl = process.env.GITHUB_API_URL ?? 'https://api.github.com';
    const { request } = getOctokit(token, { baseUrl });
    return { request, owner, repo };
}
/** @throws UserError when no answer came; the client's message is not shown, it may hold the URL */
function refusal(error) {
    if (!hasStatus(error))
        throw noAnswer(error);
    const data = error.response?.data;
    const message = typeof data === 'object' && data !== null && 'message' in data && data.message;
    return { status: error.status, data, message: typeof message === 'string' ? message : '' };
}
function hasStatus(error) {
    if (!(error instanceof Error) || !('status' in error))
        return false;
    return typeof error.status === 'number' && 'response' in error && error.response !== undefined;
}
function noAnswer(cause) {
    return new errors/* UserError */.y({ message: 'GitHub gave no answer about the state' }, { cause });
}

// EXTERNAL MODULE: external "node:crypto"
var external_node_crypto_ = __webpack_require__(7598);
// EXTERNAL MODULE: external "node:fs/promises"
var external_node_fs_promises_ = __webpack_require__(1455);
// EXTERNAL MODULE: external "node:os"
var external_node_os_ = __webpack_require__(8161);
;// CONCATENATED MODULE: ./build/entries/state-files.js





/** Files of this machine. A new text is written beside its place first, then put there at once. */
const stateFiles = {
    async read(path) {
        try {
            return await (0,external_node_fs_promises_.readFile)(path, 'utf8');
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
                await (0,external_node_fs_promises_.link)(written, path);
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
        await beside(path, text, (written) => (0,external_node_fs_promises_.rename)(written, path));
    },
    async remove(path) {
        await (0,external_node_fs_promises_.rm)(path, { force: true });
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
        await (0,external_node_fs_promises_.mkdir)((0,external_node_path_.dirname)(path), { recursive: true });
        await (0,external_node_fs_promises_.writeFile)(written, text);
        return await place(written);
    }
    catch (error) {
        throw unusable(path, error);
    }
    finally {
        await (0,external_node_fs_promises_.rm)(written, { force: true });
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
    return new errors/* UserError */.y({ message: `${path} cannot be used as state (${codeOf(cause)})` }, { cause });
}
function codeOf(error) {
    const hasCode = typeof error === 'object' && error !== null && 'code' in error;
    return hasCode ? String(error.code) : 'unknown fault';
}

;// CONCATENATED MODULE: ./build/entries/store.js







/** The store that the input `state` names. */
function chosenStore({ state, githubToken }, folder) {
    if (state.kind === 'none')
        return undefined;
    const ports = { sleep: (duration) => (0,promises_.setTimeout)(duration), random: Math.random };
    if (state.kind === 'branch') {
        return createStore(branchShelf(state.name, githubApi(githubToken)), ports);
    }
    const path = (0,external_node_path_.isAbsolute)(state.path) ? state.path : (0,external_node_path_.join)(folder, state.path);
    return createStore(fileShelf(path, state.path, stateFiles, ports), ports);
}


/***/ })

};
