"use strict";exports.id=2345;exports.ids=[2345];exports.modules={7126:((t,e,r)=>{r.d(e,{Pf:()=>o,wp:()=>n});r(97530);r(41745);r(78674);const n="https://api.telegram.org";const o="workflows/**/*.{yml,yaml}"}),57164:((t,e,r)=>{r.d(e,{yE:()=>l,g7:()=>ScriptFailure,Pm:()=>u});const n=/\b(?:URL|URLSearchParams|TextEncoder|TextDecoder|btoa|atob)\b/;const o=["href","origin","protocol","username","password","host","hostname","port","pathname","search","hash"];function scriptHost(t){return{urlParts(e){try{const[r,n,o,s]=JSON.parse(e);const a=new URL(r??"",n??void 0);const i=t.find(t=>t===o);if(void 0!==i&&"origin"!==i)a[i]=s??"";return JSON.stringify(Object.fromEntries(t.map(t=>[t,a[t]])))}catch{return""}},encodings(t){try{const[e,r]=JSON.parse(t);if("btoa"===e)return JSON.stringify(btoa(r??""));return JSON.stringify(atob(r??""))}catch{return""}}}}const s=`((urlParts, encodings) => {
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
})`;const a=2e3;const i=6e4;const c=5;const l=/(?<![\w$])import(?=\s*[(./<-])/;const p="--disallow-code-generation-from-strings";const u={async run(t,e){if(l.test(t.body))throw new ScriptFailure("does not compile: there is no import");const{spawn:u}=await Promise.resolve().then(r.t.bind(r,31421,19));const d=process.allowedNodeEnvironmentFlags.has("--permission")?"--permission":"--experimental-permission";const f=["--no-warnings",d,"--experimental-vm-modules",p];const h=`'use strict';(${runInChild})((${scriptHost})(${JSON.stringify(o)}))`;const m=u(process.execPath,[...f,"-e",h],{env:{},stdio:["pipe","pipe","ignore"],timeout:i,killSignal:"SIGKILL"});const g=await exchange(m,{source:`this.script = function (${t.parameters.join(", ")}) {\n${t.body}\n}`,globals:n.test(t.body)?s:"",driver:driver(t.drive),filename:`config.${t.option}`,items:e,longest:a,mostAttempts:c});const[w,y]=[g.slice(0,1),g.slice(1)];if("="===w)return y;if("?"===w)throw new ScriptFailure(`does not compile: ${y}`);if("T"===w)throw new ScriptFailure(tooLong(a));throw new ScriptFailure("!"===w?failureText(y):"ended without a result")},async within(t,e){const n=await Promise.resolve().then(r.t.bind(r,30714,19));let o;const s=n.createContext({work(){o={value:e()}}});limited(t,()=>n.runInContext("work()",s,{timeout:t}));if(!o)throw new ScriptFailure("did not end");return o.value}};function exchange(t,e){return new Promise(r=>{let n="";t.stdout?.setEncoding("utf8").on("data",t=>{n+=t});t.on("error",()=>r(""));t.on("close",t=>r(0===t?n:""));t.stdin?.on("error",()=>{});t.stdin?.end(JSON.stringify(e))})}function runInChild({urlParts:t,encodings:e}){const r=process.getBuiltinModule("node:vm");const n=process.getBuiltinModule("node:fs");const o=JSON.parse(n.readFileSync(0,"utf8"));for(const t of[Object,Function,Array,Promise,Error,RangeError,TypeError]){Object.freeze(t);Object.freeze(t.prototype)}const s=r.createContext(Object.create(null),{microtaskMode:"afterEvaluate",codeGeneration:{strings:false,wasm:false}});s.input=o.items;if(o.globals)r.runInContext(o.globals,s)(t,e);const a='Promise.reject(new Error("import"))';const i={filename:o.filename,lineOffset:-1,importModuleDynamically:()=>r.runInContext(a,s)};const codeOf=t=>"object"==typeof t&&null!==t&&"code"in t?t.code:void 0;const drive=()=>{for(let t=1;;t++){const e=process.cpuUsage();try{const t=r.runInContext(o.driver,s,{timeout:o.longest});return"string"==typeof t?t:""}catch(a){if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==codeOf(a))return"";const{user:r,system:n}=process.cpuUsage(e);const s=(r+n)/1e3>o.longest/2;if(s||t===o.mostAttempts)return"T"}}};let c;try{new r.Script(o.source,i).runInContext(s);c=drive()}catch(t){c=`?${t instanceof Error?t.message:""}`}process.stdout.write(c)}const driver=t=>`(() => {
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
})()`;function limited(t,e){for(let r=1;;r++){const n=process.cpuUsage();try{return e()}catch(i){const e="object"==typeof i&&null!==i&&"code"in i&&i.code;if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==e)throw i;const{user:o,system:s}=process.cpuUsage(n);const a=(o+s)/1e3>t/2;if(a||r===c)throw new ScriptFailure(tooLong(t))}}}function tooLong(t){return`took longer than ${t} ms, and was broken off`}const d=/^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/;function failureText(t){const[e="",...r]=t.split("\n");if("Error: promise"===e)return"returned a promise; it must return at once";const n=r.map(t=>/config\.\w+:(\d+)/.exec(t)?.[1]).find(Boolean);const o=/^[A-Z]\w{0,40}/.exec(e)?.[0]??"something";const s=d.test(e)?e:`threw ${o}`;return void 0===n?s:`${s} (line ${n} of the script)`}let ScriptFailure=class ScriptFailure extends Error{name="ScriptFailure"}}),97530:((t,e,r)=>{r.d(e,{Bu:()=>parseState,C1:()=>s,Gf:()=>openState,Z7:()=>storeNeeds,aB:()=>repeatWarning});const n=/^(?!.*(\.\.|\/[/.]|\.lock(\/|$)|[/.]$))[A-Za-z0-9_][\w./-]*$/;const o=new Map([["file",{form:"file:<path>",accepts:t=>""!==t,open:async(t,e)=>(await r.e(8046).then(r.bind(r,38046))).openFile(t,e)}],["branch",{form:"branch:<name>",accepts:t=>n.test(t),open:async(t,e)=>(await r.e(1616).then(r.bind(r,71616))).openBranch(t,e)}]]);const s=["none",...[...o.values()].map(({form:t})=>t)].join(", ");function parseState(t){const e=t.trim();if("none"===e||""===e)return{kind:"none",value:""};const[,r="",n=""]=/^([a-z]+):\s*(.*)$/.exec(e)??[];return o.get(r)?.accepts(n)?{kind:r,value:n}:void 0}async function openState({kind:t,value:e},r){return o.get(t)?.open(e,r)}function storeNeeds({config:t},{hasStore:e,isPolled:r,isEveryExact:n}){const{shouldDeduplicate:o,skipFirst:s,limit:a,sort:i,sortScript:c,every:l,force:p}=t;const u=r&&void 0!==a&&(i??c)!==void 0;if(e)return u&&false===o?[{option:"limit",needs:"shouldDeduplicate"}]:[];const d=r&&!p&&!n&&l?.minutes!==void 0;const f=[o&&"shouldDeduplicate",s&&"skipFirst",u&&"limit",d&&l.minutes>0&&"every"];return f.flatMap(t=>t?[{option:t,needs:"a store"}]:[])}function repeatWarning({forgets:t},{hasStore:e,isPolled:r}){if(e||!r||t)return;return"what it polls cannot be acknowledged: without a store every entry comes again with every run"}})};