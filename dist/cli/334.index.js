export const id = 334;
export const ids = [334];
export const modules = {

/***/ 1334:
/***/ ((__unused_webpack___webpack_module__, __webpack_exports__, __webpack_require__) => {

/* harmony export */ __webpack_require__.d(__webpack_exports__, {
/* harmony export */   serveDev: () => (/* binding */ serveDev)
/* harmony export */ });
/* harmony import */ var _dev_local_platform_js__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(4744);
/* harmony import */ var _relay_access_keys_js__WEBPACK_IMPORTED_MODULE_1__ = __webpack_require__(6955);
/* harmony import */ var _relay_credentials_js__WEBPACK_IMPORTED_MODULE_2__ = __webpack_require__(6500);
/* harmony import */ var _relay_config_js__WEBPACK_IMPORTED_MODULE_3__ = __webpack_require__(3651);
/* harmony import */ var _relay_node_js__WEBPACK_IMPORTED_MODULE_4__ = __webpack_require__(4211);
/* harmony import */ var _system_clock_js__WEBPACK_IMPORTED_MODULE_5__ = __webpack_require__(697);






/** Nothing is dispatched, so the repository is a name without meaning. */
const LOCAL = { owner: 'local', name: 'local' };
/** The relay's own core, in its self-hosted form, with the engine of this process for a platform. */
async function serveDev(options) {
    const { host, port, env, workflows, tell, report } = options;
    const ports = {
        dispatch: async ({ payload }) => {
            tell(await (0,_dev_local_platform_js__WEBPACK_IMPORTED_MODULE_0__/* .runLocally */ .g)(payload, { workflows, now: () => performance.now() }));
            return { tries: 1 };
        },
        credentials: await devCredentials(host, env),
        repository: LOCAL,
        now: _system_clock_js__WEBPACK_IMPORTED_MODULE_5__/* .systemClock */ .m.now,
        newDelivery: () => crypto.randomUUID(),
        log: () => { },
        report,
    };
    return (0,_relay_node_js__WEBPACK_IMPORTED_MODULE_4__/* .serveRelay */ .v)({ host: host ?? 'localhost', port, ports });
}
/** @throws UserError when the server is opened without a key of at least 20 characters */
async function devCredentials(host, env) {
    if (host === undefined)
        return _relay_credentials_js__WEBPACK_IMPORTED_MODULE_2__/* .noToken */ .fC;
    return (0,_relay_access_keys_js__WEBPACK_IMPORTED_MODULE_1__/* .heldToken */ .b)((0,_relay_config_js__WEBPACK_IMPORTED_MODULE_3__/* .readAccessKeys */ .R1)(env.HOOKLINE_KEYS ?? ''), undefined);
}


/***/ })

};
