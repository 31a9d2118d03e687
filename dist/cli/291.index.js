export const id = 291;
export const ids = [291];
export const modules = {

/***/ 13291:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

__webpack_require__.r(__webpack_exports__);
/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   Query: () => (/* reexport safe */ mingo_query__WEBPACK_IMPORTED_MODULE_12__.Query),
/* harmony export */   cloning: () => (/* binding */ cloning),
/* harmony export */   options: () => (/* binding */ options)
/* harmony export */ });
/* harmony import */ var mingo_core__WEBPACK_IMPORTED_MODULE_13__ = __webpack_require__(9219);
/* harmony import */ var mingo_operators_expression_array__WEBPACK_IMPORTED_MODULE_8__ = __webpack_require__(39634);
/* harmony import */ var mingo_operators_expression_boolean__WEBPACK_IMPORTED_MODULE_6__ = __webpack_require__(57939);
/* harmony import */ var mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(52980);
/* harmony import */ var mingo_operators_expression_conditional__WEBPACK_IMPORTED_MODULE_9__ = __webpack_require__(24447);
/* harmony import */ var mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__ = __webpack_require__(41192);
/* harmony import */ var mingo_operators_expression_type__WEBPACK_IMPORTED_MODULE_10__ = __webpack_require__(75741);
/* harmony import */ var mingo_operators_projection__WEBPACK_IMPORTED_MODULE_11__ = __webpack_require__(71739);
/* harmony import */ var mingo_operators_query_array__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(84536);
/* harmony import */ var mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(10494);
/* harmony import */ var mingo_operators_query_element__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(82021);
/* harmony import */ var mingo_operators_query_evaluation__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(89241);
/* harmony import */ var mingo_operators_query_logical__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(87150);
/* harmony import */ var mingo_query__WEBPACK_IMPORTED_MODULE_12__ = __webpack_require__(92067);














const query = {
    $eq: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$eq,
    $ne: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$ne,
    $gt: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$gt,
    $gte: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$gte,
    $lt: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$lt,
    $lte: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$lte,
    $in: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$in,
    $nin: mingo_operators_query_comparison__WEBPACK_IMPORTED_MODULE_0__.$nin,
    $exists: mingo_operators_query_element__WEBPACK_IMPORTED_MODULE_1__.$exists,
    $type: mingo_operators_query_element__WEBPACK_IMPORTED_MODULE_1__.$type,
    $regex: mingo_operators_query_evaluation__WEBPACK_IMPORTED_MODULE_2__.$regex,
    $mod: mingo_operators_query_evaluation__WEBPACK_IMPORTED_MODULE_2__.$mod,
    $size: mingo_operators_query_array__WEBPACK_IMPORTED_MODULE_3__.$size,
    $all: mingo_operators_query_array__WEBPACK_IMPORTED_MODULE_3__.$all,
    $elemMatch: mingo_operators_query_array__WEBPACK_IMPORTED_MODULE_3__.$elemMatch,
    $and: mingo_operators_query_logical__WEBPACK_IMPORTED_MODULE_4__.$and,
    $or: mingo_operators_query_logical__WEBPACK_IMPORTED_MODULE_4__.$or,
    $nor: mingo_operators_query_logical__WEBPACK_IMPORTED_MODULE_4__.$nor,
    $not: mingo_operators_query_logical__WEBPACK_IMPORTED_MODULE_4__.$not,
};
const expression = {
    $eq: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$eq,
    $ne: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$ne,
    $gt: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$gt,
    $gte: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$gte,
    $lt: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$lt,
    $lte: mingo_operators_expression_comparison__WEBPACK_IMPORTED_MODULE_5__.$lte,
    $and: mingo_operators_expression_boolean__WEBPACK_IMPORTED_MODULE_6__.$and,
    $or: mingo_operators_expression_boolean__WEBPACK_IMPORTED_MODULE_6__.$or,
    $not: mingo_operators_expression_boolean__WEBPACK_IMPORTED_MODULE_6__.$not,
    $concat: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$concat,
    $substrBytes: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$substrBytes,
    $substrCP: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$substrCP,
    $strLenCP: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$strLenCP,
    $toLower: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$toLower,
    $toUpper: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$toUpper,
    $trim: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$trim,
    $split: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$split,
    $replaceAll: mingo_operators_expression_string__WEBPACK_IMPORTED_MODULE_7__.$replaceAll,
    $arrayElemAt: mingo_operators_expression_array__WEBPACK_IMPORTED_MODULE_8__.$arrayElemAt,
    $first: mingo_operators_expression_array__WEBPACK_IMPORTED_MODULE_8__.$first,
    $last: mingo_operators_expression_array__WEBPACK_IMPORTED_MODULE_8__.$last,
    $cond: mingo_operators_expression_conditional__WEBPACK_IMPORTED_MODULE_9__.$cond,
    $ifNull: mingo_operators_expression_conditional__WEBPACK_IMPORTED_MODULE_9__.$ifNull,
    $toString: mingo_operators_expression_type__WEBPACK_IMPORTED_MODULE_10__.$toString,
};
const projections = {
    $elemMatch: mingo_operators_projection__WEBPACK_IMPORTED_MODULE_11__.$elemMatch,
    $slice: mingo_operators_projection__WEBPACK_IMPORTED_MODULE_11__.$slice,
};

/** Only the operators above, and no scripts. */
const options = {
    scriptEnabled: false,
    context: mingo_core__WEBPACK_IMPORTED_MODULE_13__.Context.init({ query, expression, projection: projections }),
};
/** For a projection that takes fields away, which the library does in place. */
const cloning = { ...options, processingMode: mingo_core__WEBPACK_IMPORTED_MODULE_13__.ProcessingMode.CLONE_INPUT };


/***/ })

};
