export const id = 267;
export const ids = [267];
export const modules = {

/***/ 23263:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  ComputeOptions: () => ComputeOptions,
  Context: () => Context,
  OpType: () => OpType,
  ProcessingMode: () => ProcessingMode,
  computeValue: () => computeValue,
  evalExpr: () => evalExpr
});
module.exports = __toCommonJS(internal_exports);
var import_util = __webpack_require__(22356);
var ProcessingMode = /* @__PURE__ */ ((ProcessingMode2) => {
  ProcessingMode2[ProcessingMode2["CLONE_OFF"] = 0] = "CLONE_OFF";
  ProcessingMode2[ProcessingMode2["CLONE_INPUT"] = 1] = "CLONE_INPUT";
  ProcessingMode2[ProcessingMode2["CLONE_OUTPUT"] = 2] = "CLONE_OUTPUT";
  ProcessingMode2[ProcessingMode2["CLONE_ALL"] = 3] = "CLONE_ALL";
  return ProcessingMode2;
})(ProcessingMode || {});
class ComputeOptions {
  constructor(options, locals) {
    this.options = options;
    this.#locals = locals ? { ...locals } : {};
  }
  #locals;
  /**
   * Initializes a new instance of the `ComputeOptions` class with the provided options.
   *
   * @param options - A partial set of options to configure the `ComputeOptions` instance.
   *                  If an instance of `ComputeOptions` is provided, its internal options and locals are used.
   * @returns A new `ComputeOptions` instance configured with the provided options and root.
   */
  static init(options) {
    return options instanceof ComputeOptions ? new ComputeOptions(options.options, options.#locals) : new ComputeOptions({
      idKey: "_id",
      scriptEnabled: true,
      useStrictMode: true,
      failOnError: true,
      processingMode: 0 /* CLONE_OFF */,
      ...options,
      context: options?.context ? Context.from(options?.context) : Context.init()
    });
  }
  update(locals) {
    Object.assign(this.#locals, locals, {
      // DO NOT override timestamp
      timestamp: this.#locals.timestamp,
      // merge variables.
      variables: { ...this.#locals?.variables, ...locals?.variables }
    });
    return this;
  }
  get local() {
    return this.#locals;
  }
  get now() {
    let timestamp = this.#locals.timestamp ?? 0;
    if (!timestamp) {
      timestamp = Date.now();
      Object.assign(this.#locals, { timestamp });
    }
    return new Date(timestamp);
  }
  get idKey() {
    return this.options.idKey;
  }
  get collation() {
    return this.options?.collation;
  }
  get processingMode() {
    return this.options?.processingMode;
  }
  get useStrictMode() {
    return this.options?.useStrictMode;
  }
  get scriptEnabled() {
    return this.options?.scriptEnabled;
  }
  get failOnError() {
    return this.options?.failOnError;
  }
  get collectionResolver() {
    return this.options?.collectionResolver;
  }
  get jsonSchemaValidator() {
    return this.options?.jsonSchemaValidator;
  }
  get variables() {
    return this.options?.variables;
  }
  get context() {
    return this.options?.context;
  }
}
var OpType = /* @__PURE__ */ ((OpType2) => {
  OpType2["ACCUMULATOR"] = "accumulator";
  OpType2["EXPRESSION"] = "expression";
  OpType2["PIPELINE"] = "pipeline";
  OpType2["PROJECTION"] = "projection";
  OpType2["QUERY"] = "query";
  OpType2["WINDOW"] = "window";
  return OpType2;
})(OpType || {});
class Context {
  #operators;
  constructor() {
    this.#operators = {
      ["accumulator" /* ACCUMULATOR */]: {},
      ["expression" /* EXPRESSION */]: {},
      ["pipeline" /* PIPELINE */]: {},
      ["projection" /* PROJECTION */]: {},
      ["query" /* QUERY */]: {},
      ["window" /* WINDOW */]: {}
    };
  }
  static init(ops = {}) {
    const ctx = new Context();
    for (const type of Object.keys(ops)) {
      ctx.#operators[type] = { ...ops[type] };
    }
    return ctx;
  }
  /** Returns a new context with the operators from the provided contexts merged left to right. */
  static from(...ctx) {
    if (ctx.length === 1) return Context.init(ctx[0].#operators);
    const newCtx = new Context();
    for (const context of ctx) {
      for (const type of Object.values(OpType)) {
        newCtx.addOps(type, context.#operators[type]);
      }
    }
    return newCtx;
  }
  addOps(type, operators) {
    this.#operators[type] = Object.assign({}, operators, this.#operators[type]);
    return this;
  }
  getOperator(type, name) {
    return this.#operators[type][name] ?? null;
  }
  addAccumulatorOps(ops) {
    return this.addOps("accumulator" /* ACCUMULATOR */, ops);
  }
  addExpressionOps(ops) {
    return this.addOps("expression" /* EXPRESSION */, ops);
  }
  addQueryOps(ops) {
    return this.addOps("query" /* QUERY */, ops);
  }
  addPipelineOps(ops) {
    return this.addOps("pipeline" /* PIPELINE */, ops);
  }
  addProjectionOps(ops) {
    return this.addOps("projection" /* PROJECTION */, ops);
  }
  addWindowOps(ops) {
    return this.addOps("window" /* WINDOW */, ops);
  }
}
function computeValue(obj, expr, operator, options) {
  return evalExpr(obj, { [operator]: expr }, options);
}
function evalExpr(obj, expr, options) {
  const copts = !(options instanceof ComputeOptions) || (0, import_util.isNil)(options.local.root) ? ComputeOptions.init(options).update({ root: obj }) : options;
  return computeExpression(obj, expr, copts);
}
const SYSTEM_VARS = /* @__PURE__ */ new Set(["$$ROOT", "$$CURRENT", "$$REMOVE", "$$NOW"]);
function computeExpression(obj, expr, options) {
  if ((0, import_util.isString)(expr) && expr.length > 0 && expr[0] === "$") {
    if (expr === "$$KEEP" || expr === "$$PRUNE" || expr === "$$DESCEND")
      return expr;
    let ctx = options.local.root;
    const dot = expr.indexOf(".");
    const prefix = dot === -1 ? expr : expr.substring(0, dot);
    if (SYSTEM_VARS.has(prefix)) {
      switch (prefix) {
        case "$$ROOT":
          break;
        case "$$CURRENT":
          ctx = obj;
          break;
        case "$$REMOVE":
          ctx = void 0;
          break;
        case "$$NOW":
          ctx = new Date(options.now);
          break;
      }
      expr = dot === -1 ? "" : expr.substring(dot + 1);
    } else if (prefix.length >= 2 && prefix[1] === "$") {
      ctx = Object.assign(
        {},
        // global vars
        options.variables,
        // current item is added before local variables because the binding may be changed.
        { this: obj },
        // local vars
        options?.local?.variables
      );
      const name = prefix.substring(2);
      (0, import_util.assert)((0, import_util.has)(ctx, name), `Use of undefined variable: ${name}`);
      expr = expr.substring(2);
    } else {
      expr = expr.substring(1);
    }
    return expr === "" ? ctx : (0, import_util.resolve)(ctx, expr);
  }
  if ((0, import_util.isArray)(expr)) {
    const result = new Array(expr.length);
    for (let i = 0; i < expr.length; i++) {
      result[i] = computeExpression(obj, expr[i], options);
    }
    return result;
  }
  if ((0, import_util.isObject)(expr)) {
    const keys = Object.keys(expr);
    if ((0, import_util.isOperator)(keys[0])) {
      (0, import_util.assert)(keys.length === 1, "Expression must contain a single operator.");
      return computeOperator(obj, expr[keys[0]], keys[0], options);
    }
    const result = {};
    for (let i = 0; i < keys.length; i++) {
      result[keys[i]] = computeExpression(obj, expr[keys[i]], options);
    }
    return result;
  }
  return expr;
}
function computeOperator(obj, expr, operator, options) {
  const context = options.context;
  const fn = context.getOperator("expression" /* EXPRESSION */, operator);
  if (fn) return fn(obj, expr, options);
  const accFn = context.getOperator("accumulator" /* ACCUMULATOR */, operator);
  (0, import_util.assert)(!!accFn, `accumulator '${operator}' is not registered.`);
  if (!(0, import_util.isArray)(obj)) {
    obj = computeExpression(obj, expr, options);
    expr = null;
  }
  (0, import_util.assert)((0, import_util.isArray)(obj), `arguments must resolve to array for ${operator}.`);
  return accFn(obj, expr, options);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 9219:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var core_exports = {};
__export(core_exports, {
  Context: () => import_internal.Context,
  OpType: () => import_internal.OpType,
  ProcessingMode: () => import_internal.ProcessingMode,
  computeValue: () => import_internal.computeValue,
  evalExpr: () => import_internal.evalExpr
});
module.exports = __toCommonJS(core_exports);
var import_internal = __webpack_require__(23263);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 71205:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var cursor_exports = {};
__export(cursor_exports, {
  Cursor: () => Cursor
});
module.exports = __toCommonJS(cursor_exports);
var import_internal = __webpack_require__(23263);
var import_lazy = __webpack_require__(97005);
var import_limit = __webpack_require__(12463);
var import_project = __webpack_require__(25725);
var import_skip = __webpack_require__(95177);
var import_sort = __webpack_require__(8958);
var import_util = __webpack_require__(22356);
const OPERATORS = { $sort: import_sort.$sort, $skip: import_skip.$skip, $limit: import_limit.$limit };
class Cursor {
  #source;
  #predicate;
  #projection;
  #options;
  #operators = {};
  #result = null;
  #buffer = [];
  /**
   * Creates an instance of the Cursor class.
   *
   * @param source - The source of data to be iterated over.
   * @param predicate - A function or condition to filter the data.
   * @param projection - An object specifying the fields to include or exclude in the result.
   * @param options - Optional settings to customize the behavior of the cursor.
   */
  constructor(source, predicate, projection, options) {
    this.#source = source;
    this.#predicate = predicate;
    this.#projection = projection;
    this.#options = options;
  }
  /** Returns the iterator from running the query */
  fetch() {
    if (this.#result) return this.#result;
    this.#result = (0, import_lazy.Lazy)(this.#source).filter(this.#predicate);
    const mode = this.#options.processingMode;
    if (mode & import_internal.ProcessingMode.CLONE_INPUT) this.#result.map((o) => (0, import_util.cloneDeep)(o));
    for (const op of Object.keys(OPERATORS)) {
      if ((0, import_util.has)(this.#operators, op)) {
        const f = OPERATORS[op];
        this.#result = f(this.#result, this.#operators[op], this.#options);
      }
    }
    if (Object.keys(this.#projection).length) {
      this.#result = (0, import_project.$project)(this.#result, this.#projection, this.#options);
    }
    if (mode & import_internal.ProcessingMode.CLONE_OUTPUT) this.#result.map((o) => (0, import_util.cloneDeep)(o));
    return this.#result;
  }
  /** Returns an iterator with the buffered data included */
  fetchAll() {
    const buffered = (0, import_lazy.Lazy)(Array.from(this.#buffer));
    this.#buffer.length = 0;
    return (0, import_lazy.concat)(buffered, this.fetch());
  }
  /**
   * Return remaining objects in the cursor as an array. This method exhausts the cursor
   * @returns {Array}
   */
  all() {
    return this.fetchAll().collect();
  }
  /**
   * Returns a cursor that begins returning results only after passing or skipping a number of documents.
   * @param {Number} n the number of results to skip.
   * @return {Cursor} Returns the cursor, so you can chain this call.
   */
  skip(n) {
    this.#operators["$skip"] = n;
    return this;
  }
  /**
   * Limits the number of items returned by the cursor.
   *
   * @param n - The maximum number of items to return.
   * @returns The current cursor instance for chaining.
   */
  limit(n) {
    this.#operators["$limit"] = n;
    return this;
  }
  /**
   * Returns results ordered according to a sort specification.
   * @param {AnyObject} modifier an object of key and values specifying the sort order. 1 for ascending and -1 for descending
   * @return {Cursor} Returns the cursor, so you can chain this call.
   */
  sort(modifier) {
    this.#operators["$sort"] = modifier;
    return this;
  }
  /**
   * Sets the collation options for the cursor.
   * Collation allows users to specify language-specific rules for string comparison,
   * such as case sensitivity and accent marks.
   *
   * @param spec - The collation specification to apply.
   * @returns The current cursor instance for chaining.
   */
  collation(spec) {
    this.#options = { ...this.#options, collation: spec };
    return this;
  }
  /**
   * Retrieves the next item in the cursor.
   */
  next() {
    if (this.#buffer.length > 0) {
      return this.#buffer.pop();
    }
    const o = this.fetch().next();
    if (o.done) return void 0;
    return o.value;
  }
  /**
   * Determines if there are more elements available in the cursor.
   *
   * @returns {boolean} `true` if there are more elements to iterate over, otherwise `false`.
   */
  hasNext() {
    if (this.#buffer.length > 0) return true;
    const o = this.fetch().next();
    if (o.done) return false;
    this.#buffer.push(o.value);
    return true;
  }
  /**
   * Returns an iterator for the cursor, allowing it to be used in `for...of` loops.
   * The iterator fetches all the results from the cursor.
   *
   * @returns {Iterator} An iterator over the fetched results.
   */
  [Symbol.iterator]() {
    return this.fetchAll();
  }
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 97005:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lazy_exports = {};
__export(lazy_exports, {
  Iterator: () => Iterator,
  Lazy: () => Lazy,
  concat: () => concat
});
module.exports = __toCommonJS(lazy_exports);
var import_util = __webpack_require__(22356);
function Lazy(source) {
  return new Iterator(source);
}
function concat(...iterators) {
  let index = 0;
  return Lazy(() => {
    while (index < iterators.length) {
      const o = iterators[index].next();
      if (!o.done) return o;
      index++;
    }
    return { done: true, value: void 0 };
  });
}
function isGenerator(o) {
  return !!o && typeof o === "object" && typeof o?.next === "function";
}
function isIterable(o) {
  return !!o && (typeof o === "object" || typeof o === "function") && typeof o[Symbol.iterator] === "function";
}
class Iterator {
  #iteratees = [];
  #buffer = [];
  #getNext;
  #done = false;
  constructor(source) {
    let iter;
    if (isIterable(source))
      iter = source[Symbol.iterator]();
    else if (isGenerator(source)) iter = source;
    else if (typeof source === "function") iter = { next: source };
    else
      (0, import_util.assert)(0, "mingo: iterator requires an iterable, generator or function");
    let index = -1;
    this.#getNext = () => {
      while (true) {
        let { value, done } = iter.next();
        if (done) return { done };
        let ok = true;
        index++;
        for (let i = 0; i < this.#iteratees.length; i++) {
          const { op, fn } = this.#iteratees[i];
          const res = fn(value, index);
          if (op === "map") {
            value = res;
          } else if (!res) {
            ok = false;
            break;
          }
        }
        if (ok) return { value, done };
      }
    };
  }
  /**
   * Add an iteratee to this lazy sequence
   */
  push(op, fn) {
    this.#iteratees.push({ op, fn });
    return this;
  }
  next() {
    return this.#getNext();
  }
  // Iteratees methods
  /**
   * Transform each item in the sequence to a new value
   * @param {Function} f
   */
  map(f) {
    return this.push("map", f);
  }
  /**
   * Select only items matching the given predicate
   * @param {Function} f
   */
  filter(f) {
    return this.push("filter", f);
  }
  /**
   * Take given numbe for values from sequence
   * @param {Number} n A number greater than 0
   */
  take(n) {
    (0, import_util.assert)(n >= 0, "value must be a non-negative integer");
    return this.filter((_) => n-- > 0);
  }
  /**
   * Drop a number of values from the sequence
   * @param {Number} n Number of items to drop greater than 0
   */
  drop(n) {
    (0, import_util.assert)(n >= 0, "value must be a non-negative integer");
    return this.filter((_) => n-- <= 0);
  }
  // Transformations
  /**
   * Returns a new lazy object with results of the transformation
   * The entire sequence is realized.
   *
   * @param {Callback<Source, Any[]>} f Tranform function of type (Array) => (Any)
   */
  transform(f) {
    const self = this;
    let iter;
    return Lazy(() => {
      if (!iter) iter = f(self.collect());
      return iter.next();
    });
  }
  /**
   * Retrieves all remaining values from the lazy evaluation and returns them as an array.
   * This method processes the underlying iterator until it is exhausted, storing the results
   * in an internal buffer to ensure subsequent calls return the same data.
   */
  collect() {
    while (!this.#done) {
      const { done, value } = this.#getNext();
      if (!done) this.#buffer.push(value);
      this.#done = done;
    }
    return this.#buffer;
  }
  /**
   * Execute the callback for each value.
   * @param f The callback function.
   */
  each(f) {
    for (let o = this.next(); o.done !== true; o = this.next()) f(o.value);
  }
  /**
   * Returns the reduction of sequence according the reducing function
   *
   * @param f The reducing function
   * @param initialValue The initial value
   */
  reduce(f, initialValue) {
    let o = this.next();
    if (initialValue === void 0 && !o.done) {
      initialValue = o.value;
      o = this.next();
    }
    while (!o.done) {
      initialValue = f(initialValue, o.value);
      o = this.next();
    }
    return initialValue;
  }
  /**
   * Returns the number of matched items in the sequence.
   * The stream is realized and buffered for later retrieval with {@link collect}.
   */
  size() {
    return this.collect().length;
  }
  [Symbol.iterator]() {
    return this;
  }
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 47366:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var predicates_exports = {};
__export(predicates_exports, {
  $all: () => $all,
  $elemMatch: () => $elemMatch,
  $eq: () => $eq,
  $gt: () => $gt,
  $gte: () => $gte,
  $in: () => $in,
  $lt: () => $lt,
  $lte: () => $lte,
  $mod: () => $mod,
  $ne: () => $ne,
  $nin: () => $nin,
  $regex: () => $regex,
  $size: () => $size,
  $type: () => $type,
  processExpression: () => processExpression,
  processQuery: () => processQuery
});
module.exports = __toCommonJS(predicates_exports);
var import_internal = __webpack_require__(23263);
var import_query = __webpack_require__(92067);
var import_internal2 = __webpack_require__(12044);
function elemMatchPredicate(criteria, options) {
  if (Object.keys(criteria).length === 0) {
    return (v) => (0, import_internal2.isObject)(v);
  }
  let format = (x) => x;
  let wrap = true;
  for (const k of Object.keys(criteria)) {
    wrap &&= (0, import_internal2.isOperator)(k) && "$and" !== k && "$or" !== k && "$nor" !== k;
    if (!wrap) break;
  }
  if (wrap) {
    criteria = { field: criteria };
    format = (x) => ({ field: x });
  }
  const q = new import_query.Query(criteria, options);
  return (v) => q.test(format(v));
}
function processQuery(selector, value, options, predicate) {
  let [begin, depth] = [-1, 0];
  while ((begin = selector.indexOf(".", begin + 1)) !== -1) depth++;
  const copts = import_internal.ComputeOptions.init(options).update({ depth });
  const opts = { unwrapArray: true };
  if (predicate === $elemMatch) {
    value = elemMatchPredicate(value, options);
  }
  return (o) => {
    const lhs = (0, import_internal2.resolve)(o, selector, opts);
    return predicate(lhs, value, copts);
  };
}
function processExpression(obj, expr, options, predicate) {
  (0, import_internal2.assert)(
    (0, import_internal2.isArray)(expr) && expr.length === 2,
    `${predicate.name} expects array(2)`
  );
  const [lhs, rhs] = (0, import_internal.evalExpr)(obj, expr, options);
  return predicate(lhs, rhs, options);
}
function $eq(a, b, options) {
  if ((0, import_internal2.isEqual)(a, b)) return true;
  if ((0, import_internal2.isNil)(a) && (0, import_internal2.isNil)(b)) return true;
  if ((0, import_internal2.isArray)(a)) {
    const depth = options?.local?.depth ?? 1;
    return a.some((v) => (0, import_internal2.isEqual)(v, b)) || (0, import_internal2.flatten)(a, depth).some((v) => (0, import_internal2.isEqual)(v, b));
  }
  return false;
}
function $ne(a, b, options) {
  return !$eq(a, b, options);
}
function $in(a, b, _options) {
  if ((0, import_internal2.isNil)(a)) return b.some((v) => v === null);
  const values = (0, import_internal2.ensureArray)(a);
  if ((0, import_internal2.intersection)([values, b]).length > 0) return true;
  const patterns = b.filter(import_internal2.isRegExp);
  return patterns.length > 0 && values.some((v) => (0, import_internal2.isString)(v) && patterns.some((re) => re.test(v)));
}
function $nin(a, b, options) {
  return !$in(a, b, options);
}
function $lt(a, b, _options) {
  return compare(a, b, (x, y) => (0, import_internal2.compare)(x, y) < 0);
}
function $lte(a, b, _options) {
  return compare(a, b, (x, y) => (0, import_internal2.compare)(x, y) <= 0);
}
function $gt(a, b, _options) {
  return compare(a, b, (x, y) => (0, import_internal2.compare)(x, y) > 0);
}
function $gte(a, b, _options) {
  return compare(a, b, (x, y) => (0, import_internal2.compare)(x, y) >= 0);
}
function $mod(a, b, _options) {
  return (0, import_internal2.ensureArray)(a).some(
    ((x) => b.length === 2 && x % b[0] === b[1])
  );
}
function $regex(a, b, options) {
  const lhs = (0, import_internal2.ensureArray)(a);
  const match = (x) => (0, import_internal2.isString)(x) && (0, import_internal2.truthy)(b.exec(x), options?.useStrictMode);
  return lhs.some(match) || (0, import_internal2.flatten)(lhs, 1).some(match);
}
function $all(values, rhs, options) {
  if (!(0, import_internal2.isArray)(values) || !(0, import_internal2.isArray)(rhs) || !values.length || !rhs.length) {
    return false;
  }
  let matched = true;
  for (const expr of rhs) {
    if (!matched) break;
    if ((0, import_internal2.isObject)(expr) && Object.keys(expr)[0] === "$elemMatch") {
      const criteria = expr["$elemMatch"];
      const pred = elemMatchPredicate(criteria, options);
      matched = $elemMatch(values, pred, options);
    } else if ((0, import_internal2.isRegExp)(expr)) {
      matched = values.some((s) => (0, import_internal2.isString)(s) && expr.test(s));
    } else {
      matched = values.some((v) => (0, import_internal2.isEqual)(expr, v));
    }
  }
  return matched;
}
function $size(a, b, _options) {
  return Array.isArray(a) && a.length === b;
}
function $elemMatch(a, b, _options) {
  if ((0, import_internal2.isArray)(a) && a.length !== 0) {
    for (let i = 0, len = a.length; i < len; i++) if (b(a[i])) return true;
  }
  return false;
}
const isNull = (a) => a === null;
const compareFuncs = {
  array: import_internal2.isArray,
  boolean: import_internal2.isBoolean,
  bool: import_internal2.isBoolean,
  date: import_internal2.isDate,
  number: import_internal2.isNumber,
  int: import_internal2.isInteger,
  long: import_internal2.isInteger,
  double: import_internal2.isNumber,
  decimal: import_internal2.isNumber,
  null: isNull,
  object: import_internal2.isObject,
  regexp: import_internal2.isRegExp,
  regex: import_internal2.isRegExp,
  string: import_internal2.isString,
  // added for completeness
  undefined: import_internal2.isNil,
  // deprecated
  // Mongo identifiers
  1: import_internal2.isNumber,
  //double
  2: import_internal2.isString,
  3: import_internal2.isObject,
  4: import_internal2.isArray,
  6: import_internal2.isNil,
  // deprecated
  8: import_internal2.isBoolean,
  9: import_internal2.isDate,
  10: isNull,
  11: import_internal2.isRegExp,
  16: import_internal2.isInteger,
  //int
  18: import_internal2.isInteger,
  //long
  19: import_internal2.isNumber
  //decimal
};
function compareType(a, b, _) {
  const f = compareFuncs[b];
  return f ? f(a) : false;
}
function $type(a, b, options) {
  return (0, import_internal2.isArray)(b) ? b.findIndex((t) => compareType(a, t, options)) >= 0 : compareType(a, b, options);
}
function compare(a, b, f) {
  for (const v of (0, import_internal2.ensureArray)(a)) {
    if ((0, import_internal2.typeOf)(v) === (0, import_internal2.typeOf)(b) && f(v, b)) return true;
  }
  return false;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 24270:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var first_exports = {};
__export(first_exports, {
  $first: () => $first
});
module.exports = __toCommonJS(first_exports);
var import_internal = __webpack_require__(23263);
const $first = (coll, expr, options) => {
  const obj = coll[0];
  const copts = import_internal.ComputeOptions.init(options).update({ root: obj });
  return (0, import_internal.evalExpr)(obj, expr, copts) ?? null;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 94610:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var firstN_exports = {};
__export(firstN_exports, {
  $firstN: () => $firstN
});
module.exports = __toCommonJS(firstN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
var import_push = __webpack_require__(16546);
const $firstN = (coll, expr, options) => {
  const foe = options.failOnError;
  const copts = options;
  const m = coll.length;
  const n = (0, import_internal.evalExpr)(copts?.local?.groupId, expr.n, copts);
  if (!(0, import_util.isInteger)(n) || n < 1)
    return (0, import_internal2.errExpectInteger)(foe, "$firstN 'n'", { min: 1 });
  return (0, import_push.$push)(m <= n ? coll : coll.slice(0, n), expr.input, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 87734:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var last_exports = {};
__export(last_exports, {
  $last: () => $last
});
module.exports = __toCommonJS(last_exports);
var import_internal = __webpack_require__(23263);
const $last = (coll, expr, options) => {
  const obj = coll[coll.length - 1];
  const copts = import_internal.ComputeOptions.init(options).update({ root: obj });
  return (0, import_internal.evalExpr)(obj, expr, copts) ?? null;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 23834:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lastN_exports = {};
__export(lastN_exports, {
  $lastN: () => $lastN
});
module.exports = __toCommonJS(lastN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
var import_push = __webpack_require__(16546);
const $lastN = (coll, expr, options) => {
  const copts = options;
  const m = coll.length;
  const n = (0, import_internal.evalExpr)(copts?.local?.groupId, expr.n, copts);
  const foe = options.failOnError;
  if (!(0, import_util.isInteger)(n) || n < 1) {
    return (0, import_internal2.errExpectInteger)(foe, "$lastN 'n'", { min: 1 });
  }
  return (0, import_push.$push)(m <= n ? coll : coll.slice(m - n), expr.input, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 56634:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var maxN_exports = {};
__export(maxN_exports, {
  $maxN: () => $maxN
});
module.exports = __toCommonJS(maxN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
var import_push = __webpack_require__(16546);
const $maxN = (coll, expr, options) => {
  const copts = options;
  const n = (0, import_internal.evalExpr)(copts?.local?.groupId, expr.n, copts);
  if (!(0, import_util.isInteger)(n) || n < 1) {
    return (0, import_internal2.errExpectInteger)(options.failOnError, "$maxN 'n'", { min: 1 });
  }
  return (0, import_push.$push)(coll, expr.input, options).filter((o) => !(0, import_util.isNil)(o)).sort(import_util.compare).slice(-n).reverse();
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 54948:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var minN_exports = {};
__export(minN_exports, {
  $minN: () => $minN
});
module.exports = __toCommonJS(minN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
var import_push = __webpack_require__(16546);
const $minN = (coll, expr, options) => {
  const copts = options;
  const n = (0, import_internal.evalExpr)(copts?.local?.groupId, expr.n, copts);
  if (!(0, import_util.isInteger)(n) || n < 1) {
    return (0, import_internal2.errExpectInteger)(options.failOnError, "$minN 'n'", { min: 1 });
  }
  return (0, import_push.$push)(coll, expr.input, options).filter((o) => !(0, import_util.isNil)(o)).sort(import_util.compare).slice(0, n);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 16546:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var push_exports = {};
__export(push_exports, {
  $push: () => $push
});
module.exports = __toCommonJS(push_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $push = (coll, expr, options) => {
  if ((0, import_util.isNil)(expr)) return coll;
  const copts = import_internal.ComputeOptions.init(options);
  const result = new Array(coll.length);
  for (let i = 0; i < coll.length; i++) {
    const root = coll[i];
    result[i] = (0, import_internal.evalExpr)(root, expr, copts.update({ root })) ?? null;
  }
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 25456:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  ARR_OPTS: () => ARR_OPTS,
  errExpectArray: () => errExpectArray,
  errExpectInteger: () => errExpectInteger,
  errExpectNumber: () => errExpectNumber,
  errExpectObject: () => errExpectObject,
  errExpectString: () => errExpectString,
  errInvalidArgs: () => errInvalidArgs
});
module.exports = __toCommonJS(internal_exports);
var import_util = __webpack_require__(22356);
const ARR_OPTS = {
  int: { type: "integers" },
  obj: { type: "objects" }
};
function errInvalidArgs(failOnError, message) {
  (0, import_util.assert)(!failOnError, message);
  return null;
}
function errExpectObject(failOnError, prefix) {
  const msg = `${prefix} expression must resolve to object`;
  (0, import_util.assert)(!failOnError, msg);
  return null;
}
function errExpectString(failOnError, prefix) {
  const msg = `${prefix} expression must resolve to string`;
  (0, import_util.assert)(!failOnError, msg);
  return null;
}
function errExpectNumber(failOnError, name, opts) {
  const type = opts?.integer ? "integer" : "number";
  const min = opts?.min ?? -Infinity;
  const max = opts?.max ?? Infinity;
  let msg;
  if (min === 0 && max === 0) {
    msg = `${name} expression must resolve to non-zero ${type}`;
  } else if (min === 0 && max === Infinity) {
    msg = `${name} expression must resolve to non-negative ${type}`;
  } else if (min !== -Infinity && max !== Infinity) {
    msg = `${name} expression must resolve to ${type} in range [${min}, ${max}]`;
  } else if (min > 0) {
    msg = `${name} expression must resolve to positive ${type}`;
  } else {
    msg = `${name} expression must resolve to ${type}`;
  }
  (0, import_util.assert)(!failOnError, msg);
  return null;
}
const errExpectInteger = (failOnError, name, opts) => errExpectNumber(failOnError, name, { ...opts, integer: true });
function errExpectArray(failOnError, prefix, opts) {
  let suffix = "array";
  if (!(0, import_util.isNil)(opts?.size) && opts?.size >= 0)
    suffix = opts.size === 0 ? "non-zero array" : `array(${opts.size})`;
  if (opts?.type) suffix = `array of ${opts.type}`;
  const msg = `${prefix} expression must resolve to ${suffix}`;
  (0, import_util.assert)(!failOnError, msg);
  return null;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 80161:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var arrayElemAt_exports = {};
__export(arrayElemAt_exports, {
  $arrayElemAt: () => $arrayElemAt
});
module.exports = __toCommonJS(arrayElemAt_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const OP = "$arrayElemAt";
const $arrayElemAt = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 2, `${OP} expects array(2)`);
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  if (args.some(import_util.isNil)) return null;
  const foe = options.failOnError;
  const [arr, index] = args;
  if (!(0, import_util.isArray)(arr)) return (0, import_internal2.errExpectArray)(foe, `${OP} arg1 <array>`);
  if (!(0, import_util.isInteger)(index)) return (0, import_internal2.errExpectInteger)(foe, `${OP} arg2 <index>`);
  if (index < 0 && Math.abs(index) <= arr.length) {
    return arr[(index + arr.length) % arr.length];
  } else if (index >= 0 && index < arr.length) {
    return arr[index];
  }
  return void 0;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 88953:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var arrayToObject_exports = {};
__export(arrayToObject_exports, {
  $arrayToObject: () => $arrayToObject
});
module.exports = __toCommonJS(arrayToObject_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const ERR_OPTS = {
  generic: { type: "key-value pairs" },
  array: { type: "[k,v]" },
  object: { type: "{k,v}" }
};
const $arrayToObject = (obj, expr, options) => {
  const foe = options.failOnError;
  const arr = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(arr)) return null;
  if (!(0, import_util.isArray)(arr))
    return (0, import_internal2.errExpectArray)(foe, "$arrayToObject", ERR_OPTS.generic);
  let tag = 0;
  const newObj = {};
  for (const item of arr) {
    if ((0, import_util.isArray)(item)) {
      const val = (0, import_util.flatten)(item);
      if (!tag) tag = 1;
      if (tag !== 1) {
        return (0, import_internal2.errExpectArray)(foe, "$arrayToObject", ERR_OPTS.object);
      }
      const [k, v] = val;
      newObj[k] = v;
    } else if ((0, import_util.isObject)(item) && (0, import_util.has)(item, "k", "v")) {
      if (!tag) tag = 2;
      if (tag !== 2) {
        return (0, import_internal2.errExpectArray)(foe, "$arrayToObject", ERR_OPTS.array);
      }
      const { k, v } = item;
      newObj[k] = v;
    } else {
      return (0, import_internal2.errExpectArray)(foe, "$arrayToObject", ERR_OPTS.generic);
    }
  }
  return newObj;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 73658:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var concatArrays_exports = {};
__export(concatArrays_exports, {
  $concatArrays: () => $concatArrays
});
module.exports = __toCommonJS(concatArrays_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $concatArrays = (obj, expr, options) => {
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  if ((0, import_util.isNil)(args)) return null;
  if (!(0, import_util.isArray)(args)) return (0, import_internal2.errExpectArray)(foe, "$concatArrays");
  let size = 0;
  for (const arr of args) {
    if ((0, import_util.isNil)(arr)) return null;
    if (!(0, import_util.isArray)(arr)) return (0, import_internal2.errExpectArray)(foe, "$concatArrays");
    size += arr.length;
  }
  const result = new Array(size);
  let i = 0;
  for (const arr of args) for (const item of arr) result[i++] = item;
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 81022:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var filter_exports = {};
__export(filter_exports, {
  $filter: () => $filter
});
module.exports = __toCommonJS(filter_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(25456);
const $filter = (obj, expr, options) => {
  (0, import_internal2.assert)(
    (0, import_internal2.isObject)(expr) && (0, import_internal2.has)(expr, "input", "cond"),
    "$filter expects object { input, as, cond, limit }"
  );
  const input = (0, import_internal.evalExpr)(obj, expr.input, options);
  const foe = options.failOnError;
  if ((0, import_internal2.isNil)(input)) return null;
  if (!(0, import_internal2.isArray)(input)) return (0, import_internal3.errExpectArray)(foe, "$filter 'input'");
  const limit = expr.limit ?? Math.max(input.length, 1);
  if (!(0, import_internal2.isInteger)(limit) || limit < 1)
    return (0, import_internal3.errExpectInteger)(foe, "$filter 'limit'", { min: 1 });
  if (input.length === 0) return [];
  const copts = import_internal.ComputeOptions.init(options);
  const k = expr?.as || "this";
  const locals = { variables: {} };
  const res = [];
  for (let i = 0, j = 0; i < input.length && j < limit; i++) {
    locals.variables[k] = input[i];
    const cond = (0, import_internal.evalExpr)(obj, expr.cond, copts.update(locals));
    if ((0, import_internal2.truthy)(cond, options.useStrictMode)) {
      res.push(input[i]);
      j++;
    }
  }
  return res;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 59420:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var first_exports = {};
__export(first_exports, {
  $first: () => $first
});
module.exports = __toCommonJS(first_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_first = __webpack_require__(24270);
var import_internal2 = __webpack_require__(25456);
const $first = (obj, expr, options) => {
  if ((0, import_util.isArray)(obj)) return (0, import_first.$first)(obj, expr, options);
  const arr = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(arr)) return null;
  if (!(0, import_util.isArray)(arr)) {
    return (0, import_internal2.errExpectArray)(options.failOnError, "$first");
  }
  return (0, import_util.flatten)(arr)[0];
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 18072:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var firstN_exports = {};
__export(firstN_exports, {
  $firstN: () => $firstN
});
module.exports = __toCommonJS(firstN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_firstN = __webpack_require__(94610);
var import_internal2 = __webpack_require__(25456);
const $firstN = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "n"),
    "$firstN expects object { input, n }"
  );
  if ((0, import_util.isArray)(obj)) return (0, import_firstN.$firstN)(obj, expr, options);
  const { input, n } = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$firstN 'input'");
  return (0, import_firstN.$firstN)(input, { n, input: "$$this" }, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 55031:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var in_exports = {};
__export(in_exports, {
  $in: () => $in
});
module.exports = __toCommonJS(in_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $in = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 2, "$in expects array(2)");
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const [item, arr] = args;
  if (!(0, import_util.isArray)(arr))
    return (0, import_internal2.errInvalidArgs)(options.failOnError, "$in arg2 <array>");
  for (const v of arr) if ((0, import_util.isEqual)(v, item)) return true;
  return false;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 39634:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var array_exports = {};
module.exports = __toCommonJS(array_exports);
__reExport(array_exports, __webpack_require__(80161), module.exports);
__reExport(array_exports, __webpack_require__(88953), module.exports);
__reExport(array_exports, __webpack_require__(73658), module.exports);
__reExport(array_exports, __webpack_require__(81022), module.exports);
__reExport(array_exports, __webpack_require__(59420), module.exports);
__reExport(array_exports, __webpack_require__(18072), module.exports);
__reExport(array_exports, __webpack_require__(55031), module.exports);
__reExport(array_exports, __webpack_require__(60210), module.exports);
__reExport(array_exports, __webpack_require__(16627), module.exports);
__reExport(array_exports, __webpack_require__(72488), module.exports);
__reExport(array_exports, __webpack_require__(82500), module.exports);
__reExport(array_exports, __webpack_require__(80168), module.exports);
__reExport(array_exports, __webpack_require__(25468), module.exports);
__reExport(array_exports, __webpack_require__(4898), module.exports);
__reExport(array_exports, __webpack_require__(23847), module.exports);
__reExport(array_exports, __webpack_require__(50006), module.exports);
__reExport(array_exports, __webpack_require__(84315), module.exports);
__reExport(array_exports, __webpack_require__(8077), module.exports);
__reExport(array_exports, __webpack_require__(62856), module.exports);
__reExport(array_exports, __webpack_require__(54535), module.exports);
__reExport(array_exports, __webpack_require__(20621), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 60210:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var indexOfArray_exports = {};
__export(indexOfArray_exports, {
  $indexOfArray: () => $indexOfArray
});
module.exports = __toCommonJS(indexOfArray_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(25456);
const OP = "$indexOfArray";
const $indexOfArray = (obj, expr, options) => {
  (0, import_internal2.assert)(
    (0, import_internal2.isArray)(expr) && expr.length > 1 && expr.length < 5,
    `${OP} expects array(4)`
  );
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  const arr = args[0];
  if ((0, import_internal2.isNil)(arr)) return null;
  if (!(0, import_internal2.isArray)(arr)) return (0, import_internal3.errExpectArray)(foe, `${OP} arg1 <array>`);
  const search = args[1];
  const start = args[2] ?? 0;
  const end = args[3] ?? arr.length;
  if (!(0, import_internal2.isInteger)(start) || start < 0)
    return (0, import_internal3.errExpectInteger)(foe, `${OP} arg3 <start>`, { min: 1 });
  if (!(0, import_internal2.isInteger)(end) || end < 0)
    return (0, import_internal3.errExpectInteger)(foe, `${OP} arg4 <end>`, { min: 1 });
  if (start > end) return -1;
  const input = start > 0 || end < arr.length ? arr.slice(start, end) : arr;
  return input.findIndex((v) => (0, import_internal2.isEqual)(v, search)) + start;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 16627:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var isArray_exports = {};
__export(isArray_exports, {
  $isArray: () => $isArray
});
module.exports = __toCommonJS(isArray_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $isArray = (obj, expr, options) => {
  let input = expr;
  if ((0, import_util.isArray)(expr)) {
    (0, import_util.assert)(expr.length === 1, "$isArray expects array(1)");
    input = expr[0];
  }
  return (0, import_util.isArray)((0, import_internal.evalExpr)(obj, input, options));
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 72488:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var last_exports = {};
__export(last_exports, {
  $last: () => $last
});
module.exports = __toCommonJS(last_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_last = __webpack_require__(87734);
var import_internal2 = __webpack_require__(25456);
const $last = (obj, expr, options) => {
  if ((0, import_util.isArray)(obj)) return (0, import_last.$last)(obj, expr, options);
  const arr = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(arr)) return null;
  if (!(0, import_util.isArray)(arr) || arr.length === 0) {
    return (0, import_internal2.errExpectArray)(options.failOnError, "$last", { size: 0 });
  }
  return (0, import_util.flatten)(arr)[arr.length - 1];
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 82500:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lastN_exports = {};
__export(lastN_exports, {
  $lastN: () => $lastN
});
module.exports = __toCommonJS(lastN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_lastN = __webpack_require__(23834);
var import_internal2 = __webpack_require__(25456);
const $lastN = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "n"),
    "$lastN expects object { input, n }"
  );
  if ((0, import_util.isArray)(obj)) return (0, import_lastN.$lastN)(obj, expr, options);
  const { input, n } = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input)) {
    return (0, import_internal2.errExpectArray)(options.failOnError, "$lastN 'input'");
  }
  return (0, import_lastN.$lastN)(input, { n, input: "$$this" }, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 80168:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var map_exports = {};
__export(map_exports, {
  $map: () => $map
});
module.exports = __toCommonJS(map_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $map = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "in"),
    "$map expects object { input, as, in }"
  );
  const input = (0, import_internal.evalExpr)(obj, expr.input, options);
  const foe = options.failOnError;
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input)) return (0, import_internal2.errExpectArray)(foe, "$map 'input'");
  if (!(0, import_util.isNil)(expr.as) && !(0, import_util.isString)(expr.as))
    return (0, import_internal2.errExpectString)(foe, "$map 'as'");
  const copts = import_internal.ComputeOptions.init(options);
  const k = expr.as || "this";
  const locals = { variables: {} };
  const result = new Array(input.length);
  for (let i = 0; i < input.length; i++) {
    locals.variables[k] = input[i];
    result[i] = (0, import_internal.evalExpr)(obj, expr.in, copts.update(locals));
  }
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 25468:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var maxN_exports = {};
__export(maxN_exports, {
  $maxN: () => $maxN
});
module.exports = __toCommonJS(maxN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_maxN = __webpack_require__(56634);
var import_internal2 = __webpack_require__(25456);
const $maxN = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "n"),
    "$maxN expects object { input, n }"
  );
  if ((0, import_util.isArray)(obj)) return (0, import_maxN.$maxN)(obj, expr, options);
  const { input, n } = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$maxN 'input'");
  return (0, import_maxN.$maxN)(input, { n, input: "$$this" }, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 4898:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var minN_exports = {};
__export(minN_exports, {
  $minN: () => $minN
});
module.exports = __toCommonJS(minN_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_minN = __webpack_require__(54948);
var import_internal2 = __webpack_require__(25456);
const $minN = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "n"),
    "$minN expects object { input, n }"
  );
  if ((0, import_util.isArray)(obj)) return (0, import_minN.$minN)(obj, expr, options);
  const { input, n } = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$minN 'input'");
  return (0, import_minN.$minN)(input, { n, input: "$$this" }, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 23847:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var range_exports = {};
__export(range_exports, {
  $range: () => $range
});
module.exports = __toCommonJS(range_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $range = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isArray)(expr) && expr.length > 1 && expr.length < 4,
    "$range expects array(3)"
  );
  const [start, end, arg3] = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  const step = arg3 ?? 1;
  if (!(0, import_util.isInteger)(start)) return (0, import_internal2.errExpectInteger)(foe, `$range arg1 <start>`);
  if (!(0, import_util.isInteger)(end)) return (0, import_internal2.errExpectInteger)(foe, `$range arg2 <end>`);
  if (!(0, import_util.isInteger)(step) || step === 0)
    return (0, import_internal2.errExpectInteger)(foe, `$range arg3 <step>`, { min: 0, max: 0 });
  const result = new Array();
  let counter = start;
  while (counter < end && step > 0 || counter > end && step < 0) {
    result.push(counter);
    counter += step;
  }
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 50006:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var reduce_exports = {};
__export(reduce_exports, {
  $reduce: () => $reduce
});
module.exports = __toCommonJS(reduce_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
function $reduce(obj, expr, options) {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "initialValue", "in"),
    "$reduce expects object { input, initialValue, in }"
  );
  const input = (0, import_internal.evalExpr)(obj, expr.input, options);
  const initialValue = (0, import_internal.evalExpr)(obj, expr.initialValue, options);
  const inExpr = expr["in"];
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$reduce 'input'");
  const copts = import_internal.ComputeOptions.init(options);
  const locals = { variables: { value: null } };
  let result = initialValue;
  for (let i = 0; i < input.length; i++) {
    locals.variables.value = result;
    result = (0, import_internal.evalExpr)(input[i], inExpr, copts.update(locals));
  }
  return result;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 84315:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var reverseArray_exports = {};
__export(reverseArray_exports, {
  $reverseArray: () => $reverseArray
});
module.exports = __toCommonJS(reverseArray_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $reverseArray = (obj, expr, options) => {
  const arr = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(arr)) return null;
  if (!(0, import_util.isArray)(arr))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$reverseArray");
  return arr.slice().reverse();
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 8077:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var size_exports = {};
__export(size_exports, {
  $size: () => $size
});
module.exports = __toCommonJS(size_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $size = (obj, expr, options) => {
  const value = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(value)) return null;
  return (0, import_util.isArray)(value) ? value.length : (0, import_internal2.errExpectNumber)(options.failOnError, "$size");
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 62856:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var slice_exports = {};
__export(slice_exports, {
  $slice: () => $slice
});
module.exports = __toCommonJS(slice_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $slice = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isArray)(expr) && expr.length > 1 && expr.length < 4,
    "$slice expects array(3)"
  );
  const foe = options.failOnError;
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const arr = args[0];
  let skip = args[1];
  let limit = args[2];
  if (!(0, import_util.isArray)(arr)) return (0, import_internal2.errExpectArray)(foe, "$slice arg1 <array>");
  if (!(0, import_util.isInteger)(skip)) return (0, import_internal2.errExpectInteger)(foe, "$slice arg2 <n>");
  if (!(0, import_util.isNil)(limit) && !(0, import_util.isInteger)(limit))
    return (0, import_internal2.errExpectInteger)(foe, "$slice arg3 <n>");
  if ((0, import_util.isNil)(limit)) {
    if (skip < 0) {
      skip = Math.max(0, arr.length + skip);
    } else {
      limit = skip;
      skip = 0;
    }
  } else {
    if (skip < 0) {
      skip = Math.max(0, arr.length + skip);
    }
    if (limit < 1) {
      return (0, import_internal2.errExpectInteger)(foe, "$slice arg3 <n>", { min: 1 });
    }
    limit += skip;
  }
  return arr.slice(skip, limit);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 54535:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var sortArray_exports = {};
__export(sortArray_exports, {
  $sortArray: () => $sortArray
});
module.exports = __toCommonJS(sortArray_exports);
var import_internal = __webpack_require__(23263);
var import_lazy = __webpack_require__(97005);
var import_util = __webpack_require__(22356);
var import_sort = __webpack_require__(8958);
var import_internal2 = __webpack_require__(25456);
const $sortArray = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && "input" in expr && "sortBy" in expr,
    "$sortArray expects object { input, sortBy }"
  );
  const { input, sortBy } = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(input)) return null;
  if (!(0, import_util.isArray)(input))
    return (0, import_internal2.errExpectArray)(options.failOnError, "$sortArray 'input'");
  if ((0, import_util.isObject)(sortBy)) {
    return (0, import_sort.$sort)((0, import_lazy.Lazy)(input), sortBy, options).collect();
  }
  const result = input.slice().sort(import_util.compare);
  if (sortBy === -1) result.reverse();
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 20621:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var zip_exports = {};
__export(zip_exports, {
  $zip: () => $zip
});
module.exports = __toCommonJS(zip_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $zip = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "inputs"),
    "$zip received invalid arguments"
  );
  const inputs = (0, import_internal.evalExpr)(obj, expr.inputs, options);
  const defaults = (0, import_internal.evalExpr)(obj, expr.defaults, options) ?? [];
  const useLongestLength = expr.useLongestLength ?? false;
  const foe = options.failOnError;
  if ((0, import_util.isNil)(inputs)) return null;
  if (!(0, import_util.isArray)(inputs)) return (0, import_internal2.errExpectArray)(foe, "$zip 'inputs'");
  let invalid = 0;
  for (const elem of inputs) {
    if ((0, import_util.isNil)(elem)) return null;
    if (!(0, import_util.isArray)(elem)) invalid++;
  }
  if (invalid) return (0, import_internal2.errExpectArray)(foe, "$zip elements of 'inputs'");
  if (!(0, import_util.isBoolean)(useLongestLength))
    (0, import_internal2.errInvalidArgs)(foe, "$zip 'useLongestLength' must be boolean");
  if ((0, import_util.isArray)(defaults) && defaults.length > 0) {
    (0, import_util.assert)(
      useLongestLength && defaults.length === inputs.length,
      "$zip 'useLongestLength' must be set to true to use 'defaults'"
    );
  }
  let zipCount = 0;
  for (const arr of inputs) {
    zipCount = useLongestLength ? Math.max(zipCount, arr.length) : Math.min(zipCount || arr.length, arr.length);
  }
  const result = [];
  for (let i = 0; i < zipCount; i++) {
    const temp = new Array(inputs.length);
    for (let j = 0; j < inputs.length; j++) {
      const val = inputs[j][i];
      temp[j] = (0, import_util.isNil)(val) ? defaults[j] ?? null : val;
    }
    result.push(temp);
  }
  return result;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 72682:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var and_exports = {};
__export(and_exports, {
  $and: () => $and
});
module.exports = __toCommonJS(and_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
const $and = (obj, expr, options) => {
  (0, import_internal2.assert)((0, import_internal2.isArray)(expr), "$and expects array");
  const mode = options.useStrictMode;
  return expr.every((e) => (0, import_internal2.truthy)((0, import_internal.evalExpr)(obj, e, options), mode));
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 57939:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var boolean_exports = {};
module.exports = __toCommonJS(boolean_exports);
__reExport(boolean_exports, __webpack_require__(72682), module.exports);
__reExport(boolean_exports, __webpack_require__(45002), module.exports);
__reExport(boolean_exports, __webpack_require__(91782), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 45002:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var not_exports = {};
__export(not_exports, {
  $not: () => $not
});
module.exports = __toCommonJS(not_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $not = (obj, expr, options) => {
  const booleanExpr = (0, import_util.ensureArray)(expr);
  if (booleanExpr.length === 0) return false;
  if (booleanExpr.length > 1)
    return (0, import_internal2.errExpectArray)(options.failOnError, "$not", { size: 1 });
  return !(0, import_internal.evalExpr)(obj, booleanExpr[0], options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 91782:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var or_exports = {};
__export(or_exports, {
  $or: () => $or
});
module.exports = __toCommonJS(or_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
const $or = (obj, expr, options) => {
  (0, import_internal2.assert)((0, import_internal2.isArray)(expr), "$or expects array of expressions");
  const strict = options.useStrictMode;
  for (const v of expr)
    if ((0, import_internal2.truthy)((0, import_internal.evalExpr)(obj, v, options), strict)) return true;
  return false;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 44504:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var cmp_exports = {};
__export(cmp_exports, {
  $cmp: () => $cmp
});
module.exports = __toCommonJS(cmp_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $cmp = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 2, "$cmp expects array(2)");
  const [a, b] = (0, import_internal.evalExpr)(obj, expr, options);
  return (0, import_util.compare)(a, b);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 90636:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var eq_exports = {};
__export(eq_exports, {
  $eq: () => $eq
});
module.exports = __toCommonJS(eq_exports);
var import_predicates = __webpack_require__(47366);
const $eq = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$eq);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 9141:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var gt_exports = {};
__export(gt_exports, {
  $gt: () => $gt
});
module.exports = __toCommonJS(gt_exports);
var import_predicates = __webpack_require__(47366);
const $gt = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$gt);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 64390:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var gte_exports = {};
__export(gte_exports, {
  $gte: () => $gte
});
module.exports = __toCommonJS(gte_exports);
var import_predicates = __webpack_require__(47366);
const $gte = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$gte);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 52980:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var comparison_exports = {};
module.exports = __toCommonJS(comparison_exports);
__reExport(comparison_exports, __webpack_require__(44504), module.exports);
__reExport(comparison_exports, __webpack_require__(90636), module.exports);
__reExport(comparison_exports, __webpack_require__(9141), module.exports);
__reExport(comparison_exports, __webpack_require__(64390), module.exports);
__reExport(comparison_exports, __webpack_require__(24114), module.exports);
__reExport(comparison_exports, __webpack_require__(57627), module.exports);
__reExport(comparison_exports, __webpack_require__(59751), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 24114:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lt_exports = {};
__export(lt_exports, {
  $lt: () => $lt
});
module.exports = __toCommonJS(lt_exports);
var import_predicates = __webpack_require__(47366);
const $lt = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$lt);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 57627:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lte_exports = {};
__export(lte_exports, {
  $lte: () => $lte
});
module.exports = __toCommonJS(lte_exports);
var import_predicates = __webpack_require__(47366);
const $lte = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$lte);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 59751:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var ne_exports = {};
__export(ne_exports, {
  $ne: () => $ne
});
module.exports = __toCommonJS(ne_exports);
var import_predicates = __webpack_require__(47366);
const $ne = (obj, expr, options) => (0, import_predicates.processExpression)(obj, expr, options, import_predicates.$ne);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 3499:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var cond_exports = {};
__export(cond_exports, {
  $cond: () => $cond
});
module.exports = __toCommonJS(cond_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
const err = "$cond expects array(3) or object with 'if-then-else' expressions";
const $cond = (obj, expr, options) => {
  let ifExpr;
  let thenExpr;
  let elseExpr;
  if ((0, import_internal2.isArray)(expr)) {
    (0, import_internal2.assert)(expr.length === 3, err);
    ifExpr = expr[0];
    thenExpr = expr[1];
    elseExpr = expr[2];
  } else {
    (0, import_internal2.assert)((0, import_internal2.isObject)(expr), err);
    ifExpr = expr.if;
    thenExpr = expr.then;
    elseExpr = expr.else;
  }
  const condition = (0, import_internal2.truthy)(
    (0, import_internal.evalExpr)(obj, ifExpr, options),
    options.useStrictMode
  );
  return (0, import_internal.evalExpr)(obj, condition ? thenExpr : elseExpr, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 57689:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var ifNull_exports = {};
__export(ifNull_exports, {
  $ifNull: () => $ifNull
});
module.exports = __toCommonJS(ifNull_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $ifNull = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr), "$ifNull expects an array");
  let val = void 0;
  for (const input of expr) {
    val = (0, import_internal.evalExpr)(obj, input, options);
    if (!(0, import_util.isNil)(val)) return val;
  }
  return val;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 24447:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var conditional_exports = {};
module.exports = __toCommonJS(conditional_exports);
__reExport(conditional_exports, __webpack_require__(3499), module.exports);
__reExport(conditional_exports, __webpack_require__(57689), module.exports);
__reExport(conditional_exports, __webpack_require__(74607), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 74607:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var switch_exports = {};
__export(switch_exports, {
  $switch: () => $switch
});
module.exports = __toCommonJS(switch_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
const $switch = (obj, expr, options) => {
  (0, import_internal2.assert)((0, import_internal2.isObject)(expr), "$switch received invalid arguments");
  for (const { case: caseExpr, then } of expr.branches) {
    const condition = (0, import_internal2.truthy)(
      (0, import_internal.evalExpr)(obj, caseExpr, options),
      options.useStrictMode
    );
    if (condition) return (0, import_internal.evalExpr)(obj, then, options);
  }
  return (0, import_internal.evalExpr)(obj, expr.default, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 46936:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  regexSearch: () => regexSearch,
  trimString: () => trimString
});
module.exports = __toCommonJS(internal_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const WHITESPACE_CHARS = [
  0,
  // '\0' Null character
  32,
  // ' ', Space
  9,
  // '\t' Horizontal tab
  10,
  // '\n' Line feed/new line
  11,
  // '\v' Vertical tab
  12,
  // '\f' Form feed
  13,
  // '\r' Carriage return
  160,
  // Non-breaking space
  5760,
  // Ogham space mark
  8192,
  // En quad
  8193,
  // Em quad
  8194,
  // En space
  8195,
  // Em space
  8196,
  // Three-per-em space
  8197,
  // Four-per-em space
  8198,
  // Six-per-em space
  8199,
  // Figure space
  8200,
  // Punctuation space
  8201,
  // Thin space
  8202
  // Hair space
];
function trimString(obj, expr, options, trimOpts) {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  const s = val.input;
  if ((0, import_util.isNil)(s)) return null;
  const codepoints = (0, import_util.isNil)(val.chars) ? WHITESPACE_CHARS : val.chars.split("").map((c) => c.codePointAt(0));
  let i = 0;
  let j = s.length - 1;
  while (trimOpts.left && i <= j && codepoints.indexOf(s[i].codePointAt(0)) !== -1)
    i++;
  while (trimOpts.right && i <= j && codepoints.indexOf(s[j].codePointAt(0)) !== -1)
    j--;
  return s.substring(i, j + 1);
}
function regexSearch(obj, expr, options, reOpts) {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if (!(0, import_util.isString)(val.input)) return [];
  const regexOptions = val.options;
  if (regexOptions) {
    (0, import_util.assert)(
      regexOptions.indexOf("x") === -1,
      "extended capability option 'x' not supported"
    );
    (0, import_util.assert)(regexOptions.indexOf("g") === -1, "global option 'g' not supported");
  }
  let input = val.input;
  const re = new RegExp(val.regex, regexOptions);
  let m;
  const matches = new Array();
  let offset = 0;
  while (m = re.exec(input)) {
    const result = {
      match: m[0],
      idx: m.index + offset,
      captures: []
    };
    for (let i = 1; i < m.length; i++) result.captures.push(m[i] || null);
    matches.push(result);
    if (!reOpts.global) break;
    offset = m.index + m[0].length;
    input = input.substring(offset);
  }
  return matches;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 67246:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var concat_exports = {};
__export(concat_exports, {
  $concat: () => $concat
});
module.exports = __toCommonJS(concat_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $concat = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr), "$concat expects array");
  const foe = options.failOnError;
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  let ok = true;
  for (const s of args) {
    if ((0, import_util.isNil)(s)) return null;
    ok &&= (0, import_util.isString)(s);
  }
  if (!ok) return (0, import_internal2.errExpectArray)(foe, "$concat", { type: "string" });
  return args.join("");
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 41192:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var string_exports = {};
module.exports = __toCommonJS(string_exports);
__reExport(string_exports, __webpack_require__(67246), module.exports);
__reExport(string_exports, __webpack_require__(86726), module.exports);
__reExport(string_exports, __webpack_require__(33040), module.exports);
__reExport(string_exports, __webpack_require__(95208), module.exports);
__reExport(string_exports, __webpack_require__(29625), module.exports);
__reExport(string_exports, __webpack_require__(8770), module.exports);
__reExport(string_exports, __webpack_require__(26097), module.exports);
__reExport(string_exports, __webpack_require__(95602), module.exports);
__reExport(string_exports, __webpack_require__(65234), module.exports);
__reExport(string_exports, __webpack_require__(45736), module.exports);
__reExport(string_exports, __webpack_require__(43007), module.exports);
__reExport(string_exports, __webpack_require__(96005), module.exports);
__reExport(string_exports, __webpack_require__(59363), module.exports);
__reExport(string_exports, __webpack_require__(1687), module.exports);
__reExport(string_exports, __webpack_require__(30928), module.exports);
__reExport(string_exports, __webpack_require__(25240), module.exports);
__reExport(string_exports, __webpack_require__(5626), module.exports);
__reExport(string_exports, __webpack_require__(52695), module.exports);
__reExport(string_exports, __webpack_require__(25722), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 86726:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var indexOfBytes_exports = {};
__export(indexOfBytes_exports, {
  $indexOfBytes: () => $indexOfBytes
});
module.exports = __toCommonJS(indexOfBytes_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(25456);
const OP = "$indexOfBytes";
const $indexOfBytes = (obj, expr, options) => {
  (0, import_internal2.assert)(
    (0, import_internal2.isArray)(expr) && expr.length > 1 && expr.length < 5,
    `${OP} expects array(4)`
  );
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  const str = args[0];
  if ((0, import_internal2.isNil)(str)) return null;
  if (!(0, import_internal2.isString)(str)) return (0, import_internal3.errExpectString)(foe, `${OP} arg1 <string>`);
  const search = args[1];
  if (!(0, import_internal2.isString)(search)) return (0, import_internal3.errExpectString)(foe, `${OP} arg2 <search>`);
  const start = args[2] ?? 0;
  const end = args[3] ?? str.length;
  if (!(0, import_internal2.isInteger)(start) || start < 0)
    return (0, import_internal3.errExpectInteger)(foe, `${OP} arg3 <start>`, { min: 0 });
  if (!(0, import_internal2.isInteger)(end) || end < 0)
    return (0, import_internal3.errExpectInteger)(foe, `${OP} arg4 <end>`, { min: 0 });
  if (start > end) return -1;
  const index = str.substring(start, end).indexOf(search);
  return index > -1 ? index + start : index;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 33040:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var ltrim_exports = {};
__export(ltrim_exports, {
  $ltrim: () => $ltrim
});
module.exports = __toCommonJS(ltrim_exports);
var import_internal = __webpack_require__(46936);
const $ltrim = (obj, expr, options) => {
  return (0, import_internal.trimString)(obj, expr, options, { left: true, right: false });
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 95208:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var regexFind_exports = {};
__export(regexFind_exports, {
  $regexFind: () => $regexFind
});
module.exports = __toCommonJS(regexFind_exports);
var import_util = __webpack_require__(22356);
var import_internal = __webpack_require__(46936);
const $regexFind = (obj, expr, options) => {
  const result = (0, import_internal.regexSearch)(obj, expr, options, { global: false });
  return (0, import_util.isArray)(result) && result.length > 0 ? result[0] : null;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 29625:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var regexFindAll_exports = {};
__export(regexFindAll_exports, {
  $regexFindAll: () => $regexFindAll
});
module.exports = __toCommonJS(regexFindAll_exports);
var import_internal = __webpack_require__(46936);
const $regexFindAll = (obj, expr, options) => {
  return (0, import_internal.regexSearch)(obj, expr, options, { global: true });
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 8770:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var regexMatch_exports = {};
__export(regexMatch_exports, {
  $regexMatch: () => $regexMatch
});
module.exports = __toCommonJS(regexMatch_exports);
var import_internal = __webpack_require__(46936);
const $regexMatch = (obj, expr, options) => {
  return (0, import_internal.regexSearch)(obj, expr, options, { global: false })?.length != 0;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 26097:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var replaceAll_exports = {};
__export(replaceAll_exports, {
  $replaceAll: () => $replaceAll
});
module.exports = __toCommonJS(replaceAll_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const OP = "$replaceAll";
const $replaceAll = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isObject)(expr), `${OP} expects an object argument`);
  const foe = options.failOnError;
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const { input, find, replacement } = args;
  if ((0, import_util.isNil)(input) || (0, import_util.isNil)(find) || (0, import_util.isNil)(replacement)) return null;
  if (!(0, import_util.isString)(input)) return (0, import_internal2.errExpectString)(foe, `${OP} 'input'`);
  if (!(0, import_util.isString)(find)) return (0, import_internal2.errExpectString)(foe, `${OP} 'find'`);
  if (!(0, import_util.isString)(replacement))
    return (0, import_internal2.errExpectString)(foe, `${OP} 'replacement'`);
  return input.split(find).join(replacement);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 95602:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var replaceOne_exports = {};
__export(replaceOne_exports, {
  $replaceOne: () => $replaceOne
});
module.exports = __toCommonJS(replaceOne_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const OP = "$replaceOne";
const $replaceOne = (obj, expr, options) => {
  const foe = options.failOnError;
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const { input, find, replacement } = args;
  if ((0, import_util.isNil)(input) || (0, import_util.isNil)(find) || (0, import_util.isNil)(replacement)) return null;
  if (!(0, import_util.isString)(input)) return (0, import_internal2.errExpectString)(foe, `${OP} 'input'`);
  if (!(0, import_util.isString)(find)) return (0, import_internal2.errExpectString)(foe, `${OP} 'find'`);
  if (!(0, import_util.isString)(replacement))
    return (0, import_internal2.errExpectString)(foe, `${OP} 'replacement'`);
  const idx = input.indexOf(find);
  if (idx < 0) return input;
  return input.slice(0, idx) + replacement + input.slice(idx + find.length);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 65234:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var rtrim_exports = {};
__export(rtrim_exports, {
  $rtrim: () => $rtrim
});
module.exports = __toCommonJS(rtrim_exports);
var import_internal = __webpack_require__(46936);
const $rtrim = (obj, expr, options) => {
  return (0, import_internal.trimString)(obj, expr, options, { left: false, right: true });
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 45736:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var split_exports = {};
__export(split_exports, {
  $split: () => $split
});
module.exports = __toCommonJS(split_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $split = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 2, `$split expects array(2)`);
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  if ((0, import_util.isNil)(args[0])) return null;
  if (!args.every(import_util.isString))
    return (0, import_internal2.errExpectArray)(foe, `$split `, { size: 2, type: "string" });
  return args[0].split(args[1]);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 96005:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var strLenBytes_exports = {};
__export(strLenBytes_exports, {
  $strLenBytes: () => $strLenBytes
});
module.exports = __toCommonJS(strLenBytes_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $strLenBytes = (obj, expr, options) => {
  const s = (0, import_internal.evalExpr)(obj, expr, options);
  if (!(0, import_util.isString)(s)) return (0, import_internal2.errExpectString)(options.failOnError, "$strLenBytes");
  return ~-encodeURI(s).split(/%..|./).length;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 59363:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var strLenCP_exports = {};
__export(strLenCP_exports, {
  $strLenCP: () => $strLenCP
});
module.exports = __toCommonJS(strLenCP_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const $strLenCP = (obj, expr, options) => {
  const s = (0, import_internal.evalExpr)(obj, expr, options);
  if (!(0, import_util.isString)(s)) return (0, import_internal2.errExpectString)(options.failOnError, "$strLenCP");
  return [...s].length;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 43007:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var strcasecmp_exports = {};
__export(strcasecmp_exports, {
  $strcasecmp: () => $strcasecmp
});
module.exports = __toCommonJS(strcasecmp_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(25456);
const $strcasecmp = (obj, expr, options) => {
  (0, import_internal2.assert)((0, import_util.isArray)(expr) && expr.length === 2, `$strcasecmp expects array(2)`);
  const args = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  let t_nil = true;
  let t_str = true;
  for (const v of args) {
    t_nil &&= (0, import_util.isNil)(v);
    t_str &&= (0, import_util.isString)(v);
  }
  if (t_nil) return 0;
  if (!t_str)
    return (0, import_internal3.errExpectArray)(foe, `$strcasecmp arguments`, { type: "string" });
  return (0, import_internal2.simpleCmp)(args[0].toLowerCase(), args[1].toLowerCase());
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 1687:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var substr_exports = {};
__export(substr_exports, {
  $substr: () => $substr
});
module.exports = __toCommonJS(substr_exports);
var import_substrBytes = __webpack_require__(30928);
const $substr = import_substrBytes.$substrBytes;
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 30928:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var substrBytes_exports = {};
__export(substrBytes_exports, {
  $substrBytes: () => $substrBytes
});
module.exports = __toCommonJS(substrBytes_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const OP = "$substrBytes";
const $substrBytes = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 3, `${OP} expects array(3)`);
  const [s, index, count] = (0, import_internal.evalExpr)(obj, expr, options);
  const foe = options.failOnError;
  const nil = (0, import_util.isNil)(s);
  if (!nil && !(0, import_util.isString)(s)) return (0, import_internal2.errExpectString)(foe, `${OP} arg1 <string>`);
  if (!(0, import_util.isInteger)(index) || index < 0)
    return (0, import_internal2.errExpectInteger)(foe, `${OP} arg2 <index>`, { min: 0 });
  if (!(0, import_util.isInteger)(count) || count < 0)
    return (0, import_internal2.errExpectInteger)(foe, `${OP} arg3 <count>`, { min: 0 });
  if (nil) return "";
  let utf8Pos = 0;
  let start16 = null;
  let end16 = null;
  const err = `${OP} UTF-8 boundary falls inside a continuation byte`;
  for (let i = 0; i < s.length; ) {
    const cp = s.codePointAt(i);
    if (cp === void 0)
      return (0, import_internal2.errInvalidArgs)(foe, `${OP} byte index out of range`);
    const utf8Len = cp < 128 ? 1 : cp < 2048 ? 2 : cp < 65536 ? 3 : 4;
    const utf16Len = cp > 65535 ? 2 : 1;
    if (start16 === null) {
      if (index > utf8Pos && index < utf8Pos + utf8Len)
        return (0, import_internal2.errInvalidArgs)(foe, err);
      if (utf8Pos === index) {
        start16 = i;
      }
    }
    const endByte = index + count;
    if (start16 !== null && end16 === null) {
      if (endByte > utf8Pos && endByte < utf8Pos + utf8Len)
        return (0, import_internal2.errInvalidArgs)(foe, err);
      if (utf8Pos === endByte) {
        end16 = i;
        break;
      }
    }
    utf8Pos += utf8Len;
    i += utf16Len;
  }
  if (start16 === null) {
    if (index === utf8Pos) return "";
    return (0, import_internal2.errInvalidArgs)(foe, `${OP} byte index out of range`);
  }
  if (end16 === null) {
    const endByte = index + count;
    if (endByte !== utf8Pos)
      return (0, import_internal2.errInvalidArgs)(foe, `${OP} count extends beyond UTF-8 length`);
    end16 = s.length;
  }
  return s.slice(start16, end16);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 25240:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var substrCP_exports = {};
__export(substrCP_exports, {
  $substrCP: () => $substrCP
});
module.exports = __toCommonJS(substrCP_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
const OP = "$substrCP";
const $substrCP = (obj, expr, options) => {
  (0, import_util.assert)((0, import_util.isArray)(expr) && expr.length === 3, `${OP} expects array(3)`);
  const [s, index, count] = (0, import_internal.evalExpr)(obj, expr, options);
  const nil = (0, import_util.isNil)(s);
  const foe = options.failOnError;
  if (!nil && !(0, import_util.isString)(s)) return (0, import_internal2.errExpectString)(foe, `${OP} arg1 <string>`);
  if (!(0, import_util.isInteger)(index)) return (0, import_internal2.errExpectNumber)(foe, `${OP} arg2 <index>`);
  if (!(0, import_util.isInteger)(count)) return (0, import_internal2.errExpectNumber)(foe, `${OP} arg3 <count>`);
  if (nil) return "";
  if (index < 0) return "";
  const codePoints = [...s];
  if (count < 0) return codePoints.slice(index).join("");
  return codePoints.slice(index, index + count).join("");
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 5626:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toLower_exports = {};
__export(toLower_exports, {
  $toLower: () => $toLower
});
module.exports = __toCommonJS(toLower_exports);
var import_internal = __webpack_require__(12044);
var import_type = __webpack_require__(75741);
const $toLower = (obj, expr, options) => {
  if ((0, import_internal.isArray)(expr) && expr.length === 1) expr = expr[0];
  const s = (0, import_type.$toString)(obj, expr, options);
  return s === null ? s : s.toLowerCase();
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 52695:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toUpper_exports = {};
__export(toUpper_exports, {
  $toUpper: () => $toUpper
});
module.exports = __toCommonJS(toUpper_exports);
var import_util = __webpack_require__(22356);
var import_type = __webpack_require__(75741);
const $toUpper = (obj, expr, options) => {
  if ((0, import_util.isArray)(expr) && expr.length === 1) expr = expr[0];
  const s = (0, import_type.$toString)(obj, expr, options);
  return s === null ? s : s.toUpperCase();
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 25722:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var trim_exports = {};
__export(trim_exports, {
  $trim: () => $trim
});
module.exports = __toCommonJS(trim_exports);
var import_internal = __webpack_require__(46936);
const $trim = (obj, expr, options) => {
  return (0, import_internal.trimString)(obj, expr, options, { left: true, right: true });
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 61285:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  MAX_INT: () => MAX_INT,
  MAX_LONG: () => MAX_LONG,
  MIN_INT: () => MIN_INT,
  MIN_LONG: () => MIN_LONG,
  toInteger: () => toInteger
});
module.exports = __toCommonJS(internal_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const MAX_INT = 2147483647;
const MIN_INT = -2147483648;
const MAX_LONG = 9007199254740991;
const MIN_LONG = -9007199254740991;
function toInteger(obj, expr, options, min, max) {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if (val === true) return 1;
  if (val === false) return 0;
  if ((0, import_util.isNil)(val)) return null;
  if ((0, import_util.isDate)(val)) return val.getTime();
  const n = Number(val);
  (0, import_util.assert)(
    (0, import_util.isNumber)(n) && n >= min && n <= max && (!(0, import_util.isString)(val) || n.toString().indexOf(".") === -1),
    `cannot convert '${val}' to ${max == MAX_INT ? "int" : "long"}`
  );
  return Math.trunc(n);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 90438:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var convert_exports = {};
__export(convert_exports, {
  $convert: () => $convert
});
module.exports = __toCommonJS(convert_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(25456);
var import_toBool = __webpack_require__(64596);
var import_toDate = __webpack_require__(70052);
var import_toDouble = __webpack_require__(97961);
var import_toInt = __webpack_require__(22755);
var import_toLong = __webpack_require__(34854);
var import_toString = __webpack_require__(43297);
const $convert = (obj, expr, options) => {
  (0, import_util.assert)(
    (0, import_util.isObject)(expr) && (0, import_util.has)(expr, "input", "to"),
    "$convert expects object { input, to, onError, onNull }"
  );
  const input = (0, import_internal.evalExpr)(obj, expr.input, options);
  if ((0, import_util.isNil)(input)) return (0, import_internal.evalExpr)(obj, expr.onNull, options) ?? null;
  const toExpr = (0, import_internal.evalExpr)(obj, expr.to, options);
  try {
    switch (toExpr) {
      case 2:
      case "string":
        return (0, import_toString.$toString)(obj, input, options);
      case 8:
      case "boolean":
      case "bool":
        return (0, import_toBool.$toBool)(obj, input, options);
      case 9:
      case "date":
        return (0, import_toDate.$toDate)(obj, input, options);
      case 1:
      case 19:
      case "double":
      case "decimal":
      case "number":
        return (0, import_toDouble.$toDouble)(obj, input, options);
      case 16:
      case "int":
        return (0, import_toInt.$toInt)(obj, input, options);
      case 18:
      case "long":
        return (0, import_toLong.$toLong)(obj, input, options);
    }
  } catch {
  }
  if (expr.onError === void 0)
    return (0, import_internal2.errInvalidArgs)(
      options.failOnError,
      `$convert cannot convert from object to ${expr.to} with no onError value`
    );
  return (0, import_internal.evalExpr)(obj, expr.onError, options);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 75741:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var type_exports = {};
module.exports = __toCommonJS(type_exports);
__reExport(type_exports, __webpack_require__(90438), module.exports);
__reExport(type_exports, __webpack_require__(55140), module.exports);
__reExport(type_exports, __webpack_require__(64596), module.exports);
__reExport(type_exports, __webpack_require__(70052), module.exports);
__reExport(type_exports, __webpack_require__(76509), module.exports);
__reExport(type_exports, __webpack_require__(97961), module.exports);
__reExport(type_exports, __webpack_require__(22755), module.exports);
__reExport(type_exports, __webpack_require__(34854), module.exports);
__reExport(type_exports, __webpack_require__(43297), module.exports);
__reExport(type_exports, __webpack_require__(50097), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 55140:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var isNumber_exports = {};
__export(isNumber_exports, {
  $isNumber: () => $isNumber
});
module.exports = __toCommonJS(isNumber_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $isNumber = (obj, expr, options) => {
  const n = (0, import_internal.evalExpr)(obj, expr, options);
  return (0, import_util.isNumber)(n);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 64596:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toBool_exports = {};
__export(toBool_exports, {
  $toBool: () => $toBool
});
module.exports = __toCommonJS(toBool_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $toBool = (obj, expr, options) => {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(val)) return null;
  if ((0, import_util.isString)(val)) return true;
  return Boolean(val);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 70052:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toDate_exports = {};
__export(toDate_exports, {
  $toDate: () => $toDate
});
module.exports = __toCommonJS(toDate_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $toDate = (obj, expr, options) => {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isDate)(val)) return val;
  if ((0, import_util.isNil)(val)) return null;
  const d = new Date(val);
  (0, import_util.assert)(!isNaN(d.getTime()), `cannot convert '${val}' to date`);
  return d;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 76509:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toDecimal_exports = {};
__export(toDecimal_exports, {
  $toDecimal: () => $toDecimal
});
module.exports = __toCommonJS(toDecimal_exports);
var import_toDouble = __webpack_require__(97961);
const $toDecimal = import_toDouble.$toDouble;
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 97961:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toDouble_exports = {};
__export(toDouble_exports, {
  $toDouble: () => $toDouble
});
module.exports = __toCommonJS(toDouble_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
const $toDouble = (obj, expr, options) => {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_util.isNil)(val)) return null;
  if ((0, import_util.isDate)(val)) return val.getTime();
  if (val === true) return 1;
  if (val === false) return 0;
  const n = Number(val);
  (0, import_util.assert)((0, import_util.isNumber)(n), `cannot convert '${val}' to double/decimal`);
  return n;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 22755:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toInt_exports = {};
__export(toInt_exports, {
  $toInt: () => $toInt
});
module.exports = __toCommonJS(toInt_exports);
var import_internal = __webpack_require__(61285);
const $toInt = (obj, expr, options) => (0, import_internal.toInteger)(obj, expr, options, import_internal.MIN_INT, import_internal.MAX_INT);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 34854:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toLong_exports = {};
__export(toLong_exports, {
  $toLong: () => $toLong
});
module.exports = __toCommonJS(toLong_exports);
var import_internal = __webpack_require__(61285);
const $toLong = (obj, expr, options) => (0, import_internal.toInteger)(obj, expr, options, import_internal.MIN_LONG, import_internal.MAX_LONG);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 43297:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var toString_exports = {};
__export(toString_exports, {
  $toString: () => $toString
});
module.exports = __toCommonJS(toString_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(25456);
const $toString = (obj, expr, options) => {
  const val = (0, import_internal.evalExpr)(obj, expr, options);
  if ((0, import_internal2.isNil)(val)) return null;
  if ((0, import_internal2.isDate)(val)) return val.toISOString();
  if ((0, import_internal2.isPrimitive)(val) || (0, import_internal2.isRegExp)(val)) return String(val);
  return (0, import_internal3.errInvalidArgs)(
    options.failOnError,
    "$toString cannot convert from object to string"
  );
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 50097:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var type_exports = {};
__export(type_exports, {
  $type: () => $type
});
module.exports = __toCommonJS(type_exports);
var import_internal = __webpack_require__(23263);
var import_util = __webpack_require__(22356);
var import_internal2 = __webpack_require__(61285);
const $type = (obj, expr, options) => {
  const v = (0, import_internal.evalExpr)(obj, expr, options);
  if (options.useStrictMode) {
    if (v === void 0) return "missing";
    if (v === true || v === false) return "bool";
    if ((0, import_util.isNumber)(v)) {
      if (v % 1 != 0) return "double";
      return v >= import_internal2.MIN_INT && v <= import_internal2.MAX_INT ? "int" : "long";
    }
    if ((0, import_util.isRegExp)(v)) return "regex";
  }
  return (0, import_util.typeOf)(v);
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 29564:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  filterDocumentsStage: () => filterDocumentsStage,
  resolveCollection: () => resolveCollection,
  validateProjection: () => validateProjection
});
module.exports = __toCommonJS(internal_exports);
var import_lazy = __webpack_require__(97005);
var import_util = __webpack_require__(22356);
var import_internal = __webpack_require__(12044);
var import_documents = __webpack_require__(99818);
const EMPTY = (0, import_lazy.Lazy)([]);
function filterDocumentsStage(pipeline, options) {
  if (!pipeline) return {};
  const docs = pipeline[0]?.$documents;
  if (!docs) return { pipeline };
  return {
    documents: (0, import_documents.$documents)(EMPTY, docs, options).collect(),
    pipeline: pipeline.slice(1)
  };
}
function validateProjection(expr, options, isRoot = true) {
  const res = {
    exclusions: [],
    inclusions: [],
    positional: 0
  };
  const keys = Object.keys(expr);
  (0, import_internal.assert)(keys.length, "Invalid empty sub-projection");
  const idKey = options?.idKey;
  let idKeyExcluded = false;
  for (const k of keys) {
    if (k.startsWith("$")) {
      (0, import_internal.assert)(
        !isRoot && keys.length === 1,
        `FieldPath field names may not start with '$', given '${k}'.`
      );
      return res;
    }
    if (k.endsWith(".$")) res.positional++;
    const v = expr[k];
    if (v === false || (0, import_util.isNumber)(v) && v === 0) {
      if (k === idKey) {
        idKeyExcluded = true;
      } else res.exclusions.push(k);
    } else if (!(0, import_util.isObject)(v)) {
      res.inclusions.push(k);
    } else {
      const meta = validateProjection(v, options, false);
      if (!meta.inclusions.length && !meta.exclusions.length) {
        if (!res.inclusions.includes(k)) res.inclusions.push(k);
      } else {
        for (const n of meta.exclusions) res.exclusions.push(`${k}.${n}`);
        for (const n of meta.inclusions) res.inclusions.push(`${k}.${n}`);
      }
      res.positional += meta.positional;
    }
    (0, import_internal.assert)(
      !(res.exclusions.length && res.inclusions.length),
      "Cannot do exclusion and inclusion in projection."
    );
    (0, import_internal.assert)(
      res.positional <= 1,
      "Cannot specify more than one positional projection."
    );
  }
  if (idKeyExcluded) {
    res.exclusions.push(idKey);
  }
  if (isRoot) {
    const p = new import_internal.PathValidator();
    for (const k of res.exclusions) (0, import_internal.assert)(p.add(k), `Path collision at ${k}.`);
    for (const k of res.inclusions) (0, import_internal.assert)(p.add(k), `Path collision at ${k}.`);
    res.exclusions.sort();
    res.inclusions.sort();
  }
  return res;
}
function resolveCollection(op, expr, options) {
  if ((0, import_internal.isString)(expr)) {
    (0, import_internal.assert)(
      options.collectionResolver,
      `${op} requires 'collectionResolver' option to resolve named collection`
    );
  }
  const coll = (0, import_internal.isString)(expr) ? options.collectionResolver(expr) : expr;
  (0, import_internal.assert)((0, import_internal.isArray)(coll), `${op} could not resolve input collection`);
  return coll;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 99818:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var documents_exports = {};
__export(documents_exports, {
  $documents: () => $documents
});
module.exports = __toCommonJS(documents_exports);
var import_internal = __webpack_require__(23263);
var import_lazy = __webpack_require__(97005);
var import_util = __webpack_require__(22356);
function $documents(_, expr, options) {
  const docs = (0, import_internal.evalExpr)(null, expr, options);
  (0, import_util.assert)((0, import_util.isArray)(docs), "$documents expression must resolve to an array.");
  return (0, import_lazy.Lazy)(docs).map((o) => (0, import_util.cloneDeep)(o));
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 12463:
/***/ ((module) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var limit_exports = {};
__export(limit_exports, {
  $limit: () => $limit
});
module.exports = __toCommonJS(limit_exports);
function $limit(coll, expr, _options) {
  return coll.take(expr);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 25725:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var project_exports = {};
__export(project_exports, {
  $project: () => $project
});
module.exports = __toCommonJS(project_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
var import_internal3 = __webpack_require__(29564);
const OP = "$project";
function $project(coll, expr, options) {
  if ((0, import_internal2.isEmpty)(expr)) return coll;
  const meta = (0, import_internal3.validateProjection)(expr, options);
  const handler = createHandler(expr, import_internal.ComputeOptions.init(options), meta);
  return coll.map(handler);
}
function createHandler(expr, options, meta) {
  const idKey = options.idKey;
  const { exclusions, inclusions } = meta;
  const handlers = {};
  const resolveOpts = {
    preserveIndex: "missing"
  };
  for (const k of exclusions) {
    handlers[k] = (t, _) => {
      (0, import_internal2.removeValue)(t, k, { descendArray: true });
    };
  }
  for (const selector of inclusions) {
    const v = (0, import_internal2.resolve)(expr, selector) ?? expr[selector];
    if (selector.endsWith(".$") && v === 1) {
      const cond = options?.local?.condition ?? {};
      (0, import_internal2.assert)(cond, `${OP}: positional operator '.$' requires array condition.`);
      const field = selector.slice(0, -2);
      handlers[field] = getPositionalFilter(field, cond, options);
    } else if ((0, import_internal2.isArray)(v)) {
      handlers[selector] = (t, o) => {
        options.update({ root: o });
        const newVal = v.map((e) => (0, import_internal.evalExpr)(o, e, options) ?? null);
        (0, import_internal2.setValue)(t, selector, newVal);
      };
    } else if ((0, import_internal2.isNumber)(v) || v === true) {
      handlers[selector] = (t, o) => {
        options.update({ root: o });
        const extractedVal = (0, import_internal2.resolveGraph)(o, selector, resolveOpts);
        mergeInto(t, extractedVal);
      };
    } else if (!(0, import_internal2.isObject)(v)) {
      handlers[selector] = (t, o) => {
        options.update({ root: o });
        const newVal = (0, import_internal.evalExpr)(o, v, options);
        (0, import_internal2.setValue)(t, selector, newVal);
      };
    } else {
      const opKeys = Object.keys(v);
      (0, import_internal2.assert)(
        opKeys.length === 1 && (0, import_internal2.isOperator)(opKeys[0]),
        "Not a valid operator"
      );
      const operator = opKeys[0];
      const opExpr = v[operator];
      const fn = options.context.getOperator(import_internal.OpType.PROJECTION, operator);
      const foundSlice = operator === "$slice";
      if (!fn || foundSlice && !(0, import_internal2.ensureArray)(opExpr).every(import_internal2.isNumber)) {
        handlers[selector] = (t, o) => {
          options.update({ root: o });
          const newval = (0, import_internal.evalExpr)(o, v, options);
          (0, import_internal2.setValue)(t, selector, newval);
        };
      } else {
        handlers[selector] = (t, o) => {
          options.update({ root: o });
          const newval = fn(o, opExpr, selector, options);
          (0, import_internal2.setValue)(t, selector, newval);
        };
      }
    }
  }
  const onlyIdKeyExcluded = exclusions.length === 1 && exclusions.includes(idKey);
  const noIdKeyExcluded = !exclusions.includes(idKey);
  const noInclusions = !inclusions.length;
  const allKeysIncluded = noInclusions && onlyIdKeyExcluded || noInclusions && exclusions.length && !onlyIdKeyExcluded;
  return (o) => {
    const newObj = {};
    if (allKeysIncluded) Object.assign(newObj, o);
    for (const k in handlers) {
      handlers[k](newObj, o);
    }
    if (!noInclusions) (0, import_internal2.filterMissing)(newObj);
    if (noIdKeyExcluded && !(0, import_internal2.has)(newObj, idKey) && (0, import_internal2.has)(o, idKey)) {
      newObj[idKey] = (0, import_internal2.resolve)(o, idKey);
    }
    return newObj;
  };
}
const findMatches = (o, key, leaf, pred) => {
  let arr = (0, import_internal2.resolve)(o, key);
  if (!(0, import_internal2.isArray)(arr)) arr = (0, import_internal2.resolve)(arr, leaf);
  (0, import_internal2.assert)((0, import_internal2.isArray)(arr), `${OP}: field '${key}' must resolve to array`);
  const matches = [];
  for (let i = 0; i < arr.length; i++) {
    if (pred({ [leaf]: [arr[i]] })) matches.push(i);
  }
  return matches;
};
const complement = (p) => ((e) => !p(e));
const COMPOUND_OPS = { $and: 1, $or: 1, $nor: 1 };
function getPositionalFilter(field, condition, options) {
  const stack = Object.entries(condition).slice();
  const selectors = {
    $and: [],
    $or: []
  };
  for (let i = 0; i < stack.length; i++) {
    const [key, val, op] = stack[i];
    if (key === field || key.startsWith(field + ".")) {
      const normalizedExpr = (0, import_internal2.normalize)(val);
      const operator = Object.keys(normalizedExpr)[0];
      const expr = normalizedExpr[operator];
      const fn = options.context.getOperator(
        import_internal.OpType.QUERY,
        operator
      );
      const leaf2 = key.substring(key.lastIndexOf(".") + 1);
      const pred = fn(leaf2, expr, options);
      if (!op || op === "$and") {
        selectors.$and.push([key, pred, leaf2]);
      } else if (op === "$nor") {
        selectors.$and.push([key, complement(pred), leaf2]);
      } else if (op === "$or") {
        selectors.$or.push([key, pred, leaf2]);
      }
    } else if ((0, import_internal2.isOperator)(key)) {
      (0, import_internal2.assert)(
        !!COMPOUND_OPS[key],
        `${OP}: '${key}' is not allowed in this context`
      );
      for (const item of val) {
        for (const k of Object.keys(item)) stack.push([k, item[k], key]);
      }
    }
  }
  const sep = field.lastIndexOf(".");
  const parent = field.substring(0, sep) || field;
  const leaf = field.substring(sep + 1);
  return (t, o) => {
    const matches = [];
    for (const [key, pred, leaf2] of selectors.$and) {
      matches.push(findMatches(o, key, leaf2, pred));
    }
    if (selectors.$or.length) {
      const orMatches = [];
      for (const [key, pred, leaf2] of selectors.$or) {
        orMatches.push(...findMatches(o, key, leaf2, pred));
      }
      matches.push((0, import_internal2.unique)(orMatches));
    }
    const i = (0, import_internal2.intersection)(matches).sort()[0];
    let first = (0, import_internal2.resolve)(o, field)[i];
    if (parent != leaf && !(0, import_internal2.isObject)(first)) {
      first = { [leaf]: first };
    }
    (0, import_internal2.setValue)(t, parent, [first]);
  };
}
function mergeInto(target, input) {
  if (target === import_internal2.MISSING || (0, import_internal2.isNil)(target)) return input;
  if ((0, import_internal2.isNil)(input)) return target;
  const out = target;
  const src = input;
  for (const k of Object.keys(input)) {
    out[k] = mergeInto(out[k], src[k]);
  }
  return out;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 95177:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var skip_exports = {};
__export(skip_exports, {
  $skip: () => $skip
});
module.exports = __toCommonJS(skip_exports);
var import_util = __webpack_require__(22356);
function $skip(coll, expr, _options) {
  (0, import_util.assert)(expr >= 0, "$skip value must be a non-negative integer");
  return coll.drop(expr);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 8958:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var sort_exports = {};
__export(sort_exports, {
  $sort: () => $sort
});
module.exports = __toCommonJS(sort_exports);
var import_lazy = __webpack_require__(97005);
var import_util = __webpack_require__(22356);
function $sort(coll, sortKeys, options) {
  (0, import_util.assert)(
    (0, import_util.isObject)(sortKeys) && Object.keys(sortKeys).length > 0,
    "$sort specification is invalid"
  );
  let cmp = import_util.compare;
  const collationSpec = options.collation;
  if ((0, import_util.isObject)(collationSpec) && (0, import_util.isString)(collationSpec.locale)) {
    cmp = collationComparator(collationSpec);
  }
  return coll.transform((coll2) => {
    const modifiers = Object.keys(sortKeys);
    for (const key of modifiers.reverse()) {
      const groups = (0, import_util.groupBy)(coll2, (obj) => (0, import_util.resolve)(obj, key));
      const sortedKeys = Array.from(groups.keys());
      let nativeSorted = false;
      if (cmp === import_util.compare) {
        let t_str = true;
        let t_num = true;
        for (const v of sortedKeys) {
          t_str &&= (0, import_util.isString)(v);
          t_num &&= (0, import_util.isNumber)(v);
          if (!t_str && !t_num) break;
        }
        nativeSorted = t_str || t_num;
        if (t_str) sortedKeys.sort();
        else if (t_num) {
          const numbers = new Float64Array(sortedKeys).sort();
          for (let i2 = 0; i2 < numbers.length; i2++) {
            sortedKeys[i2] = numbers[i2];
          }
        }
      }
      if (!nativeSorted) sortedKeys.sort(cmp);
      if (sortKeys[key] === -1) sortedKeys.reverse();
      let i = 0;
      for (const k of sortedKeys) for (const v of groups.get(k)) coll2[i++] = v;
      (0, import_util.assert)(i == coll2.length, "bug: counter must match collection size.");
    }
    return (0, import_lazy.Lazy)(coll2);
  });
}
const COLLATION_STRENGTH = {
  // Only strings that differ in base letters compare as unequal. Examples: a ≠ b, a = á, a = A.
  1: "base",
  //  Only strings that differ in base letters or accents and other diacritic marks compare as unequal.
  // Examples: a ≠ b, a ≠ á, a = A.
  2: "accent",
  // Strings that differ in base letters, accents and other diacritic marks, or case compare as unequal.
  // Other differences may also be taken into consideration. Examples: a ≠ b, a ≠ á, a ≠ A
  3: "variant"
  // case - Only strings that differ in base letters or case compare as unequal. Examples: a ≠ b, a = á, a ≠ A.
};
function collationComparator(spec) {
  const localeOpt = {
    sensitivity: COLLATION_STRENGTH[spec.strength || 3],
    caseFirst: spec.caseFirst === "off" ? "false" : spec.caseFirst,
    numeric: spec.numericOrdering || false,
    ignorePunctuation: spec.alternate === "shifted"
  };
  if (spec.caseLevel === true) {
    if (localeOpt.sensitivity === "base") localeOpt.sensitivity = "case";
    if (localeOpt.sensitivity === "accent") localeOpt.sensitivity = "variant";
  }
  const collator = new Intl.Collator(spec.locale, localeOpt);
  return (a, b) => (0, import_util.isString)(a) && (0, import_util.isString)(b) ? collator.compare(a, b) : (0, import_util.compare)(a, b);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 5299:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var elemMatch_exports = {};
__export(elemMatch_exports, {
  $elemMatch: () => $elemMatch
});
module.exports = __toCommonJS(elemMatch_exports);
var import_query = __webpack_require__(92067);
var import_util = __webpack_require__(22356);
const $elemMatch = (obj, expr, field, options) => {
  const arr = (0, import_util.resolve)(obj, field);
  const query = new import_query.Query(expr, options);
  if (!(0, import_util.isArray)(arr)) return void 0;
  const result = [];
  for (let i = 0; i < arr.length; i++) {
    if (query.test(arr[i])) {
      if (options.useStrictMode) return [arr[i]];
      result.push(arr[i]);
    }
  }
  return result.length > 0 ? result : void 0;
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 71739:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var projection_exports = {};
module.exports = __toCommonJS(projection_exports);
__reExport(projection_exports, __webpack_require__(5299), module.exports);
__reExport(projection_exports, __webpack_require__(74037), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 74037:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var slice_exports = {};
__export(slice_exports, {
  $slice: () => $slice
});
module.exports = __toCommonJS(slice_exports);
var import_util = __webpack_require__(22356);
var import_slice = __webpack_require__(62856);
const $slice = (obj, expr, field, options) => {
  const xs = (0, import_util.resolve)(obj, field);
  if (!(0, import_util.isArray)(xs)) return xs;
  return (0, import_slice.$slice)(
    obj,
    (0, import_util.isArray)(expr) ? [xs, ...expr] : [xs, expr],
    options
  );
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 96379:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var all_exports = {};
__export(all_exports, {
  $all: () => $all
});
module.exports = __toCommonJS(all_exports);
var import_predicates = __webpack_require__(47366);
const $all = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$all);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 6352:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var elemMatch_exports = {};
__export(elemMatch_exports, {
  $elemMatch: () => $elemMatch
});
module.exports = __toCommonJS(elemMatch_exports);
var import_predicates = __webpack_require__(47366);
const $elemMatch = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$elemMatch);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 84536:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var array_exports = {};
module.exports = __toCommonJS(array_exports);
__reExport(array_exports, __webpack_require__(96379), module.exports);
__reExport(array_exports, __webpack_require__(6352), module.exports);
__reExport(array_exports, __webpack_require__(6435), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 6435:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var size_exports = {};
__export(size_exports, {
  $size: () => $size
});
module.exports = __toCommonJS(size_exports);
var import_predicates = __webpack_require__(47366);
const $size = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$size);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 77726:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var eq_exports = {};
__export(eq_exports, {
  $eq: () => $eq
});
module.exports = __toCommonJS(eq_exports);
var import_predicates = __webpack_require__(47366);
const $eq = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$eq);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 40419:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var gt_exports = {};
__export(gt_exports, {
  $gt: () => $gt
});
module.exports = __toCommonJS(gt_exports);
var import_predicates = __webpack_require__(47366);
const $gt = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$gt);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 65472:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var gte_exports = {};
__export(gte_exports, {
  $gte: () => $gte
});
module.exports = __toCommonJS(gte_exports);
var import_predicates = __webpack_require__(47366);
const $gte = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$gte);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 33803:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var in_exports = {};
__export(in_exports, {
  $in: () => $in
});
module.exports = __toCommonJS(in_exports);
var import_predicates = __webpack_require__(47366);
const $in = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$in);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 10494:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var comparison_exports = {};
__export(comparison_exports, {
  $eq: () => import_eq.$eq,
  $gt: () => import_gt.$gt,
  $gte: () => import_gte.$gte,
  $in: () => import_in.$in,
  $lt: () => import_lt.$lt,
  $lte: () => import_lte.$lte,
  $ne: () => import_ne.$ne,
  $nin: () => import_nin.$nin
});
module.exports = __toCommonJS(comparison_exports);
var import_eq = __webpack_require__(77726);
var import_gt = __webpack_require__(40419);
var import_gte = __webpack_require__(65472);
var import_in = __webpack_require__(33803);
var import_lt = __webpack_require__(94060);
var import_lte = __webpack_require__(8409);
var import_ne = __webpack_require__(44685);
var import_nin = __webpack_require__(84175);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 94060:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lt_exports = {};
__export(lt_exports, {
  $lt: () => $lt
});
module.exports = __toCommonJS(lt_exports);
var import_predicates = __webpack_require__(47366);
const $lt = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$lt);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 8409:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var lte_exports = {};
__export(lte_exports, {
  $lte: () => $lte
});
module.exports = __toCommonJS(lte_exports);
var import_predicates = __webpack_require__(47366);
const $lte = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$lte);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 44685:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var ne_exports = {};
__export(ne_exports, {
  $ne: () => $ne
});
module.exports = __toCommonJS(ne_exports);
var import_predicates = __webpack_require__(47366);
const $ne = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$ne);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 84175:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var nin_exports = {};
__export(nin_exports, {
  $nin: () => $nin
});
module.exports = __toCommonJS(nin_exports);
var import_predicates = __webpack_require__(47366);
const $nin = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$nin);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 74993:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var exists_exports = {};
__export(exists_exports, {
  $exists: () => $exists
});
module.exports = __toCommonJS(exists_exports);
var import_internal = __webpack_require__(12044);
const $exists = (selector, value, _options) => {
  const nested = selector.includes(".");
  const b = !!value;
  if (!nested || selector.match(/\.\d+$/)) {
    return (o) => (0, import_internal.resolve)(o, selector) !== void 0 === b;
  }
  const parentSelector = selector.substring(0, selector.lastIndexOf("."));
  const opts = { preserveIndex: "default" };
  return (o) => {
    const path = (0, import_internal.resolveGraph)(o, selector, opts);
    const val = (0, import_internal.resolve)(path, parentSelector);
    return (0, import_internal.isArray)(val) ? val.some((v) => v !== void 0) === b : val !== void 0 === b;
  };
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 82021:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var element_exports = {};
module.exports = __toCommonJS(element_exports);
__reExport(element_exports, __webpack_require__(74993), module.exports);
__reExport(element_exports, __webpack_require__(80905), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 80905:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var type_exports = {};
__export(type_exports, {
  $type: () => $type
});
module.exports = __toCommonJS(type_exports);
var import_predicates = __webpack_require__(47366);
const $type = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$type);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 89078:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var expr_exports = {};
__export(expr_exports, {
  $expr: () => $expr
});
module.exports = __toCommonJS(expr_exports);
var import_internal = __webpack_require__(23263);
var import_internal2 = __webpack_require__(12044);
function $expr(_, expr, options) {
  return (obj) => (0, import_internal2.truthy)((0, import_internal.evalExpr)(obj, expr, options), options.useStrictMode);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 89241:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var evaluation_exports = {};
module.exports = __toCommonJS(evaluation_exports);
__reExport(evaluation_exports, __webpack_require__(89078), module.exports);
__reExport(evaluation_exports, __webpack_require__(40508), module.exports);
__reExport(evaluation_exports, __webpack_require__(90249), module.exports);
__reExport(evaluation_exports, __webpack_require__(45126), module.exports);
__reExport(evaluation_exports, __webpack_require__(73866), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 40508:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var jsonSchema_exports = {};
__export(jsonSchema_exports, {
  $jsonSchema: () => $jsonSchema
});
module.exports = __toCommonJS(jsonSchema_exports);
var import_util = __webpack_require__(22356);
function $jsonSchema(_, schema, options) {
  (0, import_util.assert)(
    !!options?.jsonSchemaValidator,
    "$jsonSchema requires 'jsonSchemaValidator' option to be defined."
  );
  const validate = options.jsonSchemaValidator(schema);
  return (obj) => validate(obj);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 90249:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var mod_exports = {};
__export(mod_exports, {
  $mod: () => $mod
});
module.exports = __toCommonJS(mod_exports);
var import_predicates = __webpack_require__(47366);
const $mod = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$mod);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 45126:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var regex_exports = {};
__export(regex_exports, {
  $regex: () => $regex
});
module.exports = __toCommonJS(regex_exports);
var import_predicates = __webpack_require__(47366);
const $regex = (selector, value, options) => (0, import_predicates.processQuery)(selector, value, options, import_predicates.$regex);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 73866:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var where_exports = {};
__export(where_exports, {
  $where: () => $where
});
module.exports = __toCommonJS(where_exports);
var import_internal = __webpack_require__(12044);
function $where(_, rhs, opts) {
  (0, import_internal.assert)(
    opts.scriptEnabled,
    "$where requires 'scriptEnabled' option to be true"
  );
  const f = rhs;
  (0, import_internal.assert)((0, import_internal.isFunction)(f), "$where only accepts a Function objects");
  return (obj) => (0, import_internal.truthy)(f.call(obj), opts?.useStrictMode);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 42039:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var and_exports = {};
__export(and_exports, {
  $and: () => $and
});
module.exports = __toCommonJS(and_exports);
var import_query = __webpack_require__(92067);
var import_util = __webpack_require__(22356);
const $and = (_, rhs, options) => {
  (0, import_util.assert)((0, import_util.isArray)(rhs), "$and expects value to be an Array.");
  const queries = rhs.map((expr) => new import_query.Query(expr, options));
  return (obj) => queries.every((q) => q.test(obj));
};
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 87150:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __reExport = (target, mod, secondTarget) => (__copyProps(target, mod, "default"), secondTarget && __copyProps(secondTarget, mod, "default"));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var logical_exports = {};
module.exports = __toCommonJS(logical_exports);
__reExport(logical_exports, __webpack_require__(42039), module.exports);
__reExport(logical_exports, __webpack_require__(36981), module.exports);
__reExport(logical_exports, __webpack_require__(2903), module.exports);
__reExport(logical_exports, __webpack_require__(88801), module.exports);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 36981:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var nor_exports = {};
__export(nor_exports, {
  $nor: () => $nor
});
module.exports = __toCommonJS(nor_exports);
var import_util = __webpack_require__(22356);
var import_or = __webpack_require__(88801);
function $nor(_, rhs, options) {
  (0, import_util.assert)(
    (0, import_util.isArray)(rhs),
    "Invalid expression. $nor expects value to be an array."
  );
  const f = (0, import_or.$or)("$or", rhs, options);
  return (obj) => !f(obj);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 2903:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var not_exports = {};
__export(not_exports, {
  $not: () => $not
});
module.exports = __toCommonJS(not_exports);
var import_query = __webpack_require__(92067);
var import_util = __webpack_require__(22356);
function $not(selector, rhs, options) {
  const criteria = {};
  criteria[selector] = (0, import_util.normalize)(rhs);
  const query = new import_query.Query(criteria, options);
  return (obj) => !query.test(obj);
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 88801:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var or_exports = {};
__export(or_exports, {
  $or: () => $or
});
module.exports = __toCommonJS(or_exports);
var import_query = __webpack_require__(92067);
var import_util = __webpack_require__(22356);
function $or(_, rhs, options) {
  (0, import_util.assert)((0, import_util.isArray)(rhs), "Invalid expression. $or expects value to be an Array");
  const queries = rhs.map((expr) => new import_query.Query(expr, options));
  return (obj) => queries.some((q) => q.test(obj));
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 92067:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var query_exports = {};
__export(query_exports, {
  Query: () => Query
});
module.exports = __toCommonJS(query_exports);
var import_internal = __webpack_require__(23263);
var import_cursor = __webpack_require__(71205);
var import_util = __webpack_require__(22356);
const TOP_LEVEL_OPS = /* @__PURE__ */ new Set(["$and", "$or", "$nor", "$expr", "$jsonSchema"]);
class Query {
  #compiled;
  #condition;
  #options;
  /**
   * Creates an instance of the query with the specified condition and options.
   * This object is preloaded with all query and projection operators.
   *
   * @param condition - The query condition object used to define the criteria for matching documents.
   * @param options - Optional configuration settings to customize the query behavior.
   */
  constructor(condition, options) {
    this.#condition = (0, import_util.cloneDeep)(condition);
    this.#options = import_internal.ComputeOptions.init(options).update({
      condition
    });
    this.#compiled = [];
    this.compile();
  }
  compile() {
    (0, import_util.assert)(
      (0, import_util.isObject)(this.#condition),
      `query criteria must be an object: ${JSON.stringify(this.#condition)}`
    );
    const whereOperator = {};
    for (const field of Object.keys(this.#condition)) {
      const expr = this.#condition[field];
      if ("$where" === field) {
        (0, import_util.assert)(
          this.#options.scriptEnabled,
          "$where operator requires 'scriptEnabled' option to be true."
        );
        Object.assign(whereOperator, { field, expr });
      } else if (TOP_LEVEL_OPS.has(field)) {
        this.processOperator(field, field, expr);
      } else {
        (0, import_util.assert)(!(0, import_util.isOperator)(field), `unknown top level operator: ${field}`);
        const normalizedExpr = (0, import_util.normalize)(expr);
        for (const operator of Object.keys(normalizedExpr)) {
          this.processOperator(field, operator, normalizedExpr[operator]);
        }
      }
      if (whereOperator.field) {
        this.processOperator(
          whereOperator.field,
          whereOperator.field,
          whereOperator.expr
        );
      }
    }
  }
  processOperator(field, operator, value) {
    const fn = this.#options.context.getOperator(
      import_internal.OpType.QUERY,
      operator
    );
    (0, import_util.assert)(!!fn, `unknown query operator ${operator}`);
    this.#compiled.push(fn(field, value, this.#options));
  }
  /**
   * Tests whether the given object satisfies all compiled predicates.
   *
   * @template T - The type of the object to test.
   * @param obj - The object to be tested against the compiled predicates.
   * @returns `true` if the object satisfies all predicates, otherwise `false`.
   */
  test(obj) {
    return this.#compiled.every((p) => p(obj));
  }
  /**
   * Returns a cursor for iterating over the items in the given collection that match the query criteria.
   *
   * @typeParam T - The type of the items in the resulting cursor.
   * @param collection - The source collection to search through.
   * @param projection - An optional object specifying fields to include or exclude
   *                      in the returned items.
   * @returns A `Cursor` instance for iterating over the matching items.
   */
  find(collection, projection) {
    return new import_cursor.Cursor(
      collection,
      (o) => this.test(o),
      projection || {},
      this.#options
    );
  }
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 2089:
/***/ ((module) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var hash_exports = {};
__export(hash_exports, {
  hashCode: () => hashCode
});
module.exports = __toCommonJS(hash_exports);
const MULTIPLIER = 16777619;
function mix(h, x) {
  return h * MULTIPLIER ^ x >>> 0;
}
function hashNumber(n) {
  if (Number.isNaN(n)) return 2143289344;
  if (!Number.isFinite(n)) return n > 0 ? 2139095040 : 4286578688;
  const intPart = Math.trunc(n);
  const frac = n - intPart;
  let h = intPart | 0;
  if (frac !== 0) {
    const scaled = Math.floor(frac * 4294967296);
    h = mix(h, scaled | 0);
  }
  return h >>> 0;
}
function hashString(str) {
  let h = 0;
  for (let i = 0; i < str.length; i++) {
    h = mix(h, str.charCodeAt(i));
  }
  return h >>> 0;
}
function hashBigInt(b) {
  let h = 0;
  const isNegative = b < 0n;
  let x = isNegative ? -b : b;
  if (x === 0n) {
    h = mix(h, 0);
  } else {
    while (x > 0n) {
      const byte = Number(x & 0xffn);
      h = mix(h, byte);
      x >>= 8n;
    }
  }
  return mix(h, +isNegative) >>> 0;
}
function hashFunction(fn) {
  let h = hashString((fn.name || "") + fn.toString());
  h = mix(h, fn.length);
  return h >>> 0;
}
function hashBytes(bytes) {
  let h = 0;
  for (let i = 0; i < bytes.length; i++) {
    h = mix(h, bytes[i]);
  }
  return h >>> 0;
}
function hashTypedArray(view) {
  let h = hashString(view.constructor.name);
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  h = mix(h, hashBytes(bytes));
  return h >>> 0;
}
function hashArray(arr, seen) {
  if (seen.has(arr)) return 13 /* Cycle */;
  seen.add(arr);
  let h = 1;
  for (let i = 0; i < arr.length; i++) {
    h = mix(h, internalHash(arr[i], seen));
  }
  seen.delete(arr);
  return h >>> 0;
}
function hashObject(obj, seen) {
  if (seen.has(obj)) return 13 /* Cycle */;
  seen.add(obj);
  const keys = Object.keys(obj).sort();
  let h = hashString(obj?.constructor?.name);
  for (const k of keys) {
    h = mix(h, hashString(k));
    h = mix(h, internalHash(obj[k], seen));
  }
  seen.delete(obj);
  return h >>> 0;
}
const BOOLEAN_HASH = [3735928559, 305441741].map((b) => mix(3 /* Boolean */, b));
const NULL_HASH = mix(1 /* Null */, 0);
const UNDEF_HASH = mix(2 /* Undefined */, 0);
function internalHash(value, seen) {
  if (value === null) return NULL_HASH;
  const t = typeof value;
  switch (t) {
    case "undefined":
      return UNDEF_HASH;
    case "boolean":
      return BOOLEAN_HASH[+value];
    case "number":
      return mix(4 /* Number */, hashNumber(value));
    case "string":
      return mix(5 /* String */, hashString(value));
    case "bigint":
      return mix(6 /* BigInt */, hashBigInt(value));
    case "function":
      return mix(7 /* Function */, hashFunction(value));
    default: {
      if (ArrayBuffer.isView(value) && !(value instanceof DataView))
        return mix(12 /* TypedArray */, hashTypedArray(value));
      if (value instanceof Date)
        return mix(10 /* Date */, hashNumber(value.getTime()));
      if (value instanceof RegExp) {
        const h = hashString(value.source);
        return mix(11 /* RegExp */, mix(h, hashString(value.flags)));
      }
      if (Array.isArray(value)) return mix(8 /* Array */, hashArray(value, seen));
      return mix(
        9 /* Object */,
        hashObject(value, seen)
      );
    }
  }
}
function hashCode(value) {
  return internalHash(value, /* @__PURE__ */ new WeakSet()) >>> 0;
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 12044:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var internal_exports = {};
__export(internal_exports, {
  HashMap: () => HashMap,
  MISSING: () => MISSING,
  MingoError: () => MingoError,
  OBJECT_PROTO_PROPS: () => OBJECT_PROTO_PROPS,
  PathValidator: () => PathValidator,
  assert: () => assert,
  assertNoProto: () => assertNoProto,
  cloneDeep: () => cloneDeep,
  compare: () => compare,
  ensureArray: () => ensureArray,
  filterMissing: () => filterMissing,
  findInsertIndex: () => findInsertIndex,
  flatten: () => flatten,
  groupBy: () => groupBy,
  has: () => has,
  hashCode: () => import_hash2.hashCode,
  intersection: () => intersection,
  isArray: () => isArray,
  isBoolean: () => isBoolean,
  isDate: () => isDate,
  isEmpty: () => isEmpty,
  isEqual: () => isEqual,
  isFunction: () => isFunction,
  isInteger: () => isInteger,
  isNil: () => isNil,
  isNumber: () => isNumber,
  isObject: () => isObject,
  isObjectLike: () => isObjectLike,
  isOperator: () => isOperator,
  isPrimitive: () => isPrimitive,
  isRegExp: () => isRegExp,
  isString: () => isString,
  isSymbol: () => isSymbol,
  normalize: () => normalize,
  removeValue: () => removeValue,
  resolve: () => resolve,
  resolveGraph: () => resolveGraph,
  setValue: () => setValue,
  simpleCmp: () => simpleCmp,
  truthy: () => truthy,
  typeOf: () => typeOf,
  unique: () => unique,
  walk: () => walk
});
module.exports = __toCommonJS(internal_exports);
var import_hash = __webpack_require__(2089);
var import_hash2 = __webpack_require__(2089);
class MingoError extends Error {
}
const MISSING = /* @__PURE__ */ Symbol("missing");
const ERR_CYCLE_FOUND = "mingo: cycle detected while processing object/array";
const isPrimitive = (v) => typeof v !== "object" && typeof v !== "function" || v === null;
const isScalar = (v) => isPrimitive(v) || isDate(v) || isRegExp(v);
const SORT_ORDER = {
  undefined: 1,
  null: 2,
  number: 3,
  string: 4,
  symbol: 5,
  object: 6,
  array: 7,
  arraybuffer: 8,
  boolean: 9,
  date: 10,
  regexp: 11,
  function: 12
};
const simpleCmp = (a, b) => a < b ? -1 : a > b ? 1 : 0;
const typedArraysCmp = (a, b) => {
  const bytesA = new Uint8Array(a.buffer, a.byteOffset, a.byteLength);
  const bytesB = new Uint8Array(b.buffer, b.byteOffset, b.byteLength);
  const size = Math.min(bytesA.length, bytesB.length);
  for (let i = 0; i < size; i++) {
    const order = simpleCmp(bytesA[i], bytesB[i]);
    if (order !== 0) return order;
  }
  return simpleCmp(bytesA.length, bytesB.length);
};
function mingoCmp(a, b, descendArray = false) {
  if (a === MISSING) a = void 0;
  if (b === MISSING) b = void 0;
  if (a === b || Object.is(a, b)) return 0;
  const typeA = typeOf(a);
  const typeB = typeOf(b);
  let neq = 0;
  if (typeA === typeB) {
    switch (typeA) {
      case "number":
      case "string":
      case "boolean":
        return simpleCmp(a, b);
      case "date":
        return simpleCmp(+a, +b);
      case "regexp":
        if (neq = simpleCmp(a.source, b.source))
          return neq;
        return simpleCmp(a.flags, b.flags);
      case "arraybuffer":
        return typedArraysCmp(a, b);
      case "array": {
        const xs = a.slice().sort(mingoCmp);
        const ys = b.slice().sort(mingoCmp);
        const size = Math.min(xs.length, ys.length);
        for (let i = 0; i < size; i++)
          if (neq = mingoCmp(xs[i], ys[i])) return neq;
        return simpleCmp(xs.length, ys.length);
      }
      default: {
        if (typeA !== "object") {
          if (a?.constructor === b?.constructor && hasCustomString(a))
            return simpleCmp(a.toString(), b.toString());
        }
        const keysA = Object.keys(a).sort();
        const keysB = Object.keys(b).sort();
        if (neq = mingoCmp(keysA, keysB)) return neq;
        for (const k of keysA)
          if (neq = mingoCmp(a[k], b[k]))
            return neq;
        return 0;
      }
    }
  }
  if (typeA == "undefined") return -1;
  if (typeB == "undefined") return 1;
  if (descendArray) {
    if (typeA == "array") {
      const xs = a;
      if (!xs.length) return -1;
      const sorted = xs.slice().sort(mingoCmp);
      neq = 1;
      for (const v of sorted)
        if ((neq = Math.min(neq, mingoCmp(v, b))) < 0) return neq;
      return neq;
    }
    if (typeB == "array") {
      const ys = b;
      if (!ys.length) return 1;
      const sorted = ys.slice().sort(mingoCmp);
      neq = -1;
      for (const v of sorted)
        if ((neq = Math.max(neq, mingoCmp(a, v))) > 0) return neq;
      return neq;
    }
  }
  const orderA = SORT_ORDER[typeA] ?? Number.MAX_VALUE;
  const orderB = SORT_ORDER[typeB] ?? Number.MAX_VALUE;
  return orderA !== orderB ? simpleCmp(orderA, orderB) : simpleCmp(typeA, typeB);
}
const compare = (a, b) => mingoCmp(a, b, true);
const hasCustomString = (o) => o !== null && o !== void 0 && o["toString"] !== Object.prototype.toString;
function isEqual(a, b) {
  if (a === b || Object.is(a, b)) return true;
  if (a === null || b === null) return false;
  if (typeof a !== typeof b) return false;
  if (typeof a !== "object") return false;
  if (a.constructor !== b?.constructor) return false;
  if (isDate(a)) return isDate(b) && +a === +b;
  if (isRegExp(a))
    return isRegExp(b) && a.source === b.source && a.flags === b.flags;
  if (isArray(a) && isArray(b)) {
    return a.length === b.length && a.every((v, i) => isEqual(v, b[i]));
  }
  if (a?.constructor !== Object && hasCustomString(a)) {
    return a?.toString() === b?.toString();
  }
  const objA = a;
  const objB = b;
  const keysA = Object.keys(objA);
  const keysB = Object.keys(objB);
  if (keysA.length !== keysB.length) return false;
  return keysA.every((k) => has(objB, k) && isEqual(objA[k], objB[k]));
}
class HashMap extends Map {
  // maps the hashcode to key set
  #keyMap = /* @__PURE__ */ new Map();
  // returns a tuple of [<masterKey>, <hash>]. Expects an object key.
  #unpack = (key) => {
    const hash = (0, import_hash.hashCode)(key);
    const items = this.#keyMap.get(hash) ?? [];
    return [items.find((k) => isEqual(k, key)), hash];
  };
  constructor() {
    super();
  }
  /**
   * Returns a new {@link HashMap} object.
   * @param fn An optional custom hash function
   */
  static init() {
    return new HashMap();
  }
  clear() {
    super.clear();
    this.#keyMap.clear();
  }
  delete(key) {
    if (isPrimitive(key)) return super.delete(key);
    const [masterKey, hash] = this.#unpack(key);
    if (!super.delete(masterKey)) return false;
    this.#keyMap.set(
      hash,
      this.#keyMap.get(hash).filter((k) => !isEqual(k, masterKey))
    );
    return true;
  }
  get(key) {
    if (isPrimitive(key)) return super.get(key);
    const [masterKey, _] = this.#unpack(key);
    return super.get(masterKey);
  }
  has(key) {
    if (isPrimitive(key)) return super.has(key);
    const [masterKey, _] = this.#unpack(key);
    return super.has(masterKey);
  }
  set(key, value) {
    if (isPrimitive(key)) return super.set(key, value);
    const [masterKey, hash] = this.#unpack(key);
    if (super.has(masterKey)) {
      super.set(masterKey, value);
    } else {
      super.set(key, value);
      const keys = this.#keyMap.get(hash) || [];
      keys.push(key);
      this.#keyMap.set(hash, keys);
    }
    return this;
  }
  /**
   * @returns the number of elements in the Map.
   */
  get size() {
    return super.size;
  }
}
function assert(condition, msg) {
  if (!condition) throw new MingoError(msg);
}
const assertNoProto = (s) => {
  if (s === "__proto__" || s.startsWith("__proto__.") || s.endsWith(".__proto__") || s.includes(".__proto__.")) {
    throw new MingoError(
      `Accessing __proto__ is not allowed in selector: '${s}'.`
    );
  }
};
function typeOf(v) {
  const t = typeof v;
  switch (t) {
    case "number":
    case "string":
    case "boolean":
    case "undefined":
    case "function":
    case "symbol":
      return t;
  }
  if (v === null) return "null";
  if (isArray(v)) return "array";
  if (isDate(v)) return "date";
  if (isRegExp(v)) return "regexp";
  if (isTypedArray(v)) return "arraybuffer";
  if (v?.constructor === Object) return "object";
  return v?.constructor?.name?.toLowerCase() ?? "object";
}
const isBoolean = (v) => typeof v === "boolean";
const isString = (v) => typeof v === "string";
const isSymbol = (v) => typeof v === "symbol";
const isNumber = (v) => !Number.isNaN(v) && typeof v === "number";
const isInteger = Number.isInteger;
const isArray = Array.isArray;
const isObject = (v) => typeOf(v) === "object";
const isObjectLike = (v) => !isPrimitive(v);
const isDate = (v) => v instanceof Date;
const isRegExp = (v) => v instanceof RegExp;
const isFunction = (v) => typeof v === "function";
const isNil = (v) => v === null || v === void 0;
const truthy = (arg, strict = true) => !!arg || strict && arg === "";
const isEmpty = (x) => isNil(x) || isString(x) && !x || isArray(x) && x.length === 0 || isObject(x) && Object.keys(x).length === 0;
const ensureArray = (x) => isArray(x) ? x : [x];
const has = (obj, key1, key2 = "", key3 = "") => !!(obj && Object.prototype.hasOwnProperty.call(obj, key1) && (key2 === "" || Object.prototype.hasOwnProperty.call(obj, key2)) && (key3 === "" || Object.prototype.hasOwnProperty.call(obj, key3)));
const isTypedArray = (v) => typeof ArrayBuffer !== "undefined" && ArrayBuffer.isView(v);
const isDigits = (s) => {
  for (let i = 0; i < s.length; i++)
    if (s.charCodeAt(i) < 48 || s.charCodeAt(i) > 57) return false;
  return true;
};
const cloneDeep = (v, refs) => {
  if (isPrimitive(v)) return v;
  if (isDate(v)) return new Date(v);
  if (isRegExp(v)) return new RegExp(v);
  if (isTypedArray(v)) {
    const ctor = v.constructor;
    return new ctor(v);
  }
  if (!(refs instanceof WeakSet)) refs = /* @__PURE__ */ new WeakSet();
  if (refs.has(v)) throw new Error(ERR_CYCLE_FOUND);
  refs.add(v);
  try {
    if (isArray(v)) {
      const arr = new Array(v.length);
      for (let i = 0; i < v.length; i++) arr[i] = cloneDeep(v[i], refs);
      return arr;
    }
    if (isObject(v)) {
      const obj = {};
      for (const k of Object.keys(v)) obj[k] = cloneDeep(v[k], refs);
      return obj;
    }
  } finally {
    refs.delete(v);
  }
  return v;
};
function intersection(input) {
  if (input.length === 0) return [];
  if (input.length === 1) return input[0].slice();
  for (const arr of input) if (arr.length === 0) return [];
  const maps = [HashMap.init(), HashMap.init()];
  let index = 0;
  for (const v of input[input.length - 1]) maps[0].set(v, true);
  for (let i = input.length - 2; i >= 0; i--) {
    for (let j = 0; j < input[i].length; j++) {
      const v = input[i][j];
      if (maps[index].has(v)) maps[index ^ 1].set(v, true);
    }
    if (maps[index ^ 1].size === 0) return [];
    maps[index].clear();
    index = index ^ 1;
  }
  return Array.from(maps[index].keys());
}
function flatten(xs, depth = 1) {
  const arr = new Array();
  function flatten2(ys, n) {
    for (let i = 0, len = ys.length; i < len; i++) {
      if (isArray(ys[i]) && (n > 0 || n < 0)) {
        flatten2(ys[i], Math.max(-1, n - 1));
      } else {
        arr.push(ys[i]);
      }
    }
  }
  flatten2(xs, depth);
  return arr;
}
function unique(input) {
  const m = HashMap.init();
  for (const v of input) m.set(v, true);
  return Array.from(m.keys());
}
function groupBy(collection, keyFunc) {
  if (collection.length < 1) return /* @__PURE__ */ new Map();
  const result = HashMap.init();
  for (let i = 0; i < collection.length; i++) {
    const obj = collection[i];
    const key = keyFunc(obj, i) ?? null;
    let a = result.get(key);
    if (!a) {
      a = [obj];
      result.set(key, a);
    } else {
      a.push(obj);
    }
  }
  return result;
}
const OBJECT_PROTO_PROPS = new Set(
  Object.getOwnPropertyNames(Object.prototype).filter((s) => s !== "__proto__")
);
function getValue(obj, key) {
  if (obj === Object.prototype) return;
  if (isPrimitive(obj) || Number.isNaN(key)) return;
  if (isArray(obj)) return obj[Number(key)];
  if (OBJECT_PROTO_PROPS.has(key) && !has(obj, key)) return;
  return obj[key];
}
function unwrap(arr, depth) {
  if (depth < 1) return arr;
  while (depth-- && arr.length === 1 && isArray(arr[0])) arr = arr[0];
  return arr;
}
function resolve(obj, selector, options) {
  assertNoProto(selector);
  if (isScalar(obj)) return obj;
  if (!selector.includes(".") && !isArray(obj)) return getValue(obj, selector);
  let depth = 0;
  function resolvePath(o, path) {
    let value = o;
    let begin = 0;
    let dot = 0;
    while (dot !== -1) {
      dot = path.indexOf(".", begin);
      const field = dot === -1 ? path.substring(begin) : path.substring(begin, dot);
      const isIndex = isDigits(field);
      if (!isIndex && isArray(value)) {
        if (begin === 0 && depth > 0) break;
        depth += 1;
        const subpath = path.substring(begin);
        value = value.reduce((acc, item) => {
          const v = resolvePath(item, subpath);
          if (v !== void 0) acc.push(v);
          return acc;
        }, []);
        break;
      } else {
        value = getValue(value, field);
      }
      if (value === void 0) break;
      begin += field.length + 1;
    }
    return value;
  }
  const res = resolvePath(obj, selector);
  return isArray(res) && options?.unwrapArray ? unwrap(res, depth) : res;
}
function resolveGraph(obj, selector, options) {
  if (options?.ignoreProto !== true) {
    assertNoProto(selector);
    options = { ...options, ignoreProto: true };
  }
  const sep = selector.indexOf(".");
  const key = sep == -1 ? selector : selector.substring(0, sep);
  const next = selector.substring(sep + 1);
  const hasNext = sep != -1;
  const { preserveIndex, preserveKeys } = options;
  if (isArray(obj)) {
    const isIndex = isDigits(key);
    const arr = isIndex && preserveIndex === "default" ? obj.slice() : [];
    if (isIndex) {
      const index = Number(key);
      let value2 = getValue(obj, key);
      if (hasNext) value2 = resolveGraph(value2, next, options);
      if (preserveIndex === "default") {
        arr[index] = value2;
      } else {
        arr.push(value2);
      }
    } else {
      for (let i = 0; i < obj.length; i++) {
        const value2 = resolveGraph(obj[i], selector, options);
        if (preserveIndex === "missing") {
          arr.push(value2 ?? MISSING);
        } else if (value2 !== void 0 || preserveIndex === "default") {
          arr.push(value2);
        }
      }
    }
    return arr;
  }
  let value = getValue(obj, key);
  if (hasNext) {
    value = resolveGraph(value, next, options);
  }
  const res = preserveKeys ? { ...obj } : {};
  if (value === void 0) {
    return preserveIndex === "missing" && isObject(obj) ? res : void 0;
  }
  res[key] = value;
  return res;
}
function filterMissing(obj) {
  if (isArray(obj)) {
    for (let i = obj.length - 1; i >= 0; i--) {
      if (obj[i] === MISSING) {
        obj.splice(i, 1);
      } else {
        filterMissing(obj[i]);
      }
    }
  } else if (isObject(obj)) {
    const keys = Object.keys(obj);
    for (let i = 0; i < keys.length; i++) {
      filterMissing(obj[keys[i]]);
    }
  }
}
function walk(obj, selector, fn, options) {
  if (options?.ignoreProto !== true) {
    assertNoProto(selector);
    options = { ...options, ignoreProto: true };
  }
  if (obj === Object.prototype) return;
  const dotIndex = selector.indexOf(".");
  const key = dotIndex === -1 ? selector : selector.substring(0, dotIndex);
  const next = selector.substring(key.length + 1);
  if (next.length === 0) {
    if (isObject(obj) || isArray(obj) && isDigits(key)) fn(obj, key);
  } else {
    if (options?.buildGraph && isNil(obj[key])) obj[key] = {};
    const item = obj[key];
    if (!item) return;
    const nextDotIndex = next.indexOf(".");
    const nextKey = nextDotIndex === -1 ? next : next.substring(0, nextDotIndex);
    const isNextArrayIndex = isDigits(nextKey);
    if (isArray(item) && options?.descendArray && !isNextArrayIndex) {
      for (let i = 0; i < item.length; i++)
        walk(item[i], next, fn, options);
    } else {
      walk(item, next, fn, options);
    }
  }
}
function setValue(obj, selector, value) {
  walk(obj, selector, (item, key) => item[key] = value, {
    buildGraph: true
  });
}
function removeValue(obj, selector, options) {
  walk(
    obj,
    selector,
    ((item, key) => {
      if (isArray(item)) {
        item.splice(Number(key), 1);
      } else {
        delete item[key];
      }
    }),
    options
  );
}
const isOperator = (name) => !!name && name[0] === "$" && /^\$[a-zA-Z0-9_]+$/.test(name);
function normalize(expr) {
  if (isScalar(expr)) {
    return isRegExp(expr) ? { $regex: expr } : { $eq: expr };
  }
  if (!Object.keys(expr).some(isOperator)) return { $eq: expr };
  if (isObject(expr) && has(expr, "$regex")) {
    const newExpr = { ...expr };
    newExpr["$regex"] = new RegExp(
      expr["$regex"],
      expr["$options"]
    );
    delete newExpr["$options"];
    return newExpr;
  }
  return expr;
}
function findInsertIndex(sorted, item, comparator = compare) {
  let lo = 0;
  let hi = sorted.length - 1;
  while (lo <= hi) {
    const mid = Math.round(lo + (hi - lo) / 2);
    if (comparator(item, sorted[mid]) < 0) {
      hi = mid - 1;
    } else if (comparator(item, sorted[mid]) > 0) {
      lo = mid + 1;
    } else {
      return mid;
    }
  }
  return lo;
}
class PathValidator {
  constructor() {
    this.root = {
      children: /* @__PURE__ */ new Map(),
      isTerminal: false
    };
  }
  add(selector) {
    const parts = selector.split(".");
    let current = this.root;
    for (const part of parts) {
      if (current.isTerminal) return false;
      if (!current.children.has(part)) {
        current.children.set(part, {
          children: /* @__PURE__ */ new Map(),
          isTerminal: false
        });
      }
      current = current.children.get(part);
    }
    if (current.isTerminal || current.children.size) return false;
    return current.isTerminal = true;
  }
}
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ }),

/***/ 22356:
/***/ ((module, __unused_webpack_exports, __webpack_require__) => {

var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);
var util_exports = {};
__export(util_exports, {
  HashMap: () => import_internal.HashMap,
  MingoError: () => import_internal.MingoError,
  assert: () => import_internal.assert,
  cloneDeep: () => import_internal.cloneDeep,
  compare: () => import_internal.compare,
  ensureArray: () => import_internal.ensureArray,
  findInsertIndex: () => import_internal.findInsertIndex,
  flatten: () => import_internal.flatten,
  groupBy: () => import_internal.groupBy,
  has: () => import_internal.has,
  hashCode: () => import_internal.hashCode,
  intersection: () => import_internal.intersection,
  isArray: () => import_internal.isArray,
  isBoolean: () => import_internal.isBoolean,
  isDate: () => import_internal.isDate,
  isEmpty: () => import_internal.isEmpty,
  isEqual: () => import_internal.isEqual,
  isFunction: () => import_internal.isFunction,
  isInteger: () => import_internal.isInteger,
  isNil: () => import_internal.isNil,
  isNumber: () => import_internal.isNumber,
  isObject: () => import_internal.isObject,
  isObjectLike: () => import_internal.isObjectLike,
  isOperator: () => import_internal.isOperator,
  isRegExp: () => import_internal.isRegExp,
  isString: () => import_internal.isString,
  isSymbol: () => import_internal.isSymbol,
  normalize: () => import_internal.normalize,
  removeValue: () => import_internal.removeValue,
  resolve: () => import_internal.resolve,
  setValue: () => import_internal.setValue,
  typeOf: () => import_internal.typeOf,
  unique: () => import_internal.unique
});
module.exports = __toCommonJS(util_exports);
var import_internal = __webpack_require__(12044);
// Annotate the CommonJS export names for ESM import in node:
0 && (0);


/***/ })

};
