export const id = 200;
export const ids = [200];
export const modules = {

/***/ 7200:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   workflowFileSource: () => (/* binding */ workflowFileSource)
/* harmony export */ });
/* unused harmony export findWorkflowFiles */
/* harmony import */ var node_fs__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(3024);
/* harmony import */ var node_path__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6760);
/* harmony import */ var minimatch__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(1138);
/* harmony import */ var _protocol_errors_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(2546);
/* harmony import */ var _workflow_workflow_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(402);





/**
 * The workflow files that globs name, in alphabetical order. Only the names of files are looked at.
 *
 * @param globs in minimatch's language, relative to `root`; one that begins with `!` takes files out
 */
function findWorkflowFiles(root, globs) {
    const wanted = globs
        .filter((glob) => !glob.startsWith('!'))
        .map((glob) => relativeGlob(root, glob));
    const unwanted = globs
        .filter((glob) => glob.startsWith('!'))
        .map((glob) => relativeGlob(root, glob.slice(1)));
    const files = wanted.flatMap((glob) => filesBelow(root, glob).filter((file) => (0,minimatch__WEBPACK_IMPORTED_MODULE_2__/* .minimatch */ .xF)(file, glob)));
    return [...new Set(files)]
        .filter((file) => !unwanted.some((glob) => (0,minimatch__WEBPACK_IMPORTED_MODULE_2__/* .minimatch */ .xF)(file, glob)))
        .sort()
        .map((file) => ({ name: (0,node_path__WEBPACK_IMPORTED_MODULE_1__.basename)(file).replace(/\.[^.]+$/, ''), file }));
}
/**
 * Workflows from files. For a webhook only the file that its path names is read and parsed.
 *
 * @throws UserError when the globs match no file at all
 */
function workflowFileSource(options) {
    const { root, globs, calling, contexts } = options;
    const files = findWorkflowFiles(root, globs);
    if (files.length === 0)
        throw noFiles(globs);
    return {
        calling,
        names: () => files.map(({ name }) => name),
        find(name) {
            const found = workflowFileNamed(files, name);
            if (!found)
                return undefined;
            const { file } = found;
            return (0,_workflow_workflow_js__WEBPACK_IMPORTED_MODULE_4__/* .readWorkflowFile */ .A)(name, { name: file, file, text: readText(root, file) }, contexts);
        },
    };
}
function noFiles(globs) {
    return new _protocol_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .UserError */ .y({
        message: `no workflow file matches ${globs.join(', ')}`,
        notes: [
            'the repository must be checked out first (actions/checkout)',
            'or give the triggers in the input "on": then no file is needed',
        ],
    });
}
/** @throws UserError when two files have the name, since a URL could not tell them apart */
function workflowFileNamed(files, name) {
    const [file, ...others] = files.filter((candidate) => candidate.name === name);
    if (others.length === 0)
        return file;
    const both = [file, ...others].map((one) => one?.file).join(' and ');
    throw new _protocol_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .UserError */ .y({
        message: `two workflow files are named "${name}": ${both}`,
        notes: ['a webhook URL names a workflow by its file name alone: rename one of them'],
    });
}
function readText(root, file) {
    try {
        return (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readFileSync)((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, file), 'utf8');
    }
    catch (cause) {
        throw new _protocol_errors_js__WEBPACK_IMPORTED_MODULE_3__/* .UserError */ .y({ message: `${file} cannot be read` }, { cause });
    }
}
function relativeGlob(root, glob) {
    const unrooted = glob.startsWith('/') ? (0,node_path__WEBPACK_IMPORTED_MODULE_1__.relative)(root, glob) : glob;
    return unrooted.replace(/^\.\//, '');
}
/** Every file below the part of a glob that has no wildcard. */
function filesBelow(root, glob) {
    const segments = glob.split('/');
    const wild = segments.findIndex((segment) => /[*?[\]{}()!+@]/.test(segment));
    if (wild < 0)
        return [glob];
    const base = segments.slice(0, wild).join('/');
    return listRecursively((0,node_path__WEBPACK_IMPORTED_MODULE_1__.join)(root, base)).map((file) => (base ? `${base}/${file}` : file));
}
function listRecursively(folder) {
    try {
        const names = (0,node_fs__WEBPACK_IMPORTED_MODULE_0__.readdirSync)(folder, { recursive: true, encoding: 'utf8' });
        return names.map((name) => name.split(node_path__WEBPACK_IMPORTED_MODULE_1__.sep).join('/'));
    }
    catch {
        return [];
    }
}


/***/ })

};
