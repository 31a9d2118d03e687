"use strict";exports.id=896;exports.ids=[896,415];exports.modules={7126:((t,e,n)=>{n.d(e,{Pf:()=>o,wp:()=>r});n(41745);n(78674);const r="https://api.telegram.org";const o="workflows/**/*.{yml,yaml}"}),80215:((t,e,n)=>{n.d(e,{LV:()=>http,r1:()=>enginePorts});var r=n(58500);var o=n(57164);var s=n(4342);function enginePorts(t,{store:e,mask:n=()=>{}}={}){return{triggers:{http,now:()=>Date.now(),sleep:t=>(0,r.setTimeout)(t),messagingApiUrl:t.replace(/\/+$/,""),mask:n},scripts:o.P,store:e,run:{id:process.env.GITHUB_RUN_ID||"local",at:Date.now()},folder:workingCopy()}}function workingCopy(){return process.env.GITHUB_WORKSPACE||process.cwd()}const a=0x2000000;async function http(t){const{default:e,AbortError:r}=await n.e(816).then(n.bind(n,70816));const{method:o,url:i,headers:c={},body:p=null,timeout:h}=t;try{const t=AbortSignal.timeout(h);const n=await proxyAgent(i);const r={method:o,headers:{...c},body:p,signal:t,size:a,agent:n};const s=await e(i,{...r,redirect:"manual"});const u=Object.fromEntries(s.headers);return{status:s.status,headers:u,text:await s.text()}}catch(e){const t=e instanceof r;throw new s.H(t?"timeout":"connection",codeOf(e)??"broken off")}}function codeOf(t){const e="object"==typeof t&&null!==t&&"code"in t&&t.code;return"string"==typeof e?e:void 0}async function proxyAgent(t){const{getProxyForUrl:e}=await n.e(182).then(n.bind(n,98182));const r=e(t);if(""===r)return;const{HttpsProxyAgent:o}=await n.e(659).then(n.bind(n,57659));return new o(r)}}),42415:((t,e,n)=>{n.r(e);n.d(e,{grantCommand:()=>grantCommand,makeGrant:()=>makeGrant});var r=n(48179);var o=n(41745);var s=n(64121);const a=`
It is signed with the first key of HOOKLINE_SIGN_KEYS, which the relay must have too. Whoever has it can
start the workflows that it covers, and nothing else. Without --expires it does not end; an id in the
relay's HOOKLINE_REVOKED ends it.

Examples:
  $ hookline grant --repository octo/repo --path hook/webhook
  $ hookline grant --repository octo/repo --path deploy/webhook --event workflow_dispatch --expires 90d`;function grantCommand(){const t=new r.uB("grant").description("print what a URL carries in place of a token, where the relay has its own").requiredOption("--repository <owner/name>","the only repository it is good for").option("--path <path>","the only path it is good for: <workflow>/<trigger>, or its beginning");return(0,s.Tk)(t).option("--json","print an object").addHelpText("after",a).action(run)}async function run({json:t,...e}){const{text:n,grant:r}=await makeGrant(e,process.env.HOOKLINE_SIGN_KEYS);if(!t)process.stderr.write(`the id of this grant, to revoke it by, is ${r.id}\n`);process.stdout.write(t?`${JSON.stringify({grant:n,...r})}\n`:`${n}\n`)}async function makeGrant(t,e){const{signGrant:r}=await Promise.all([n.e(167),n.e(824)]).then(n.bind(n,11824));const{readSignKeys:a}=await Promise.all([n.e(167),n.e(708),n.e(385),n.e(310)]).then(n.bind(n,79385));const i=await (0,s.dV)(t);const c=t.expires&&(0,s.Ay)(t.expires,Date.now());const[p]=e?await a(e):[];if(!p)throw new o.yo({message:"HOOKLINE_SIGN_KEYS is not set",hint:"make keys with: hookline keys sign, and give the relay the same"});const h={id:crypto.randomUUID(),...i,...c&&{exp:c}};return{text:await r(h,p),grant:h}}}),64121:((t,e,n)=>{n.d(e,{Ay:()=>readExpiry,Tk:()=>withScopeOptions,dV:()=>readScopeOptions,qY:()=>s});var r=n(48179);var o=n(41745);const s=["repository_dispatch","workflow_dispatch"];function withScopeOptions(t){return t.addOption(new r.c$("--event <event>","how GitHub is told of an event").choices(s)).option("--ref <ref>","branch or tag that workflow_dispatch runs").option("--expires <duration>","how long it is good for, such as 90d, 12h or 30m")}async function readScopeOptions(t){const{readRepository:e}=await Promise.all([n.e(167),n.e(708),n.e(385),n.e(310)]).then(n.bind(n,79385));const{owner:r,name:s}=e(t.repository);const{event:a,ref:i}=t;const c=t.path?.replace(/^\/+/,"");if(i&&"repository_dispatch"===a)throw new o.yo({message:"--ref does not go with --event repository_dispatch",hint:"that event always runs what is on the default branch: leave --ref out"});return{repository:`${r}/${s}`,...c&&{path:c},...a&&{event:a},...i&&{ref:i}}}const a={d:86400,h:3600,m:60};function readExpiry(t,e){const[,n,r]=/^([1-9]\d{0,4})([dhm])$/.exec(t)??[];if("d"!==r&&"h"!==r&&"m"!==r)throw new o.yo({message:`${JSON.stringify(t)} is no duration`,hint:"write it as 90d, 12h or 30m"});return Math.floor(e/1e3)+Number(n)*a[r]}}),85896:((t,e,n)=>{n.r(e);n.d(e,{urlCommand:()=>urlCommand});var r=n(58500);var o=n(48179);var s=n(77934);var a=n(7126);var i=n(80215);var c=n(65823);var p=n(74569);var h=n(41745);var u=n(94217);var l=n(96338);var d=n(9766);var f=n(42415);var g=n(64121);const m=`
With HOOKLINE_SIGN_KEYS, the keys of a relay with a token or an App of its own, the URL carries a new
grant for this one path; --event, --ref and --expires narrow it. Other tokens are never printed:
  HOOKLINE_TOKEN  what the URL carries in __token else: the platform token, or a key of the relay
  BOT_TOKEN       the bot's token, for --set and for what the bot API knows of its webhook
  BOT_SECRET      the option secretToken of the trigger

Examples:
  $ hookline url hook --relay https://relay.example --repository octo/repo
  $ hookline url bot --bot --set --relay https://relay.example --repository octo/repo`;function urlCommand(){const t=new o.uB("url").description("print a webhook URL, its curl line, and for a bot the setWebhook call").argument("<workflow>","file name of the workflow, without its extension").option("--relay <url>","address of the relay","http://localhost:3000").option("--repository <owner/name>","repository; without it the URL is the self-hosted one").option("--trigger <name>","trigger, by default webhook").option("--bot","the URL of messaging_bot, and the call that registers it").option("--updates <kind...>","kinds of update besides new messages",[]).option("--set","make the setWebhook call");return(0,g.Tk)(t).option("--json","print one JSON object").addHelpText("after",m).action(run)}async function run(t,e){const{bot:n=e.set,relay:r,repository:o,json:s}=e;const a=e.trigger??(n?"messaging_bot":"webhook");await checkTrigger(a);const i=(0,u.vO)({relay:r,repository:o,workflow:t,trigger:a});const c=i.split("/").slice(-2).join("/");const p=await grantFor(c,e);const h=p?.text??w;const l=n?await describeBot(i,h,e,process.env):describeWebhook(i,h);const{text:d,...f}={...l,...p&&{grant:p.grant}};process.stdout.write(s?`${JSON.stringify(f)}\n`:d)}async function checkTrigger(t){const{TRIGGERS:e}=await Promise.all([n.e(873),n.e(277)]).then(n.bind(n,17873));if(e.has(t))return;const r=(0,d.a)(t,[...e.keys()]);const o=[`triggers: ${[...e.keys()].join(", ")}`];throw new h.yo({message:`unknown trigger ${(0,d.T)(t)}`,...r&&{hint:r},notes:o})}async function grantFor(t,e){const{repository:n,event:r,ref:o,expires:s}=e;const a=process.env.HOOKLINE_SIGN_KEYS;if(a&&void 0!==n){const e={repository:n,path:t,...r&&{event:r},...o&&{ref:o}};return(0,f.makeGrant)({...e,...s&&{expires:s}},a)}if(!r&&!o&&!s)return;throw new h.yo({message:"--event, --ref and --expires narrow a grant, and there is none",hint:"set HOOKLINE_SIGN_KEYS, and give --repository owner/name"})}async function describeBot(t,e,{updates:n,set:r=false},o){const s=n.map(updateKind);const a=e===w?o.HOOKLINE_TOKEN:e;const i=o.BOT_TOKEN?botFrom(o,o.BOT_TOKEN,a):void 0;if(r)await register(i,t,a,s,o);const p=(0,u.ub)(t,e);const h=(0,c.SM)({url:p,secretToken:"$BOT_SECRET",updates:s});const l={method:"POST",url:`${apiFrom(o)}/bot$BOT_TOKEN/setWebhook`,body:h};const d=i&&await (0,c.Wg)(i);const f=d?infoText(d,t):"unknown: set BOT_TOKEN to ask the bot API";const g=r?"Webhook, as it was just set":"Webhook now";const m=lines("Webhook URL",p,"Register it",curlLine(l.url,h),g,f);return{text:m,url:p,setWebhook:l,set:r,webhook:d??null}}async function register(t,e,n,r,{BOT_SECRET:o}){if(!t)throw missing("BOT_TOKEN","the token of the bot, as BotFather gives it");if(!n)throw missing("HOOKLINE_TOKEN","what the URL carries in __token");const s=(0,u.ub)(e,encodeURIComponent(n));await (0,c.Ke)(t,{url:s,secretToken:o||void 0,updates:r})}function botFrom(t,e,n){if(!/^\d+:[\w-]+$/.test(e))throw new h.yo({message:"BOT_TOKEN is no bot token: digits, a colon and a string"});const o=[n,t.BOT_SECRET].flatMap(t=>t||[]);const s=apiFrom(t);return{token:new l.zh(e),api:s,http:hiding(o),sleep:t=>(0,r.setTimeout)(t)}}function hiding(t){return async e=>{const n=await (0,i.LV)(e);const r=t.reduce((t,e)=>(0,c.Nt)(t,new l.zh(e)),n.text);return{...n,text:r}}}function apiFrom(t){return(t.HOOKLINE_MESSAGING_API_URL||a.wp).replace(/\/+$/,"")}function updateKind(t){const e=s.xLC(s.KIO(p.GY),t);if(e.success)return e.output;const n=(0,d.a)(t,p.GY);throw new h.yo({message:`unknown kind of update ${JSON.stringify(t)}`,...n&&{hint:n},notes:[`allowed: ${p.GY.join(", ")}`]})}function missing(t,e){return new h.yo({message:`--set needs ${t} in the environment: ${e}`})}function curlLine(t,e){const n=JSON.stringify(e);return`curl -sS "${t}" -H "Content-Type: application/json" -d @- <<JSON\n${n}\nJSON`}function infoText({url:t,pending:e,lastError:n,updates:r},o){if(""===t)return`none, ${e} updates waiting to be polled`;return[`${t}${t===o?"":" (not the one above)"}`,`${e} updates waiting${r.length>0?`, of ${r.join(", ")}`:""}`,...n?[`last error ${n.at}: ${n.message}`]:[]].join("\n")}const w="$HOOKLINE_TOKEN";function describeWebhook(t,e){const n=(0,u.ub)(t,e);const r=[`curl -X POST "${t}"`,`-H "X-Platform-Authorization: Bearer ${e}"`,'-H "Content-Type: application/json" -d \'{"hello":"world"}\''].join(" ");return{text:lines("Webhook URL",n,"Try it",r),url:n,curl:r}}function lines(...t){return t.map((t,e)=>e%2===0?`# ${t}`:`${t}\n`).join("\n")}}),57164:((t,e,n)=>{n.d(e,{g:()=>ScriptFailure,P:()=>c});const r=/\b(?:URL|URLSearchParams|TextEncoder|TextDecoder|btoa|atob)\b/;const o=["href","origin","protocol","username","password","host","hostname","port","pathname","search","hash"];function urlParts(t){try{const[e,n,r,s]=JSON.parse(t);const a=new URL(e??"",n??void 0);const i=o.find(t=>t===r);if(void 0!==i&&"origin"!==i)a[i]=s??"";return JSON.stringify(Object.fromEntries(o.map(t=>[t,a[t]])))}catch{return""}}function encodings(t){try{const[e,n]=JSON.parse(t);if("btoa"===e)return JSON.stringify(btoa(n??""));return JSON.stringify(atob(n??""))}catch{return""}}const s=`((urlParts, encodings) => {
  const { stringify, parse } = JSON
  const { TypeError, Array, Uint8Array, Object, String, encodeURIComponent, decodeURIComponent } = globalThis
  const ask = (host, ...call) => {
    let answer = ''
    try {
      answer = host(stringify(call))
    } catch {
      // What this process throws is an object of its own.
    }
    if (answer === '') throw new TypeError('not valid')
    return parse(answer)
  }
  const encode = (text) =>
    encodeURIComponent(text.toWellFormed ? text.toWellFormed() : text)
      .replace(/[!'()~]/g, (char) => '%' + char.charCodeAt(0).toString(16).toUpperCase())
      .replace(/%20/g, '+')
  const decode = (text) => {
    const spaced = text.replace(/\\+/g, ' ')
    try {
      return decodeURIComponent(spaced)
    } catch {
      return spaced
    }
  }

  class URLSearchParams {
    #pairs = []
    #changed
    constructor(from = '', changed) {
      this.#changed = changed
      if (typeof from === 'string') {
        const parts = from.replace(/^\\?/, '').split('&').filter((part) => part !== '')
        this.#pairs = parts.map((part) => {
          const [name, ...value] = part.split('=')
          return [decode(name), decode(value.join('='))]
        })
      } else {
        const pairs = from[Symbol.iterator] ? [...from] : Object.entries(from)
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)])
      }
    }
    #set(pairs) {
      this.#pairs = pairs
      if (this.#changed) this.#changed(this.toString())
    }
    get size() { return this.#pairs.length }
    get(name) {
      const found = this.#pairs.find(([own]) => own === name)
      return found ? found[1] : null
    }
    getAll(name) { return this.#pairs.filter(([own]) => own === name).map(([, value]) => value) }
    has(name) { return this.#pairs.some(([own]) => own === name) }
    append(name, value) { this.#set([...this.#pairs, [String(name), String(value)]]) }
    delete(name) { this.#set(this.#pairs.filter(([own]) => own !== name)) }
    set(name, value) {
      const at = this.#pairs.findIndex(([own]) => own === name)
      if (at < 0) return this.append(name, value)
      this.#set(this.#pairs.flatMap((pair, here) => {
        if (here === at) return [[pair[0], String(value)]]
        return pair[0] === name ? [] : [pair]
      }))
    }
    sort() { this.#set([...this.#pairs].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) }
    forEach(call) { for (const [name, value] of this.#pairs) call(value, name, this) }
    keys() { return this.#pairs.map(([name]) => name).values() }
    values() { return this.#pairs.map(([, value]) => value).values() }
    entries() { return this.#pairs.map((pair) => [...pair]).values() }
    [Symbol.iterator]() { return this.entries() }
    toString() { return this.#pairs.map((pair) => pair.map(encode).join('=')).join('&') }
  }

  class URL {
    #parts
    #params
    constructor(text, base) {
      this.#read(String(text), base === undefined ? null : String(base))
    }
    #read(...call) {
      this.#parts = ask(urlParts, ...call)
    }
    static canParse(text, base) {
      try {
        return ask(urlParts, String(text), base === undefined ? null : String(base)) !== undefined
      } catch {
        return false
      }
    }
    get searchParams() {
      const changed = (text) => this.#read(this.#parts.href, null, 'search', text)
      this.#params ??= new URLSearchParams(this.#parts.search, changed)
      return this.#params
    }
    toString() { return this.#parts.href }
    toJSON() { return this.#parts.href }
    static {
      for (const part of ${JSON.stringify(o)}) {
        const set = function (value) {
          if (part === 'href') this.#read(String(value), null)
          else this.#read(this.#parts.href, null, part, String(value))
          this.#params = undefined
        }
        const get = function () { return this.#parts[part] }
        Object.defineProperty(URL.prototype, part, { get, ...(part !== 'origin' && { set }) })
      }
    }
  }

  class TextEncoder {
    encode(text = '') {
      const bytes = encodeURIComponent(String(text).toWellFormed ? String(text).toWellFormed() : text)
      const found = bytes.match(/%[0-9A-F]{2}|[^%]/g) ?? []
      return Uint8Array.from(found, (one) => (one[0] === '%' ? Number('0x' + one.slice(1)) : one.charCodeAt(0)))
    }
  }
  class TextDecoder {
    decode(bytes = []) {
      const text = Array.from(bytes, (byte) => '%' + byte.toString(16).padStart(2, '0')).join('')
      return decodeURIComponent(text)
    }
  }
  const btoa = (text) => ask(encodings, 'btoa', String(text))
  const atob = (text) => ask(encodings, 'atob', String(text))
  Object.assign(globalThis, { URL, URLSearchParams, TextEncoder, TextDecoder, btoa, atob })
})`;const a=2e3;const i=5;const c={async run(t,e){const o=await Promise.resolve().then(n.t.bind(n,30714,19));const i=o.createContext(Object.create(null),{microtaskMode:"afterEvaluate",codeGeneration:{strings:false,wasm:false}});i.input=e;if(r.test(t.body))o.runInContext(s,i)(urlParts,encodings);const c=`config.${t.option}`;try{new o.Script(source(t),{filename:c,lineOffset:-1}).runInContext(i)}catch(t){throw new ScriptFailure(`does not compile: ${property(t,"message")}`)}return drive(t,t=>o.runInContext(t,i,{timeout:a}))},async within(t,e){const r=await Promise.resolve().then(n.t.bind(n,30714,19));let o;const s=r.createContext({work(){o={value:e()}}});limited(t,()=>r.runInContext("work()",s,{timeout:t}));if(!o)throw new ScriptFailure("did not end");return o.value}};function source({parameters:t,body:e}){return`this.script = function (${t.join(", ")}) {\n${e}\n}`}function drive(t,e){const n=limited(a,()=>e(DRIVER(t.drive)));const r="string"==typeof n?n:"";if(r.startsWith("="))return r.slice(1);throw new ScriptFailure(failureText(r))}const DRIVER=t=>`(() => {
  const { stringify, parse } = JSON
  try {
    const items = parse(input)
    const call = (...args) => {
      const result = script(...args)
      if (result && typeof result.then === 'function') throw new Error('promise')
      return result
    }
    return '=' + stringify(${t})
  } catch (error) {
    return '!' + String(error && error.stack)
  }
})()`;function limited(t,e){for(let n=1;;n++){const r=process.cpuUsage();try{return e()}catch(a){if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==property(a,"code"))throw a;const{user:e,system:o}=process.cpuUsage(r);const s=(e+o)/1e3>t/2;if(s||n===i)throw new ScriptFailure(`took longer than ${t} ms, and was broken off`)}}}function property(t,e){return"object"==typeof t&&null!==t?t[e]:void 0}const p=/^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/;function failureText(t){const[e="",...n]=t.slice(1).split("\n");if("Error: promise"===e)return"returned a promise; it must return at once";const r=n.map(t=>/config\.\w+:(\d+)/.exec(t)?.[1]).find(Boolean);const o=/^[A-Z]\w{0,40}/.exec(e)?.[0]??"something";const s=p.test(e)?e:`threw ${o}`;return void 0===r?s:`${s} (line ${r} of the script)`}let ScriptFailure=class ScriptFailure extends Error{name="ScriptFailure"}})};