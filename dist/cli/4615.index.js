"use strict";exports.id=4615;exports.ids=[4615,8023,4394,1310];exports.modules={27230:((e,t,n)=>{n.r(t);n.d(t,{initCommand:()=>initCommand,nextSteps:()=>nextSteps});var o=n(31421);var r=n(73024);var s=n(76760);var i=n(48179);var a=n(40898);var c=n(87286);var l=n(6038);var u=n(41745);var d=n(94217);var h=n(9766);var p=n(82566);var f=n(25802);var m=n(14070);var w=n(64394);var g=n(5537);var y=n(20689);function secretsOf(e){return[...void 0===e.secret?[]:[e.secret],...isUrlSigned(e)?[urlName(e)]:[]]}function triggerOf({trigger:e="webhook"}){return e}function onSection(e,t="${{"){const n=triggerOf(e);const{events:o,repeat:r}=e;const[s,...i]=o??[];const a="webhook"===n&&void 0!==r&&"id"!==r;const c={..."webhook"===n&&{method:"post"},...a&&{deduplicationKey:r},...proof(e,n,t),...void 0!==s&&{config:{filter:{[s]:{$in:i}}}}};return(0,f.As)({[n]:c},{lineWidth:0})}function proof(e,t,n){const read=e=>`${n} secrets.${e} }}`;if("messaging_bot"===t)return{webhook:true,...e.secret&&{secretToken:read(e.secret)}};const o=schemeOf(e);const r="webhook"!==t&&"google_form"!==t;return{verify:{...!r&&{scheme:o},...e.options,...e.secret&&{secret:read(e.secret)},...isUrlSigned(e)&&{url:read(urlName(e))}}}}function isUrlSigned(e){return y.d.get(schemeOf(e))?.needs.includes("url")??false}function schemeOf({name:e,scheme:t=e}){return t}function urlName({name:e}){return`${e.toUpperCase().replaceAll("-","_")}_URL`}const $={name:"webhook",title:"a request to a URL, in a workflow of one file",workflow:"hook",trigger:"webhook",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:webhookText(e)}]};const k={name:"bot",title:"a message to a bot, which is polled on a schedule",workflow:"bot",trigger:"messaging_bot",secret:"BOT_TOKEN",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:botText(e)}]};const v={name:"compiled",title:"a request to a URL, in a workflow file with jobs for each request",workflow:"hook",trigger:"webhook",compile:({event:e})=>`npx hookline build${"workflow_dispatch"===e?` --event ${e}`:""}`,files:e=>[{path:`workflows/${e.name}.yml`,text:compiledText(e)}]};const b=new Map([$,k,v].map(e=>[e.name,e]));const x="hookline/hookline@1111111111111111111111111111111111111111";const _="${{ '${{' }}";function webhookText({name:e,sender:t,event:n,uses:o}){const r=triggerOf(t??{});const s=t?onSection(t,_):(0,f.As)({webhook:{method:"post"}});const i=t?secretsOf(t):[];const a=i.map(e=>`"${e}": $\{{ toJSON(secrets.${e}) }}`);const c=a.length>0?[`secrets: '{${a.join(", ")}}'`]:[];const[l,u]="webhook"===r?["BODY","body"]:["ON","on"];const{listens:d,guard:h}="workflow_dispatch"===n?S:dispatched(`${e}/${r}`);return`name: ${(0,f.As)(e).trim()}
${(0,w.runNameLine)(e,n)}
on:
${indented(d,2)}

permissions:
  contents: read

jobs:
  react:
${indented(h,4)}
    runs-on: ubuntu-latest
    steps:
${indented(usesLines(o),6)}
        id: hookline
        with:
${indented([...c,"on: |"].join("\n"),10)}
${indented(s.trimEnd(),12)}

      # What came from outside goes through env: in a script it would be run as shell code.
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          ${l}: $\{{ steps.hookline.outputs.${u} }}
        run: echo "$${l}"
`}const S={listens:`workflow_dispatch:
  inputs:
    ${m.Xy}:
      description: Filled in by the relay; leave it empty to run by hand
      type: string`,guard:`# Empty in a run by hand: no webhook came.
if: inputs.${m.Xy} != ''`};function dispatched(e){return{listens:`repository_dispatch:
  types: [webhook]`,guard:`# Each dispatch starts every listening workflow; only ${e} is for this one.
if: >-
  startsWith(format('{0}/', github.event.client_payload.path), '${e}/') ||
  startsWith(github.event.client_payload.path, '${e}?')`}}function usesLines(e=x){const t="# Put in the commit of Hookline that you pin, in place of the ones.\n";return`${e===x?t:""}- uses: ${e}`}function indented(e,t){return e.replace(/^(?=.)/gm," ".repeat(t))}function botText({name:e,uses:t}){return`name: ${(0,f.As)(e).trim()}
on:
  schedule:
    - cron: '*/5 * * * *'
  workflow_dispatch:

permissions: {}

# One poll after the other: two at once would get the same messages. A run waits its turn.
concurrency:
  group: ${(0,f.As)(e).trim()}
  queue: max

jobs:
  poll:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    outputs:
      items: $\{{ steps.hookline.outputs.items }}
    steps:
${indented(usesLines(t),6)}
        id: hookline
        with:
          on: |
            messaging_bot:
              token: $\{{ secrets.BOT_TOKEN }}
              event: text

  # Once for each message.
  react:
    needs: poll
    if: needs.poll.outputs.items != '[]'
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        on: $\{{ fromJSON(needs.poll.outputs.items) }}
    steps:
      # What came from outside goes through env: in a script it would be run as shell code.
      - env:
          NAME: $\{{ matrix.on.messaging_bot.outputs.from.first_name }}
          TEXT: $\{{ matrix.on.messaging_bot.outputs.text }}
        run: echo "$NAME wrote $TEXT"
`}const O="node_modules/hookline/schema/hookline-workflow.json";function compiledText({name:e,sender:t,event:n}){const o=triggerOf(t??{});const s=t?onSection(t):(0,f.As)({webhook:{method:"post"}});const[i,a]="webhook"===o?["BODY",".body"]:["ITEM",""];const c=(0,g.X)();const l="unknown"===c?"main":`v${c}`;const u=(0,r.existsSync)(O)?`../${O}`:`https://raw.githubusercontent.com/hookline/hookline/${l}/schema/hookline-workflow.json`;return`# yaml-language-server: $schema=${u}
name: ${(0,f.As)(e).trim()}
${(0,w.runNameLine)(e,n)}
on:
${indented(s.trimEnd(),2)}

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      # What came from outside goes through env: in a script it would be run as shell code.
      - env:
          ${i}: $\{{ toJSON(on.${o}.outputs${a}) }}
        run: echo "$${i}"
`}var E=n(26848);var T=n(80465);var N=n(88375);const A="hook";const j="http://localhost:3000";function questions({repository:e}){return[{name:"kind",text:"What is to start the workflow?",choices:[...b.values()],fallback:()=>[...b.keys()][0]??"",check:e=>checkChoice("kind of workflow",e,[...b.values()])},{name:"name",text:"Name of the workflow",fallback:({kind:e})=>b.get(e??"")?.workflow??A,check:e=>checkUrl({workflow:e})},{name:"repository",text:"Repository, as owner/name",fallback:()=>e,check:e=>checkUrl({repository:e})},{name:"relay",text:"Address of the relay",fallback:()=>j,matters:({kind:e})=>b.get(e??"")?.secret===void 0,check:e=>checkUrl({relay:e})},{name:"event",text:"What does the relay start it by?",choices:L,fallback:()=>"repository_dispatch",matters:({kind:e})=>b.get(e??"")?.secret===void 0,check:e=>checkChoice("event",e,L)}]}const L=[{name:"repository_dispatch",title:'every workflow that listens; needs "Contents: write"'},{name:"workflow_dispatch",title:'this one alone, and its run is told; needs "Actions: write", which pushes no code'}];async function answered(e,t,n){const o={};for(const r of questions(t)){const t=r.fallback(o);const s=e[r.name];if(void 0!==s)r.check(s);const i=r.matters?.(o)??true;o[r.name]=s??(n&&i?await n(r,t):t)}const{kind:r="",name:s="",repository:i="",relay:a="",event:c=""}=o;const l=(0,T.zt)(c)?c:"repository_dispatch";return{kind:r,name:s,repository:i,relay:a,event:l}}function checkChoice(e,t,n){const o=n.map(e=>e.name);if(o.includes(t))return;const r=(0,h.a)(t,o);const s=`unknown ${e} ${JSON.stringify(t)}`;throw new u.yo({message:s,...r&&{hint:r},notes:[`known: ${o.join(", ")}`]})}function checkUrl(e){const{workflow:t=A,relay:n=j,repository:o}=e;if(/\.ya?ml$/.test(t))throw new u.yo({message:`leave the extension out: ${t}`});(0,d.vO)({relay:n,repository:o||void 0,workflow:t,trigger:"webhook"})}function askAt({input:e,output:t}){const n=(0,E.createInterface)({input:e,output:t});const o=n[Symbol.asyncIterator]();const line=async e=>{n.setPrompt(e);n.prompt();const{value:t,done:r}=await o.next();if(r)throw new u.yo({message:"no answer: nothing was written"});return t};return{async ask(e,n){for(;;){const o=(await line(questions_prompt(e,n))).trim();const r=e.choices?.[Number(o)-1]?.name??(o||n);try{e.check(r);return r}catch(n){if(!(n instanceof u.yo))throw n;const e=n.problems.map(e=>(0,N.y)(e));t.write(`${e.join("\n")}\n`)}}},close:()=>n.close()}}function questions_prompt({text:e,choices:t=[]},n){const o=Math.max(10,...t.map(({name:e})=>e.length));const r=t.map(({name:e,title:t},n)=>`  ${n+1} ${e.padEnd(o)} ${t}\n`).join("");const s=""===n?"":` (${n})`;return t.length>1?`${e}\n${r}Which one?${s} `:`${e}${s} `}var C=n(64121);var P=n(2949);var U=n(38565);const R=`
Without a flag it asks for, on a terminal; elsewhere, and with --yes, the default is taken.
A file that is there already is never overwritten.

With --sender it asks for a proof of that sender, and fires on its usual events:
  ${(0,U.ky)(l.B2.map(({name:e})=>e),2)}

Examples:
  $ npx hookline init
  $ npx hookline init --sender stripe
  $ npx hookline init --event workflow_dispatch
  $ npx hookline init --yes --name deploy --repository octo/repo --relay https://relay.example.com`;const I="Try it here, each line in a terminal of its own:";const F="Try it here, line by line, then write to the bot; the second line waits for its token, unseen:";function initCommand(){const e=[...b.keys()];return new i.uB("init").description("write a first workflow, and say how to try it").addOption(new i.c$("--kind <kind>","what starts it").choices(e)).option("--sender <name>","who sends the requests").option("--name <name>","name of the workflow, and of its file").option("--repository <owner/name>","where it will run, by default the git remote origin").option("--relay <url>","address of the relay").addOption(new i.c$("--event <event>","what the relay starts it by").choices(C.qY)).option("--uses <action>","the action, with the commit that you pin").option("--yes","ask nothing").option("--dry-run","show what would be written, and write nothing").option("--json","print one JSON object").addHelpText("after",R).action(init)}async function init(e){const{dryRun:t=false,json:n}=e;const i=await allAnswers(e);const a=b.get(i.kind);if(!a)return;const c=a.files(i);refuseExisting(process.cwd(),[...c,...compiledFiles(a.compile,i)]);const l=process.env.PORT||"3000";const u=(0,o.spawnSync)("gh",["auth","status"],{stdio:"ignore",timeout:5e3});const d=u.error?"absent":0===u.status?"in":"out";const h=nextSteps(a,i,c,l,d);if(!n)(0,U.yy)(c.map(({path:e,text:t})=>`${e}\n\n${init_indented(t)}\n`).join("\n"));if(!t){refuseExisting(process.cwd(),c);for(const{path:e,text:t}of c){(0,r.mkdirSync)((0,s.dirname)(e),{recursive:true});(0,r.writeFileSync)(e,t,{flag:"wx"})}}(0,U.yy)(n?JSON.stringify({written:!t,files:c,...h}):told(c,t,h).trimEnd())}async function allAnswers(e){const{yes:t,json:n,kind:o,sender:r,name:s,repository:i,relay:a,event:c,uses:l}=e;const{stdin:u,stdout:d}=process;refusePolled(e);const h=void 0===r?void 0:knownSender(r);const f=h?{kind:o??[...b.keys()][0],name:s??h.name,repository:i,relay:a,event:c}:{kind:o??(c&&[...b.keys()][0]),name:s,repository:i,relay:a,event:c};const m={repository:(0,p.Vp)()};if(!u.isTTY||!d.isTTY||t||n)return{...await answered(f,m),sender:h,uses:l};const{ask:w,close:g}=askAt({input:u,output:d});try{return{...await answered(f,m,w),sender:h,uses:l}}finally{g()}}function refusePolled({kind:e,sender:t,event:n}){const o=void 0===t?n&&"--event":"--sender";if(!o||b.get(e??"")?.secret===void 0)return;throw new u.yo({message:`${o} is for what is fed by requests: the kind ${e} polls`,hint:"leave one of the two out; a bot that is fed by requests is --sender telegram"})}function knownSender(e){const t=(0,l.hk)(e);if(t)return t;const n=l.B2.map(e=>e.name);const o=(0,h.a)(e,n);throw new u.yo({message:`unknown sender ${JSON.stringify(e)}`,...o&&{hint:o},notes:[`senders: ${n.join(", ")}`]})}function told(e,t,n){const o=e.map(({path:e})=>e).join(", ");if(t)return`Nothing was written: without --dry-run it would be ${o}`;const{pin:r,tryOut:s,publish:i,url:a,missing:c,curl:l,token:u,tokenBox:d,relay:h}=n;const p=`The URL for the sender${null===l?"":", and a line that fires it"}`;const f=0===c.length?"":`; put in ${c.join(" and ")}`;return[`Wrote ${o}\n`,section('In place of the ones after "@", put the commit to pin; the newest is:',r),section(null===a?F:I,s),section("Then on GitHub, from the default branch; doctor needs the token in HOOKLINE_TOKEN:",i),section(`The token, for that repository alone, with the box "${d}":`,u),section("The relay; with --tunnel it gets a public address, for a first try:",h),section(`${p}${f}:`,a?[a,...l?[l]:[]]:[]),`\nNext: ${s.find(e=>/hookline/.test(e))}\n`].join("")}function section(e,t){return 0===t.length?"":`\n${e}\n${init_indented(t.join("\n"))}\n`}function init_indented(e){return e.replace(/^(?=.)/gm,"  ")}const J="owner/name";const W={contentType:"application/json",body:'{"hello":"world"}'};function nextSteps(e,t,n,o,r="absent"){const s="out"===r?["gh auth login"]:[];const{name:i}=t;const a=[...n,...compiledFiles(e.compile,{name:i})].map(({path:e})=>e);const c=[...s,...void 0===e.compile?[]:[e.compile(t)],`git add ${a.join(" ")}`,`git commit -m 'Add the workflow ${i}'`,"git push"];const l=void 0!==t.uses||void 0!==e.compile;const u=l?[]:["git ls-remote https://github.com/hookline/hookline HEAD"];const d=void 0===e.secret?webhookSteps(e,t,c,o):pollingSteps(e.secret,t,c);return{...d,pin:u}}function webhookSteps(e,{name:t,relay:n,repository:o,sender:r,event:s="repository_dispatch"},i,l){const{box:u,permission:h,flag:p,variable:f}=H[s];const m=r?triggerOf(r):e.trigger;const w=(0,d.vO)({relay:n,repository:o||J,workflow:t,trigger:m});const g=`http://localhost:${l}/webhook/${t}/${m}`;const y=(0,c.jS)(g,{...W,method:"POST",path:""});const $=r?secretsOf(r):[];const k=r?[...secretLines($),"npx hookline dev",...sendLines(r,g)]:["npx hookline dev",y];return{url:w,missing:[...o?[]:[`your repository for ${J}`],...n===j?[`your relay's address for ${j}`]:[]],curl:r?null:(0,a.R)({...{method:"POST",url:w,body:W.body,variables:["$HOOKLINE_TOKEN"]},headers:{"X-Platform-Authorization":"$HOOKLINE_TOKEN","content-type":W.contentType}}),tryOut:k,token:[tokenPage(t,o,h)],tokenBox:u,relay:[`${f}npx hookline relay${n===j?" --tunnel":""}`],publish:[...$.map(secretLine),...i,`${doctorLine(t,o)}${p} --relay ${n}`]}}const H={repository_dispatch:{box:"Contents: Read and write",permission:"contents",flag:"",variable:""},workflow_dispatch:{box:"Actions: Read and write",permission:"actions",flag:" --event workflow_dispatch",variable:"HOOKLINE_EVENT=workflow_dispatch "}};function pollingSteps(e,{name:t,repository:n},o){const r=[secretLine(e),...o,doctorLine(t,n)];const s=[...secretLines([e]),"npx hookline dev --poll"];return{url:null,missing:[],curl:null,tryOut:s,token:[],tokenBox:"",relay:[],publish:[...r,`gh workflow run ${t}.yml`]}}function secretLine(e){return`gh secret set ${e}`}function secretLines(e){const t=e.map(e=>`read -rs ${e} && echo "${e}=$${e}" >> .env`);return t.length>0?["echo .env >> .gitignore",...t]:[]}function sendLines({name:e,secret:t,scheme:n=e},o){if(void 0===t)return[];if(P.Kg.includes(n))return[`npx hookline send '${o}' --as ${e} --key ${e}.pem`];return[`HOOKLINE_SECRET="$${t}" npx hookline send '${o}' --as ${e}`]}function compiledFiles(e,{name:t}){const n=void 0===e?[]:[".yml"];return n.map(e=>({path:`.github/workflows/${t}${e}`,text:""}))}function tokenPage(e,t,n){const[o=""]=t.split("/");const r=new URLSearchParams({name:`hookline ${e}`,...o&&{target_name:o},expires_in:"90",[n]:"write"});return`https://github.com/settings/personal-access-tokens/new?${r}`}function doctorLine(e,t){return`npx hookline doctor --workflow ${e}${t&&` --repository ${t}`}`}function refuseExisting(e,t){const n=t.filter(({path:t})=>(0,r.existsSync)((0,s.join)(e,t)));if(0===n.length)return;throw new u.yo(n.map(({path:e})=>({message:`${e} is there already, and nothing is overwritten`,hint:"take another --name, or move the file away"})))}}),64394:((e,t,n)=>{n.r(t);n.d(t,{adviceAt:()=>adviceAt,nameAdvice:()=>nameAdvice,runNameLine:()=>runNameLine});var o=n(73024);var r=n(76760);var s=n(14070);var i=n(79815);var a=n(82566);const c={repository_dispatch:"github.event.client_payload.headers['x-hookline-delivery']",workflow_dispatch:`fromJSON(inputs.${s.Xy} || '{}').headers['x-hookline-delivery']`};function runNameLine(e,t="repository_dispatch"){return`run-name: ${(0,i.g$)(e)} $\{{ ${c[t]} }}`}function nameAdvice(e,t){const n=runNameLine(e,t);return`to tell which delivery started a run, add to ${(0,i.g$)(e)}:\n  ${n}`}function adviceAt(e,t){const n=[".yml",".yaml"].map(n=>(0,r.join)(e,a.bO,`${t}${n}`));const s=n.find(e=>(0,o.existsSync)(e));if(void 0===s)return;const i=(0,o.readFileSync)(s,"utf8");const[c=""]=/^["']?run-name["']?\s*:.*(?:\n[ \t].*)*/m.exec(i)??[];if(c.includes("-delivery"))return;const l=!i.includes("repository_dispatch")&&i.includes("workflow_dispatch");return nameAdvice(t,l?"workflow_dispatch":"repository_dispatch")}}),64121:((e,t,n)=>{n.d(t,{Ay:()=>readExpiry,Tk:()=>withScopeOptions,dV:()=>readScopeOptions,qY:()=>s});var o=n(48179);var r=n(41745);const s=["repository_dispatch","workflow_dispatch"];function withScopeOptions(e){return e.addOption(new o.c$("--event <event>","how GitHub is told of an event").choices(s)).option("--ref <ref>","branch or tag that workflow_dispatch runs").option("--expires <duration>","how long it is good for, such as 90d, 12h or 30m")}async function readScopeOptions(e){const{readRepository:t}=await Promise.all([n.e(9167),n.e(172),n.e(7246),n.e(8023)]).then(n.bind(n,97246));const{owner:o,name:s}=t(e.repository);const{event:i,ref:a}=e;const c=e.path?.replace(/^\/+/,"");if(a&&"repository_dispatch"===i)throw new r.yo({message:"--ref does not go with --event repository_dispatch",hint:"that event always runs what is on the default branch: leave --ref out"});return{repository:`${o}/${s}`,...c&&{path:c},...i&&{event:i},...a&&{ref:a}}}const i={d:86400,h:3600,m:60};function readExpiry(e,t){const[,n,o]=/^([1-9]\d{0,4})([dhm])$/.exec(e)??[];if("d"!==o&&"h"!==o&&"m"!==o)throw new r.yo({message:`${JSON.stringify(e)} is no duration`,hint:"write it as 90d, 12h or 30m"});return Math.floor(t/1e3)+Number(n)*i[o]}}),57164:((e,t,n)=>{n.d(t,{yE:()=>l,g7:()=>ScriptFailure,Pm:()=>d});const o=/\b(?:URL|URLSearchParams|TextEncoder|TextDecoder|btoa|atob)\b/;const r=["href","origin","protocol","username","password","host","hostname","port","pathname","search","hash"];function scriptHost(e){return{urlParts(t){try{const[n,o,r,s]=JSON.parse(t);const i=new URL(n??"",o??void 0);const a=e.find(e=>e===r);if(void 0!==a&&"origin"!==a)i[a]=s??"";return JSON.stringify(Object.fromEntries(e.map(e=>[e,i[e]])))}catch{return""}},encodings(e){try{const[t,n]=JSON.parse(e);if("btoa"===t)return JSON.stringify(btoa(n??""));return JSON.stringify(atob(n??""))}catch{return""}}}}const s=`((urlParts, encodings) => {
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
      for (const part of ${JSON.stringify(r)}) {
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
})`;const i=2e3;const a=6e4;const c=5;const l=/(?<![\w$])import(?=\s*[(./<-])/;const u="--disallow-code-generation-from-strings";const d={async run(e,t){if(l.test(e.body))throw new ScriptFailure("does not compile: there is no import");const{spawn:d}=await Promise.resolve().then(n.t.bind(n,31421,19));const h=process.allowedNodeEnvironmentFlags.has("--permission")?"--permission":"--experimental-permission";const p=["--no-warnings",h,"--experimental-vm-modules",u];const f=`'use strict';(${runInChild})((${scriptHost})(${JSON.stringify(r)}))`;const m=d(process.execPath,[...p,"-e",f],{env:{},stdio:["pipe","pipe","ignore"],timeout:a,killSignal:"SIGKILL"});const w=await exchange(m,{source:`this.script = function (${e.parameters.join(", ")}) {\n${e.body}\n}`,globals:o.test(e.body)?s:"",driver:driver(e.drive),filename:`config.${e.option}`,items:t,longest:i,mostAttempts:c});const[g,y]=[w.slice(0,1),w.slice(1)];if("="===g)return y;if("?"===g)throw new ScriptFailure(`does not compile: ${y}`);if("T"===g)throw new ScriptFailure(tooLong(i));throw new ScriptFailure("!"===g?failureText(y):"ended without a result")},async within(e,t){const o=await Promise.resolve().then(n.t.bind(n,30714,19));let r;const s=o.createContext({work(){r={value:t()}}});limited(e,()=>o.runInContext("work()",s,{timeout:e}));if(!r)throw new ScriptFailure("did not end");return r.value}};function exchange(e,t){return new Promise(n=>{let o="";e.stdout?.setEncoding("utf8").on("data",e=>{o+=e});e.on("error",()=>n(""));e.on("close",e=>n(0===e?o:""));e.stdin?.on("error",()=>{});e.stdin?.end(JSON.stringify(t))})}function runInChild({urlParts:e,encodings:t}){const n=process.getBuiltinModule("node:vm");const o=process.getBuiltinModule("node:fs");const r=JSON.parse(o.readFileSync(0,"utf8"));for(const e of[Object,Function,Array,Promise,Error,RangeError,TypeError]){Object.freeze(e);Object.freeze(e.prototype)}const s=n.createContext(Object.create(null),{microtaskMode:"afterEvaluate",codeGeneration:{strings:false,wasm:false}});s.input=r.items;if(r.globals)n.runInContext(r.globals,s)(e,t);const i='Promise.reject(new Error("import"))';const a={filename:r.filename,lineOffset:-1,importModuleDynamically:()=>n.runInContext(i,s)};const codeOf=e=>"object"==typeof e&&null!==e&&"code"in e?e.code:void 0;const drive=()=>{for(let e=1;;e++){const t=process.cpuUsage();try{const e=n.runInContext(r.driver,s,{timeout:r.longest});return"string"==typeof e?e:""}catch(i){if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==codeOf(i))return"";const{user:n,system:o}=process.cpuUsage(t);const s=(n+o)/1e3>r.longest/2;if(s||e===r.mostAttempts)return"T"}}};let c;try{new n.Script(r.source,a).runInContext(s);c=drive()}catch(e){c=`?${e instanceof Error?e.message:""}`}process.stdout.write(c)}const driver=e=>`(() => {
  const { stringify, parse } = JSON
  try {
    const items = parse(input)
    const call = (...args) => {
      const result = script(...args)
      if (result && typeof result.then === 'function') throw new Error('promise')
      return result
    }
    return '=' + stringify(${e})
  } catch (error) {
    return '!' + String(error && error.stack)
  }
})()`;function limited(e,t){for(let n=1;;n++){const o=process.cpuUsage();try{return t()}catch(a){const t="object"==typeof a&&null!==a&&"code"in a&&a.code;if("ERR_SCRIPT_EXECUTION_TIMEOUT"!==t)throw a;const{user:r,system:s}=process.cpuUsage(o);const i=(r+s)/1e3>e/2;if(i||n===c)throw new ScriptFailure(tooLong(e))}}}function tooLong(e){return`took longer than ${e} ms, and was broken off`}const h=/^\w*Error: (Cannot (read|set) properties of (undefined|null) \((reading|setting) '[\w$]{1,60}'\)|[\w$.]{1,80} is not (a function|defined|iterable|a constructor)|Assignment to constant variable\.)$/;function failureText(e){const[t="",...n]=e.split("\n");if("Error: promise"===t)return"returned a promise; it must return at once";const o=n.map(e=>/config\.\w+:(\d+)/.exec(e)?.[1]).find(Boolean);const r=/^[A-Z]\w{0,40}/.exec(t)?.[0]??"something";const s=h.test(t)?t:`threw ${r}`;return void 0===o?s:`${s} (line ${o} of the script)`}let ScriptFailure=class ScriptFailure extends Error{name="ScriptFailure"}}),80465:((e,t,n)=>{n.d(t,{hU:()=>covers,hx:()=>readScope,y3:()=>isCanonicalCompact,zt:()=>isDispatchEvent});const o=new Set(["repository_dispatch","workflow_dispatch"]);function isDispatchEvent(e){return o.has(e)}function readScope(e){const{repository:t,path:n,event:o,ref:r}=e;if("string"!=typeof t)return;if(void 0!==n&&"string"!=typeof n)return;if(void 0!==o&&!isDispatchEvent(o))return;if(void 0!==r&&("string"!=typeof r||""===r))return;return{repository:t,...void 0!==n&&{path:n},...void 0!==o&&{event:o},...void 0!==r&&{ref:r}}}function covers(e,{owner:t,name:n},o){if(e.repository.toLowerCase()!==`${t}/${n}`.toLowerCase())return false;return void 0===e.path||isWithin(o,e.path)}function isWithin(e,t){const[n=""]=e.split("?");return`${n}/`.startsWith(t.endsWith("/")?t:`${t}/`)}const r=/^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;function isCanonicalCompact(e){return e.split(".").every(e=>r.test(e))}}),97530:((e,t,n)=>{n.d(t,{Bu:()=>parseState,C1:()=>s,Gf:()=>openState,Z7:()=>storeNeeds,aB:()=>repeatWarning});const o=/^(?!.*(\.\.|\/[/.]|\.lock(\/|$)|[/.]$))[A-Za-z0-9_][\w./-]*$/;const r=new Map([["file",{form:"file:<path>",accepts:e=>""!==e,open:async(e,t)=>(await n.e(8046).then(n.bind(n,38046))).openFile(e,t)}],["branch",{form:"branch:<name>",accepts:e=>o.test(e),open:async(e,t)=>(await n.e(1616).then(n.bind(n,71616))).openBranch(e,t)}]]);const s=["none",...[...r.values()].map(({form:e})=>e)].join(", ");function parseState(e){const t=e.trim();if("none"===t||""===t)return{kind:"none",value:""};const[,n="",o=""]=/^([a-z]+):\s*(.*)$/.exec(t)??[];return r.get(n)?.accepts(o)?{kind:n,value:o}:void 0}async function openState({kind:e,value:t},n){return r.get(e)?.open(t,n)}function storeNeeds({config:e},{hasStore:t,isPolled:n,isEveryExact:o}){const{shouldDeduplicate:r,skipFirst:s,limit:i,sort:a,sortScript:c,every:l,force:u}=e;const d=n&&void 0!==i&&(a??c)!==void 0;if(t)return d&&false===r?[{option:"limit",needs:"shouldDeduplicate"}]:[];const h=n&&!u&&!o&&l?.minutes!==void 0;const p=[r&&"shouldDeduplicate",s&&"skipFirst",d&&"limit",h&&l.minutes>0&&"every"];return p.flatMap(e=>e?[{option:e,needs:"a store"}]:[])}function repeatWarning({forgets:e},{hasStore:t,isPolled:n}){if(t||!n||e)return;return"what it polls cannot be acknowledged: without a store every entry comes again with every run"}}),4342:((e,t,n)=>{n.d(t,{H:()=>HttpFailure,p:()=>jitter});let HttpFailure=class HttpFailure extends Error{name="HttpFailure";reason;constructor(e,t){super(`${"timeout"===e?"no answer in time":"no connection"} (${t})`);this.reason=e}};function jitter(e,t,{first:n,longest:o}){return t*Math.min(o,n*2**e)}}),94217:((e,t,n)=>{n.d(t,{E2:()=>splitOnce,gr:()=>decodePercent,kC:()=>parseWebhookPath,ub:()=>withToken,vO:()=>webhookUrl});var o=n(41745);function parseWebhookPath(e){const[t,n]=splitOnce(e.startsWith("/")?e.slice(1):e,"?");const[o,r]=splitOnce(t,"/");const[s,i]=splitOnce(r,"/");return{workflow:decodePercent(o),trigger:decodePercent(s),path:`/${i}`,querystring:n}}function decodePercent(e){if(!e.includes("%"))return e;try{return decodeURIComponent(e)}catch{return e}}function splitOnce(e,t){const n=e.indexOf(t);return n<0?[e,""]:[e.slice(0,n),e.slice(n+t.length)]}const r=/^[A-Za-z0-9][A-Za-z0-9_-]{0,38}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;const s=/^[A-Za-z0-9._-]+$/;function webhookUrl({relay:e,repository:t,workflow:n,trigger:o}){const i=URL.canParse(e)?new URL(e):void 0;if(!i||!/^https?:$/.test(i.protocol)||i.search||i.hash)throw wrong("the address of the relay",e,"https://relay.example");if(void 0!==t&&!r.test(t))throw wrong("the repository",t,"owner/name");const a=n.replace(/\.ya?ml$/,"");if(!s.test(a))throw wrong("the workflow",n,"its file name: deploy");const c=t??"webhook";return`${i.href.replace(/\/+$/,"")}/${c}/${a}/${o}`}function withToken(e,t){return`${e}?__token=${t}`}function wrong(e,t,n){return new o.yo({message:`${e} is ${JSON.stringify(t)}`,hint:`it looks like ${n}`})}}),14070:((e,t,n)=>{n.d(t,{El:()=>a,Ix:()=>c,Uk:()=>writeDispatch,Xy:()=>i,cP:()=>s,je:()=>writeClientPayload,l7:()=>writeWorkflowDispatch,m0:()=>webhookPayload,yo:()=>readClientPayload});var o=n(41745);var r=n(78674);const s="webhook";const i="hookline";const a={delivery:"x-hookline-delivery",receivedAt:"x-hookline-received-at",bodyEncoding:"x-hookline-body-encoding",run:"x-hookline-run"};const c="x-hookline-";function writeClientPayload({path:e,method:t,headers:n,body:o}){return JSON.stringify({path:e,method:t,headers:n,body:o})}function writeDispatch(e){return`{"event_type":"${s}","client_payload":${e}}`}function writeWorkflowDispatch(e,t,n){const o=`{"${i}":${JSON.stringify(e)}}`;const r=n?',"return_run_details":true':"";return`{"ref":${JSON.stringify(t)},"inputs":${o}${r}}`}function webhookPayload({name:e,payload:t}){if(!(0,r.Gv)(t))return;if("repository_dispatch"===e&&t.action===s)return t.client_payload??null;if("workflow_dispatch"!==e||!(0,r.Gv)(t.inputs))return;const{[i]:n}=t.inputs;if("string"!=typeof n||""===n.trim())return;try{return(0,r.qF)(n)}catch{throw new o.tG("the input hookline of this workflow_dispatch is not JSON")}}function readClientPayload(e){if(!(0,r.Gv)(e))throw new o.tG("client_payload is not an object");const t=e.body??null;return{path:text(e.path,"path"),method:text(e.method??(null===t||""===t?"GET":"POST"),"method"),headers:headersFrom(e.headers??{}),body:t}}function text(e,t){if("string"==typeof e)return e;throw new o.tG(`client_payload.${t} is ${kindOf(e)}, not a string`)}function headersFrom(e){const t="string"==typeof e?parsedHeaders(e):e;if(!(0,r.Gv)(t))throw new o.tG(`client_payload.headers is ${kindOf(t)}, not an object`);const n=Object.entries(t).map(([e,t])=>[e.toLowerCase(),headerText(t)]);return(0,r.g1)(n)}function parsedHeaders(e){try{return(0,r.qF)(e)}catch{throw new o.tG("client_payload.headers is a string that is not JSON")}}function headerText(e){if(Array.isArray(e))return e.map(headerText).join(", ");return"string"==typeof e?e:JSON.stringify(e)}function kindOf(e){if(void 0===e)return"missing";if(null===e)return"null";if(Array.isArray(e))return"an array";return"object"==typeof e?"an object":`a ${typeof e}`}})};