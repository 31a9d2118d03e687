export const id = 133;
export const ids = [133];
export const modules = {

/***/ 31133:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {


// EXPORTS
__webpack_require__.d(__webpack_exports__, {
  build: () => (/* binding */ build)
});

// EXTERNAL MODULE: external "node:fs"
var external_node_fs_ = __webpack_require__(73024);
// EXTERNAL MODULE: external "node:path"
var external_node_path_ = __webpack_require__(76760);
// EXTERNAL MODULE: ./build/compiler/generated.js
var generated = __webpack_require__(80009);
;// CONCATENATED MODULE: ./build/compiler/changes.js

/**
 * How the compiled files that are there differ from those that should be.
 *
 * @param there the compiled files, by name
 * @param isGone whether a source, by its path, has nothing compiled any more
 */
function changesOf(compiled, there, isGone) {
    const wanted = compiled.map(({ name, text }) => {
        const before = there.get(name) ?? '';
        const source = (0,generated/* originOf */.yv)(text)?.source ?? '';
        return { name, source, status: statusOf(there.has(name), before, text), before, after: text };
    });
    const stale = [...there].flatMap(([name, before]) => {
        const source = (0,generated/* originOf */.yv)(before)?.source ?? '';
        const isWanted = compiled.some((file) => file.name === name);
        return !isWanted && isGone(source) ? [{ name, source, status: 'stale', before, after: '' }] : [];
    });
    return [...wanted, ...stale];
}
/** Line breaks of Windows, as Git may write them, are no difference. */
function statusOf(isThere, before, after) {
    if (!isThere)
        return 'new';
    return before.replaceAll('\r\n', '\n') === after ? 'unchanged' : 'changed';
}

// EXTERNAL MODULE: ./build/compiler/source-file.js
var source_file = __webpack_require__(38158);
// EXTERNAL MODULE: ./node_modules/yaml/dist/index.js
var dist = __webpack_require__(38815);
// EXTERNAL MODULE: ./build/compiler/edits.js
var edits = __webpack_require__(16021);
// EXTERNAL MODULE: ./build/compiler/file-expressions.js
var file_expressions = __webpack_require__(1150);
// EXTERNAL MODULE: ./build/compiler/scalar-text.js
var scalar_text = __webpack_require__(48008);
// EXTERNAL MODULE: ./build/compiler/untrusted/findings.js
var untrusted_findings = __webpack_require__(16971);
// EXTERNAL MODULE: ./build/compiler/untrusted/scopes.js
var scopes = __webpack_require__(10960);
;// CONCATENATED MODULE: ./build/compiler/untrusted/language.js


/** `undefined` for every other language, and where only the run decides. */
function languageOf(file, key, step) {
    if (key === 'run')
        return isPosixShell(shellOf(file, step)) ? 'shell' : undefined;
    const uses = key === 'script' ? valueAt(file, step.node, ['uses']) : undefined;
    return typeof uses === 'string' && /^actions\/github-script@/i.test(uses)
        ? 'javascript'
        : undefined;
}
function isPosixShell(shell) {
    return typeof shell === 'string' && /^(\S*\/)?(bash|sh)(\s|$)/.test(shell);
}
/** The nearest shell that is named; otherwise GitHub takes bash, but not on Windows. */
function shellOf(file, { job, node }) {
    return (valueAt(file, node, ['shell']) ??
        valueAt(file, job.node, ['defaults', 'run', 'shell']) ??
        valueAt(file, file.sections.get('defaults')?.value ?? null, ['run', 'shell']) ??
        (mayBeWindows(file, job.node) ? undefined : 'bash'));
}
function mayBeWindows(file, job) {
    const runner = JSON.stringify(valueAt(file, job, ['runs-on']) ?? '');
    const strategy = JSON.stringify(valueAt(file, job, ['strategy']) ?? '');
    const isUnknown = runner.includes('${{') && !/\$\{\{\s*matrix\./.test(runner);
    return (isUnknown ||
        /win|self-hosted/i.test(runner) ||
        (runner.includes('${{') && /win|\$\{\{/i.test(strategy)));
}
function valueAt(file, node, path) {
    const [key, ...rest] = path;
    if (key === undefined)
        return node?.toJS(file.document); // YAML is JSON
    const next = (0,dist/* isMap */.jh)(node) ? (0,scopes/* child */.jf)((0,scopes/* asMap */.$H)(node), key) : undefined;
    return next ? valueAt(file, next, rest) : undefined;
}

// EXTERNAL MODULE: ./node_modules/js-tokens/index.js
var js_tokens = __webpack_require__(78111);
;// CONCATENATED MODULE: ./build/compiler/untrusted/script-places.js

/**
 * How JavaScript reads the places where expressions stand, in their order; `undefined` where the
 * value would be code, or that is not certain.
 *
 * @param script with a name such as `expression_0` in place of each expression
 */
function scriptPlaces(script, placeholders) {
    const tokens = located(script);
    const evaluates = tokens.some(({ value }) => EVALUATING.has(value));
    return placeholders.map((placeholder) => evaluates ? undefined : placeOf(tokens, script.indexOf(placeholder), placeholder));
}
/** Functions that read a text as code, or hand it to a shell. */
const EVALUATING = new Set(['eval', 'Function', 'exec', 'execSync', 'import', 'require', 'vm']);
function located(script) {
    let at = 0;
    return [...js_tokens(script)].map(({ type, value }) => {
        const start = at;
        at += value.length;
        return { type, value, start, end: at };
    });
}
function placeOf(tokens, at, placeholder) {
    const index = tokens.findIndex(({ start, end }) => at >= start && at < end);
    const token = tokens[index];
    if (!token)
        return undefined;
    if (/Comment$/.test(token.type))
        return { kind: 'comment' };
    if (/Template/.test(token.type))
        return isEscaped(token, at) ? undefined : { kind: 'template' };
    const [before, after] = [neighbour(tokens, index, -1), neighbour(tokens, index, 1)];
    if (after?.value === ':' || before?.value === '.')
        return undefined;
    if (token.type === 'StringLiteral')
        return stringPlace(token, after, before);
    return token.value === placeholder && !isCalledOrNamed(before, after)
        ? { kind: 'value' }
        : undefined;
}
/** `a \${{ … }}`: what stands there before is part of the value. */
function isEscaped(token, at) {
    return token.value[at - token.start - 1] === '\\';
}
/** A string that can become a template literal: with no escape, and no directive or name of a module. */
function stringPlace({ value, start, end }, after, before) {
    const isDirective = before === undefined || before.value === ';' || before.value === '{';
    const isPlain = !/[\\`]/.test(value) && !value.includes('${');
    const closed = value.length > 1 && value.at(-1) === value[0];
    if (!isPlain || !closed || isDirective || before?.value === 'from')
        return undefined;
    return after?.type === 'StringLiteral' ? undefined : { kind: 'string', start, end };
}
function isCalledOrNamed(before, after) {
    if (['const', 'let', 'var', 'function', 'class', 'new'].includes(before?.value ?? ''))
        return true;
    return ['=', '=>', '(', '++', '--', '`'].includes(after?.value ?? '');
}
function neighbour(tokens, index, by) {
    for (let at = index + by; tokens[at]; at += by) {
        const token = tokens[at];
        if (token && !/^(WhiteSpace|LineTerminatorSequence|.*Comment)$/.test(token.type))
            return token;
    }
    return undefined;
}

// EXTERNAL MODULE: ./node_modules/unbash/dist/parser.js + 16 modules
var parser = __webpack_require__(88989);
;// CONCATENATED MODULE: ./build/compiler/untrusted/shell-nodes.js

/** Every node of a script of bash or sh; `undefined` when it does not parse. */
function nestedNodes(script) {
    const nodes = [];
    const visit = (node, above) => {
        nodes.push({ node, above });
        (0,parser/* forEachChild */.dK)(node, (child) => visit(child, [node, ...above]));
    };
    visit((0,parser/* parse */.qg)(script), []);
    return nodes.some(({ node }) => isBroken(node)) ? undefined : nodes;
}
function isBroken(node) {
    return node.type === 'Script' && 'errors' in node && Boolean(node.errors?.length);
}
/** The words of a command without quotes, its name first; a path counts by its last part. */
function wordsOf({ name, args }) {
    const words = [...(name ? [name] : []), ...args];
    return words.flatMap((word) => (word.type === 'Word' ? (word.value.split('/').at(-1) ?? []) : []));
}

;// CONCATENATED MODULE: ./build/compiler/untrusted/shell-risks.js

/** Commands that read a text as code: with one of them in a script, no variable of it is safe. */
const shell_risks_EVALUATING = words('alias bash coproc csh dash declare eval exec fish ksh let parallel sh source ssh su trap typeset xargs zsh');
/** Programs that read an argument, or what is piped into them, as code of their own. */
const INTERPRETERS = words('awk bc docker ed expect find gawk gdb getopts jq kubectl lua m4 make mapfile mawk mysql node npx osascript perl php podman psql pwsh python python2 python3 read readarray ruby sed sqlite3 tclsh unset vim wait watch');
/** Operators of tests that calculate, and so run what stands in an index such as `a[$(…)]`. */
const CALCULATING = words('-eq -ne -lt -le -gt -ge -v -R');
/** Variables that decide what other commands do. */
const GOVERNING = words('BASH_ENV ENV GIT_SSH GIT_SSH_COMMAND IFS LD_LIBRARY_PATH LD_PRELOAD NODE_OPTIONS PATH PERL5OPT PROMPT_COMMAND PS4 PYTHONPATH PYTHONSTARTUP RUBYOPT');
function words(text) {
    return new Set(text.split(' '));
}
/** True for a node that can turn the value of any variable into code. */
function evaluates(node) {
    if (node.type.startsWith('Arithmetic'))
        return true;
    if (node.type === 'TestBinary' || node.type === 'TestUnary')
        return CALCULATING.has(node.operator);
    if (node.type === 'Assignment')
        return GOVERNING.has(node.name);
    return node.type === 'Command' && (isNamedByValue(node) || evaluatesWords(node));
}
/** `$TOOL --flag`: the value is split, and its first word is run. */
function isNamedByValue({ name }) {
    return (name?.parts ?? []).some(({ type }) => /Expansion$/.test(type) || type === 'DoubleQuoted');
}
function evaluatesWords(command) {
    const all = wordsOf(command);
    if (all[0] === '.' || (isTest(all) && all.includes('-v')))
        return true;
    return all.some((word) => shell_risks_EVALUATING.has(word));
}
function isTest([name]) {
    return name === 'test' || name === '[' || name === 'printf';
}
function runsAnInterpreter(node) {
    return node.type === 'Command' && wordsOf(node).some((word) => INTERPRETERS.has(word));
}
/** `export "$TEXT"`: a text that names a variable can hold an index, and a flag can make it a number. */
function isNaming(command, inner) {
    const [name, ...more] = wordsOf(command);
    if (!['export', 'readonly', 'local'].includes(name ?? ''))
        return false;
    return inner?.type !== 'Assignment' || more.some((word) => /^-\w*[in]/.test(word));
}
/** One line more in these files is one variable, or one folder of programs, more for all later steps. */
function writesEnvironment(script, nodes) {
    return nodes.some(({ node }) => /GITHUB_(ENV|PATH)\b/.test(script.slice(node.pos, node.end)));
}

;// CONCATENATED MODULE: ./build/compiler/untrusted/shell-places.js


/**
 * How bash or sh reads the places where expressions stand, in their order. `undefined` where the
 * value of a variable in its stead would be read as code too, or not at all, and wherever that is
 * not certain.
 *
 * @param script with a word such as `expression_0` in place of each expression
 */
function shellPlaces(script, placeholders) {
    const nodes = nestedNodes(script);
    if (!nodes || nodes.some(({ node }) => evaluates(node)))
        return placeholders.map(() => undefined);
    return placeholders.map((placeholder) => shell_places_placeOf(script, nodes, script.indexOf(placeholder)));
}
function shell_places_placeOf(script, nodes, at) {
    const found = nodes.findLast(({ node }) => isLeafAt(node, at));
    if (!found)
        return isComment(script, at) ? 'verbatim' : undefined;
    const path = [found.node, ...found.above];
    const isCode = script[at - 1] === '\\' || path.some((node, depth) => isRead(node, path[depth - 1]));
    return isCode || isAtRisk(script, nodes, path) ? undefined : quotingOf(path);
}
/** Nodes that hold text and nothing else. */
function isLeafAt(node, at) {
    if (at < node.pos || at >= node.end)
        return false;
    if (node.type === 'Word' || node.type === 'HereDocBody')
        return node.parts === undefined;
    return ['Literal', 'SingleQuoted', 'AnsiCQuoted', 'Glob', 'ArithmeticWord'].includes(node.type);
}
function isComment(script, at) {
    return /(^|[\s;&|()])#/.test(script.slice(script.lastIndexOf('\n', at) + 1, at));
}
/** What is no plain text to the shell: patterns, names, lists that it splits. */
const READ = new Set([
    'AnsiCQuoted',
    'BraceExpansion',
    'ExtendedGlob',
    'Glob',
    'HereDocDelimiter',
    'ParameterExpansion',
]);
/** @param inner the node of the path that lies right within this one */
function isRead(node, inner) {
    if (node.type === 'CaseItem')
        return inner?.type === 'Word';
    if (READ.has(node.type))
        return true;
    if (node.type === 'CommandExpansion')
        return node.text.startsWith('`');
    if (node.type === 'HereDoc')
        return node.delimiter?.quoted !== false;
    if (node.type === 'For' || node.type === 'Select')
        return inner?.type === 'Word';
    if (node.type === 'Assignment')
        return inner === node.index;
    return node.type === 'Command' && (inner === node.name || isNaming(node, inner));
}
/** A value that is kept, in a variable or a file, can reach every command of the script. */
function isAtRisk(script, nodes, path) {
    const pipeline = path.find(({ type }) => type === 'Pipeline') ?? path.find(({ type }) => type === 'Command');
    const near = nodes.filter((one) => one.node === pipeline || (pipeline && one.above.includes(pipeline)));
    const isKept = path.some(({ type }) => type === 'Assignment') ||
        near.some(({ node }) => node.type === 'Redirect');
    const reached = isKept || !pipeline ? nodes : near;
    if (pipeline && writesEnvironment(script, near))
        return true;
    return reached.some(({ node }) => runsAnInterpreter(node));
}
function quotingOf([leaf, around, ...more]) {
    if (leaf?.type === 'SingleQuoted')
        return 'single';
    if (leaf?.type === 'Word')
        return 'none';
    if (leaf?.type === 'HereDocBody' || around?.type === 'HereDocBody')
        return 'verbatim';
    if (around?.type === 'DoubleQuoted' || around?.type === 'LocaleString')
        return 'double';
    return around?.type === 'Word' && more.length > 0 ? 'none' : undefined;
}

;// CONCATENATED MODULE: ./build/compiler/untrusted/replacements.js


/** For each expression of a script, in order; `undefined` where only a person can mend it. */
function replacements(script, language) {
    const names = script.placeholders.map(({ name }) => name);
    if (language === 'shell') {
        return shellPlaces(script.text, names).map((quoting, at) => quoting && shellReplacement(script, at, quoting));
    }
    return scriptPlaces(script.text, names).map((place, at) => place && scriptReplacement(script, at, place));
}
const IN_SHELL = {
    none: (variable) => `"\${${variable}}"`,
    double: (variable) => `\${${variable}}`,
    single: (variable) => `'"\${${variable}}"'`,
    verbatim: (variable) => `\${${variable}}`,
};
function shellReplacement(script, at, quoting) {
    return { holds: asIs, edits: (variable) => atBraces(script, at, IN_SHELL[quoting](variable)) };
}
function asIs(expression) {
    return expression.trim();
}
/** A value keeps its type by way of JSON. */
function asJson(expression) {
    const text = expression.trim();
    return /^toJSON\([^()]*\)$/i.test(text) ? text : `toJSON(${text})`;
}
function scriptReplacement(script, at, place) {
    const inTemplate = (variable) => atBraces(script, at, `\${process.env.${variable}}`);
    switch (place.kind) {
        case 'value':
            return {
                holds: asJson,
                edits: (variable) => atBraces(script, at, `JSON.parse(process.env.${variable})`),
            };
        case 'comment':
            return { holds: asIs, edits: (variable) => atBraces(script, at, variable) };
        case 'template':
            return { holds: asIs, edits: inTemplate };
        case 'string':
            return {
                holds: asIs,
                edits: (variable) => [...inTemplate(variable), ...backticks(script, place)],
            };
    }
}
function backticks(script, { start, end }) {
    return [start, end - 1].map((quote) => {
        const at = script.toValue(quote);
        return { start: at, end: at + 1, text: '`' };
    });
}
function atBraces({ placeholders }, at, text) {
    const braces = placeholders[at]?.braces;
    return braces ? [{ ...braces, text }] : [];
}

// EXTERNAL MODULE: ./build/workflow/expression-spans.js
var expression_spans = __webpack_require__(63560);
;// CONCATENATED MODULE: ./build/compiler/untrusted/script.js

/** Puts a name in the place of each `${{ }}` of a value. */
function scriptOf(value) {
    const placeholders = (0,expression_spans/* expressionSpans */.k)(value).map(({ start, end }, index) => ({
        name: `hookline_expression_${index}_`,
        braces: { start: start - '${{'.length, end: Math.min(value.length, end + '}}'.length) },
    }));
    let at = 0;
    let text = '';
    const shifts = [];
    for (const { name, braces } of placeholders) {
        text += value.slice(at, braces.start) + name;
        at = braces.end;
        shifts.push({ from: text.length, by: at - text.length });
    }
    return {
        text: text + value.slice(at),
        placeholders,
        toValue: (place) => place + (shifts.findLast(({ from }) => from <= place)?.by ?? 0),
    };
}

// EXTERNAL MODULE: ./build/workflow/source.js
var source = __webpack_require__(7503);
// EXTERNAL MODULE: ./build/compiler/yaml-lines.js
var yaml_lines = __webpack_require__(25091);
;// CONCATENATED MODULE: ./build/compiler/untrusted/step-env.js






/**
 * Adds variables to the `env:` of a step, or gives it one.
 *
 * @returns `undefined` where there is no place for them: a step in braces, or an `env:` that is
 * itself an expression
 */
function addToEnv(text, step, variables) {
    const pair = step.items.find((item) => (0,file_expressions/* keyOf */.TN)(item) === 'env');
    const [key] = step.items.map((item) => item.key);
    if (step.flow || !key)
        return undefined;
    const column = columnOf(text, key);
    if (!pair)
        return newEnv(text, step, column, variables);
    const { value } = pair;
    if (value && !((0,dist/* isScalar */.jn)(value) && value.value === null) && !(0,dist/* isMap */.jh)(value))
        return undefined;
    if ((0,dist/* isMap */.jh)(value) && value.flow)
        return intoBraces(value, variables);
    const first = (0,dist/* isMap */.jh)(value) ? (0,scopes/* asMap */.$H)(value).items[0]?.key : undefined;
    const at = (0,source_file/* linesOf */.D)(text, (0,source/* rangeOf */.b)(pair.key)[0], (0,source/* rangeOf */.b)(pair.key)[1]).end;
    const indent = first ? columnOf(text, first) : column + 2;
    return insertion(at, entries(variables).map((line) => ' '.repeat(indent) + line));
}
/** The names that a step's own `env:` has. */
function envNames(step) {
    return (0,scopes/* pairsOf */.fq)((0,scopes/* child */.jf)(step, 'env')).map(file_expressions/* keyOf */.TN);
}
/** After the last key of the step, which ends where its last line does. */
function newEnv(text, step, column, variables) {
    const run = step.items.findLast((item) => ['run', 'with'].includes((0,file_expressions/* keyOf */.TN)(item)));
    if (!run?.value)
        return undefined;
    const { end } = (0,source_file/* linesOf */.D)(text, (0,source/* rangeOf */.b)(run.key)[0], (0,source/* rangeOf */.b)(run.value)[1]);
    const lines = ['env:', ...entries(variables).map((line) => `  ${line}`)];
    const edit = insertion(end, lines.map((line) => ' '.repeat(column) + line));
    return text[end - 1] === '\n' ? edit : { ...edit, text: `\n${edit.text.trimEnd()}` };
}
function insertion(at, lines) {
    return { start: at, end: at, text: lines.map((line) => `${line}\n`).join('') };
}
function intoBraces(env, variables) {
    const at = (0,source/* rangeOf */.b)(env)[0] + 1;
    const inside = variables.map(({ name, expression }) => `${name}: ${(0,yaml_lines/* quoted */.TL)(template(expression))}`);
    const more = env.items.length > 0 ? ', ' : ' ';
    return { start: at, end: at, text: ` ${inside.join(', ')}${more}` };
}
function entries(variables) {
    return variables.map(({ name, expression }) => {
        const value = template(expression);
        return `${name}: ${/: | #/.test(value) ? (0,yaml_lines/* quoted */.TL)(value) : value}`;
    });
}
function template(expression) {
    return `\${{ ${expression.trim().replaceAll(/\s*[\r\n]\s*/g, ' ')} }}`;
}
function columnOf(text, node) {
    const [start] = (0,source/* rangeOf */.b)(node);
    return start - (text.lastIndexOf('\n', start - 1) + 1);
}

// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/index.js + 16 modules
var expressions_dist = __webpack_require__(44662);
// EXTERNAL MODULE: ./node_modules/@actions/expressions/dist/lexer.js
var lexer = __webpack_require__(12083);
;// CONCATENATED MODULE: ./build/compiler/untrusted/variable-names.js


/** Steps that say nothing about what a value is. */
const IDLE = new Set(['on', 'outputs', 'github', 'event', 'tojson', 'fromjson', 'format', 'join']);
/**
 * A name for the variable of an expression: `on.webhook.outputs.body.title` → `WEBHOOK_BODY_TITLE`.
 *
 * @param taken names that something else has already
 */
function variableName(expression, taken) {
    const { tokens } = new expressions_dist/* Lexer */.JG(expression.replaceAll(/[\r\n]/g, ' ')).lex();
    const parts = tokens
        .filter(({ type }) => type === lexer/* TokenType */.ks.IDENTIFIER || type === lexer/* TokenType */.ks.STRING)
        .map(({ lexeme }) => lexeme.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, ''))
        .filter((part) => part !== '' && !IDLE.has(part.toLowerCase()));
    const words = parts.length > 0 ? parts.slice(0, 4) : ['untrusted', 'text'];
    const name = `${/^\d/.test(words[0] ?? '') ? '_' : ''}${words.join('_')}`
        .toUpperCase()
        .slice(0, 60);
    const long = words.length > 1 ? name : `EVENT_${name}`; // one word alone may be PATH
    for (let count = 1;; count++) {
        const candidate = count === 1 ? long : `${long}_${count}`;
        if (!taken(candidate))
            return candidate;
    }
}

;// CONCATENATED MODULE: ./build/compiler/untrusted/fix.js











/**
 * Moves untrusted text from scripts into `env:`, where that surely keeps what the script does. The
 * rest stays for a person.
 */
function fixUntrusted(file) {
    const findings = (0,untrusted_findings/* findUntrusted */.w)(file);
    const fixes = [...new Set(findings.map(({ node }) => node))].map((script) => fixScript(file, findings.filter(({ node }) => node === script)));
    const text = (0,edits/* applyEdits */.c)(file.source.text, fixes.flatMap(({ edits }) => edits));
    return { text, count: fixes.reduce((sum, { count }) => sum + count, 0) };
}
const NO_FIX = { edits: [], count: 0 };
/** @param findings all of one script */
function fixScript(file, findings) {
    const [first] = findings;
    const language = first?.step && languageOf(file, first.key, first.step);
    if (!first?.step || !language)
        return NO_FIX;
    const written = new scalar_text/* ScalarText */.s(file.source.text, first.node);
    const script = scriptOf(written.value);
    const all = replacements(script, language);
    const variables = new Variables(file, first.step, script.text);
    const edits = script.placeholders.flatMap(({ braces }, at) => {
        const inside = written.value.slice(braces.start + 3, braces.end - 2);
        const isFound = findings.some(({ expression }) => expression.text === inside);
        const replacement = isFound ? all[at] : undefined;
        return replacement ? [replacement.edits(variables.nameFor(replacement.holds(inside)))] : [];
    });
    const env = edits.length > 0 && addToEnv(file.source.text, first.step.node, variables.all);
    if (!env)
        return NO_FIX;
    return { edits: [...inSource(written, first.node, edits.flat()), env], count: edits.length };
}
/** Edits of a value as edits of the file; two expressions in one string share its quotes. */
function inSource(written, { type }, edits) {
    const once = new Map(edits.map((edit) => [edit.start, edit]));
    return [...once.values()].map(({ start, end, text }) => ({
        ...written.stretch(start, end),
        text: escaped(text, type),
    }));
}
function escaped(text, style) {
    if (style === dist/* Scalar */.X5.QUOTE_SINGLE)
        return text.replaceAll("'", "''");
    return style === dist/* Scalar */.X5.QUOTE_DOUBLE ? JSON.stringify(text).slice(1, -1) : text;
}
/** The variables that a step gets, one for each value, under names that nothing else has. */
class Variables {
    #names = new Map();
    #taken;
    #script;
    constructor({ sections }, { job, node }, script) {
        const outer = [sections.get('env')?.value, (0,scopes/* child */.jf)(job.node, 'env')];
        this.#taken = new Set([...envNames(node), ...outer.flatMap((env) => (0,scopes/* pairsOf */.fq)(env).map(file_expressions/* keyOf */.TN))]);
        this.#script = script;
    }
    get all() {
        return [...this.#names].map(([expression, name]) => ({ name, expression }));
    }
    nameFor(expression) {
        const known = this.#names.get(expression);
        const name = known ?? variableName(expression, (candidate) => this.#isTaken(candidate));
        this.#names.set(expression, name);
        return name;
    }
    #isTaken(name) {
        const own = [...this.#names.values()].includes(name);
        return own || this.#taken.has(name) || new RegExp(`\\b${name}\\b`).test(this.#script);
    }
}

// EXTERNAL MODULE: ./build/protocol/errors.js
var errors = __webpack_require__(2546);
// EXTERNAL MODULE: ./build/entries/cli/build-workflows.js + 18 modules
var build_workflows = __webpack_require__(93780);
;// CONCATENATED MODULE: ./build/entries/cli/compiled-folder.js




/** The folder that compiled files are written into: never beyond it, never over a person's file. */
class CompiledFolder {
    #root;
    #folder;
    /** @param out the folder, from `root` */
    constructor(root, out) {
        this.#root = root;
        this.#folder = (0,external_node_path_.resolve)(root, out);
    }
    /** How a file of the folder is shown: its path from the root, with forward slashes. */
    show(name) {
        return (0,external_node_path_.relative)(this.#root, (0,external_node_path_.join)(this.#folder, name)).split(external_node_path_.sep).join('/');
    }
    /** The compiled files that are there, by name. @throws UserError where links lead elsewhere */
    compiled() {
        this.#checkLinks();
        const names = this.#names().filter((name) => /\.ya?ml$/.test(name));
        const files = names.flatMap((name) => {
            const text = this.#textOf(name);
            return text !== undefined && (0,generated/* originOf */.yv)(text) ? [[name, text]] : [];
        });
        return new Map(files);
    }
    /** @throws UserError naming every file that is not a compiled one, though one would go there */
    refuseForeign(names) {
        const foreign = names.filter((name) => this.#isForeign(name)).map((name) => this.show(name));
        if (foreign.length === 0)
            return;
        throw new errors/* UserError */.y(foreign.map((file) => ({
            message: `${file} was not written by hookline build, so it is left as it is`,
            notes: ['move or delete it, or rename the workflow that would be compiled there'],
        })));
    }
    /** Replaces or makes a file in one step; a link of that name is replaced, not followed. */
    write(name, text) {
        this.refuseForeign([name]);
        (0,external_node_fs_.mkdirSync)(this.#folder, { recursive: true });
        this.#checkLinks();
        const part = (0,external_node_path_.join)(this.#folder, `.${name}.part`);
        (0,external_node_fs_.rmSync)(part, { force: true });
        (0,external_node_fs_.writeFileSync)(part, text, { flag: 'wx' });
        (0,external_node_fs_.renameSync)(part, (0,external_node_path_.join)(this.#folder, name));
    }
    /** Removes a compiled file. */
    remove(name) {
        this.refuseForeign([name]);
        (0,external_node_fs_.rmSync)((0,external_node_path_.join)(this.#folder, name));
    }
    #isForeign(name) {
        const stat = (0,external_node_fs_.lstatSync)((0,external_node_path_.join)(this.#folder, name), { throwIfNoEntry: false });
        if (!stat)
            return false;
        return !stat.isFile() || !(0,generated/* originOf */.yv)((0,external_node_fs_.readFileSync)((0,external_node_path_.join)(this.#folder, name), 'utf8'));
    }
    #names() {
        try {
            return (0,external_node_fs_.readdirSync)(this.#folder).sort();
        }
        catch {
            return [];
        }
    }
    #textOf(name) {
        const path = (0,external_node_path_.join)(this.#folder, name);
        return (0,external_node_fs_.lstatSync)(path).isFile() ? (0,external_node_fs_.readFileSync)(path, 'utf8') : undefined;
    }
    /** The folder must lie where its path says: a link on the way could lead out of the repository. */
    #checkLinks() {
        const there = nearestExisting(this.#folder);
        const expected = (0,external_node_path_.resolve)((0,external_node_fs_.realpathSync)(this.#root), (0,external_node_path_.relative)(this.#root, there));
        if ((0,external_node_fs_.realpathSync)(there) === expected)
            return;
        throw new errors/* UserError */.y({
            message: `${this.show('')} leads elsewhere by a symbolic link`,
            notes: ['compiled files are written only into the folder itself'],
        });
    }
}
function nearestExisting(path) {
    const exists = (0,external_node_fs_.lstatSync)(path, { throwIfNoEntry: false }) !== undefined;
    return exists || (0,external_node_path_.dirname)(path) === path ? path : nearestExisting((0,external_node_path_.dirname)(path));
}

// EXTERNAL MODULE: ./build/entries/cli/source-files.js
var source_files = __webpack_require__(68235);
;// CONCATENATED MODULE: ./build/entries/cli/build.js









/** Compiles, and writes unless it only checks or something is wrong: then nothing is written at all. */
async function build(options) {
    try {
        const sources = (0,source_files/* findSourceFiles */._b)(options.root, options.globs);
        const fixed = options.fix ? sources.flatMap(({ file }) => fixFile(options.root, file)) : [];
        const built = await (0,build_workflows/* buildWorkflows */.V)(options.root, sources, options);
        return { ...writeBuilt(options, built), fixed };
    }
    catch (error) {
        if (!(error instanceof errors/* UserError */.y))
            throw error;
        return { changes: [], errors: error.problems, warnings: [], fixed: [] };
    }
}
function writeBuilt(options, built) {
    const untrusted = built.flatMap((one) => one.untrusted);
    const errors = [
        ...built.flatMap(({ problems }) => problems),
        ...(options.strict ? untrusted : []),
    ];
    const notices = [...built.flatMap((one) => one.notices), ...lockNotice(options.root)];
    const warnings = [...(options.strict ? [] : untrusted), ...notices];
    if (errors.length > 0)
        return { changes: [], errors, warnings };
    const folder = new CompiledFolder(options.root, options.out);
    const compiled = built.flatMap((one) => one.compiled?.files ?? []);
    folder.refuseForeign(compiled.map(({ name }) => name));
    const changes = changesOf(compiled, folder.compiled(), isGone(options.root, built));
    if (!options.check)
        for (const change of changes)
            apply(folder, change);
    const shown = changes.map((change) => ({ ...change, path: folder.show(change.name) }));
    return { changes: shown, errors, warnings };
}
/** A source that was deleted, or has lost its last trigger, leaves no workflow behind. */
function isGone(root, built) {
    const idle = built.filter(({ compiled }) => !compiled).map(({ source }) => source.file);
    return (source) => idle.includes(source) || !(0,external_node_fs_.existsSync)((0,external_node_path_.join)(root, source));
}
function apply(folder, { name, status, after }) {
    if (status === 'stale')
        folder.remove(name);
    else if (status !== 'unchanged')
        folder.write(name, after);
}
function fixFile(root, file) {
    const source = (0,source_files/* readSource */.o$)(root, file);
    const { text, count } = fixUntrusted((0,source_file/* readSourceFile */.u)('', source));
    if (count === 0)
        return [];
    (0,source_files/* writeSource */.ly)(root, file, text);
    return [{ file, count }];
}
const LOCK_FILES = [
    '.github/actions.lock',
    '.github/actions.lock.json',
    '.github/workflows/actions.lock',
];
function lockNotice(root) {
    return LOCK_FILES.filter((file) => (0,external_node_fs_.existsSync)((0,external_node_path_.join)(root, file))).map((file) => ({
        message: `${file} locks the actions of this repository`,
        notes: ['the compiled files run one more: update the lock file after this build'],
    }));
}


/***/ })

};
