"use strict";exports.id=215;exports.ids=[215];exports.modules={215:((t,e,r)=>{r.d(e,{LV:()=>http,proxyAgent:()=>proxyAgent,r1:()=>enginePorts});var n=r(8500);var s=r(7164);var o=r(1745);var a=r(4342);function enginePorts(t,{store:e,mask:r=()=>{}}={}){return{triggers:{http,now:()=>Date.now(),sleep:t=>(0,n.setTimeout)(t),messagingApiUrl:t.replace(/\/+$/,""),mask:r},scripts:s.Pm,store:e,run:{id:process.env.GITHUB_RUN_ID||"local",at:Date.now()},folder:workingCopy()}}function workingCopy(){return process.env.GITHUB_WORKSPACE||process.cwd()}const i=0x2000000;async function http(t){const{default:e,AbortError:n}=await r.e(816).then(r.bind(r,816));const{method:s,url:c,headers:l={},body:p=null,timeout:u}=t;try{const t=AbortSignal.timeout(u);const r=await proxyAgent(c);const n={method:s,headers:{...l},body:p,signal:t,size:i,agent:r};const o=await e(c,{...n,redirect:"manual"});const a=Object.fromEntries(o.headers);return{status:o.status,headers:a,text:await o.text()}}catch(e){const t=e instanceof n;throw new a.H(t?"timeout":"connection",(0,o.CA)(e)??"broken off")}}async function proxyAgent(t){const{getProxyForUrl:e}=await r.e(8182).then(r.bind(r,8182));const n=e(t);if(""===n)return;const{HttpsProxyAgent:s}=await r.e(7659).then(r.bind(r,7659));return new s(n)}}),7164:((t,e,r)=>{r.d(e,{yE:()=>c,g7:()=>ScriptFailure,Pm:()=>p});const n=/\b(?:URL|URLSearchParams|TextEncoder|TextDecoder|btoa|atob)\b/;const s=["href","origin","protocol","username","password","host","hostname","port","pathname","search","hash"];function scriptHost(t){return{urlParts(e){try{const[r,n,s,o]=JSON.parse(e);const a=new URL(r??"",n??void 0);const i=t.find(t=>t===s);if(void 0!==i&&"origin"!==i)a[i]=o??"";return JSON.stringify(Object.fromEntries(t.map(t=>[t,a[t]])))}catch{return""}},encodings(t){try{const[e,r]=JSON.parse(t);if("btoa"===e)return JSON.stringify(btoa(r??""));return JSON.stringify(atob(r??""))}catch{return""}}}}const o=`((urlParts, encodings) => {
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
      for (const part of ${JSON.stringify(s)}) {
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
})`;const a=6e4;const i=5;const c=/(?<![\w$])import(?=\s*[(./<-])/;const l="--disallow-code-generation-from-strings";const p=createScripts(2e3);function createScripts(t){return{async run(e,p){if(c.test(e.body))throw new ScriptFailure("does not compile: there is no import");const{spawn:u}=await Promise.resolve().then(r.t.bind(r,1421,19));const d=process.allowedNodeEnvironmentFlags.has("--permission")?"--permission":"--experimental-permission";const h=["--no-warnings",d,"--experimental-vm-modules",l];const f=`(${scriptHost})(${JSON.stringify(s)})`;const m=`'use strict';(${runInChild})(${f}, ${endsInTime})`;const g=u(process.execPath,[...h,"-e",m],{env:{},stdio:["pipe","pipe","ignore"],timeout:a,killSignal:"SIGKILL"});const w=await exchange(g,{source:`this.script = function (${e.parameters.join(", ")}) {\n${e.body}\n}`,globals:n.test(e.body)?o:"",driver:driver(e.drive),filename:`config.${e.option}`,items:p,longest:t,mostAttempts:i});const[b,y]=[w.slice(0,1),w.slice(1)];if("="===b)return y;if("?"===b)throw new ScriptFailure(`does not compile: ${y}`);if("T"===b)throw new ScriptFailure(tooLong(t));throw new ScriptFailure("!"===b?failureText(y):"ended without a result")},async within(t,e){const n=await Promise.resolve().then(r.t.bind(r,714,19));let s;const o=n.createContext({work(){s={value:e()}}});const run=()=>void n.runInContext("work()",o,{timeout:t});if(!endsInTime(t,i,run))throw new ScriptFailure(tooLong(t));if(!s)throw new ScriptFailure("did not end");return s.value}}}function exchange(t,e){return new Promise(r=>{let n="";t.stdout?.setEncoding("utf8").on("data",t=>{n+=t});t.on("error",()=>r(""));t.on("close",t=>r(0===t?n:""));t.stdin?.on("error",()=>{});t.stdin?.end(JSON.stringify(e))})}function runInChild({urlParts:t,encodings:e},r){const n=process.getBuiltinModule("node:vm");const s=process.getBuiltinModule("node:fs");const o=JSON.parse(s.readFileSync(0,"utf8"));for(const t of[Object,Function,Array,Promise,Error,RangeError,TypeError]){Object.freeze(t);Object.freeze(t.prototype)}const a=n.createContext(Object.create(null),{microtaskMode:"afterEvaluate",codeGeneration:{strings:false,wasm:false}});a.input=o.items;if(o.globals)n.runInContext(o.globals,a)(t,e);const i='Promise.reject(new Error("import"))';const c={filename:o.filename,lineOffset:-1,importModuleDynamically:()=>n.runInContext(i,a)};const drive=()=>{let t;try{const e=r(o.longest,o.mostAttempts,()=>{t=n.runInContext(o.driver,a,{timeout:o.longest})});if(!e)return"T";return"string"==typeof t?t:""}catch{return""}};let l;try{new n.Script(o.source,c).runInContext(a);l=drive()}catch(t){l=`?${t instanceof Error?t.message:""}`}process.stdout.write(l)}const driver=t=>`(() => {
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
})()`;function endsInTime(t,e,r){for(let n=1;;n++){const s=process.cpuUsage();try{r();return true}catch(c){const r="object"==typeof c&&null!==c&&"code"in c&&c.code;if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==r)throw c;const{user:o,system:a}=process.cpuUsage(s);const i=(o+a)/1e3>t/2;if(i||n===e)return false}}}function tooLong(t){return`took longer than ${t} ms, and was broken off`}const u=/^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/;function failureText(t){const[e="",...r]=t.split("\n");if("Error: promise"===e)return"returned a promise; it must return at once";const n=r.map(t=>/config\.\w+:(\d+)/.exec(t)?.[1]).find(Boolean);const s=/^[A-Z]\w{0,40}/.exec(e)?.[0]??"something";const o=u.test(e)?e:`threw ${s}`;return void 0===n?o:`${o} (line ${n} of the script)`}let ScriptFailure=class ScriptFailure extends Error{name="ScriptFailure"}})};