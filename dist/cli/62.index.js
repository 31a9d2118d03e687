export const id = 62;
export const ids = [62];
export const modules = {

/***/ 29062:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  checkWorkflows: () => (/* binding */ checkWorkflows)
});

// EXTERNAL MODULE: ./build/compiler/action-reference.js
var action_reference = __webpack_require__(37068);
// EXTERNAL MODULE: ./build/compiler/rewrite.js + 1 modules
var rewrite = __webpack_require__(75790);
// EXTERNAL MODULE: ./build/protocol/errors.js
var errors = __webpack_require__(2546);
// EXTERNAL MODULE: ./build/workflow/source.js
var workflow_source = __webpack_require__(7503);
// EXTERNAL MODULE: ./build/entries/cli/build-workflows.js + 18 modules
var build_workflows = __webpack_require__(93780);
;// CONCATENATED MODULE: ./build/entries/cli/github-parser.js
/** Parses a workflow file as GitHub does. The parser is large, so it is loaded only here. */
async function githubMessages({ name, text }) {
    const { parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter } = await __webpack_require__.e(/* import() */ 723).then(__webpack_require__.bind(__webpack_require__, 34723));
    const { context, value } = parseWorkflow({ name, content: text }, new NoOperationTraceWriter());
    if (value)
        await convertWorkflowTemplate(context, value);
    const lines = text.split('\n');
    const offset = ({ line, column }) => lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
    return context.errors.getErrors().map(({ rawMessage, range }) => ({
        message: rawMessage,
        start: range ? offset(range.start) : 0,
        end: range ? offset(range.end) : 0,
    }));
}

// EXTERNAL MODULE: ./build/entries/cli/source-files.js
var source_files = __webpack_require__(68235);
;// CONCATENATED MODULE: ./build/entries/cli/check-workflows.js







/** Checks workflow files; nothing is written. */
async function checkWorkflows(root, globs, strict) {
    try {
        const sources = (0,source_files/* findSourceFiles */._b)(root, globs);
        const built = await (0,build_workflows/* buildWorkflows */.V)(root, sources, {
            uses: action_reference/* ACTION */.h,
            state: 'none',
        });
        const native = (await Promise.all(built.map(nativeProblems))).flat();
        const untrusted = built.flatMap((one) => one.untrusted);
        const notices = built.flatMap((one) => one.notices);
        return {
            count: sources.length,
            errors: [
                ...built.flatMap(({ problems }) => problems),
                ...native,
                ...(strict ? untrusted : []),
            ],
            warnings: [...(strict ? [] : untrusted), ...notices],
        };
    }
    catch (error) {
        if (!(error instanceof errors/* UserError */.y))
            throw error;
        return { count: 0, errors: error.problems, warnings: [] };
    }
}
/** What GitHub's parser says of the compiled files, at the places of the source. */
async function nativeProblems({ file, compiled }) {
    const [listening, jobs] = compiled?.files ?? [];
    if (!file || !compiled || !listening || !jobs)
        return [];
    const { source, on } = file;
    const inJobs = (await githubMessages(jobs)).map(({ message, start, end }) => ({
        message: message.replaceAll(rewrite/* ON_IN_JOBS */.D, 'on'),
        position: (0,workflow_source/* positionAt */.t)(source, compiled.sourcePlace(start), compiled.sourcePlace(end)),
    }));
    const inEvents = (await githubMessages(listening)).map(({ message }) => ({
        message,
        position: (0,workflow_source/* positionAt */.t)(source, ...(0,workflow_source/* rangeOf */.b)(on.key)),
    }));
    return [...inJobs, ...inEvents];
}


/***/ })

};
