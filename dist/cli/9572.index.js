"use strict";exports.id=9572,exports.ids=[9572,5765],exports.modules={5687:((e,t,n)=>{n.d(t,{GW:()=>c,gu:()=>indented});var o=n(73024),i=n(35765),r=n(14070),s=n(47724),u=n(86273),l=n(90974),a=n(63076),d=n(90181);let c=new Map([{name:"webhook",workflow:"hook",trigger:"webhook",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:webhookText(e)}]},{name:"bot",workflow:"bot",trigger:"messaging_bot",secret:"BOT_TOKEN",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:botText(e)}]},{name:"compiled",workflow:"hook",trigger:"webhook",compile:"hookline build",files:e=>[{path:`workflows/${e.name}.yml`,text:compiledText(e)}]}].map(e=>[e.name,e]));function actionInputs({sender:e}){let t=e?(0,d.Pc)(e,"${{ '${{' }}"):(0,i.As)({webhook:{method:"post"}}),n=(e?(0,d.Fj)(e):[]).map(e=>`"${e}": $\{{ toJSON(secrets.${e}) }}`);return[...n.length>0?["# The action inserts secrets into `on` itself, so that they cannot change the YAML.",`secrets: '{${n.join(", ")}}'`]:[],"on: |",indented(t.trimEnd(),2)].join("\n")}function webhookText(e){let{sender:t,uses:n}=e,{head:o,condition:i}=workflowHead(e);return`${o}
permissions:
  contents: read

jobs:
  react:
${indented(i,4)}
    runs-on: ubuntu-latest
    steps:
${indented(usesLine(n),6)}
        id: hookline
        with:
${indented(actionInputs(e),10)}

      - if: steps.hookline.outputs.triggered == 'true'
${indented(showingStep((0,d.ix)(t??{}),{kind:"on",output:"steps.hookline.outputs.on"}),8)}
${indented(t?(0,d.TR)(t,p,h):"",6)}`}let p=(0,l.ur)({kind:"on",output:"steps.hookline.outputs.on"},["webhook","outputs"]),h="steps.hookline.outputs.triggered == 'true'";function showingStep(e,t){let[n,...o]="webhook"===e?["BODY","body"]:["ITEM"],i=(0,l.ur)(t,[e,"outputs",...o]);return`# Pass untrusted input by env:, never inside the script, and do not print it in the log.
env:
  ${n}: ${(0,l.eL)(`toJSON(${i})`)}
run: echo "$${n}" >> "$GITHUB_STEP_SUMMARY"`}function workflowHead({name:e,sender:t,dispatch:n}){let{listens:o,condition:s}="workflow"===n?f:dispatched(`${e}/${(0,d.ix)(t??{})}`);return{head:`name: ${(0,i.As)(e).trim()}
${(0,u.n)(e,n&&(0,r.Pt)(n))}
on:
${indented(o,2)}
`,condition:s}}let f={listens:`workflow_dispatch:
  inputs:
    ${r.Xy}:
      description: The relay sets this input. Leave it empty for a manual run.
      type: string`,condition:`# The input is empty in a manual run.
if: inputs.${r.Xy} != ''`};function dispatched(e){return{listens:`repository_dispatch:
  types: [webhook]`,condition:`if: startsWith(github.event.client_payload.path, '${e}')`}}function usesLine(e=(0,a.T)()){return`- uses: ${e}`}function indented(e,t){return e.replace(/^(?=.)/gm," ".repeat(t))}function botText({name:e,uses:t}){return`name: ${(0,i.As)(e).trim()}
on:
  schedule:
    # Each hour, because a poll costs a minute in a private repository. In a public one, it is free: '*/5 * * * *'.
    - cron: '17 * * * *'
  workflow_dispatch:

permissions: {}

# Concurrent polls would get the same messages, so runs wait for each other.
concurrency:
  group: ${(0,i.As)(e).trim()}
  queue: max

jobs:
  poll:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    outputs:
      items: $\{{ steps.hookline.outputs.items }}
    steps:
${indented(usesLine(t),6)}
        id: hookline
        with:
          on: |
            messaging_bot:
              token: $\{{ secrets.BOT_TOKEN }}
              event: text

  # Runs once for each message.
  answer:
    needs: poll
    if: needs.poll.outputs.items != '[]'
    runs-on: ubuntu-latest
    timeout-minutes: 5
    strategy:
      fail-fast: false
      max-parallel: 1
      matrix:
        on: $\{{ fromJSON(needs.poll.outputs.items) }}
    steps:
      # Replace the text by your own, such as an output of an earlier step.
      - uses: ${replyAction(t)}
        with:
          to: $\{{ toJSON(matrix.on) }}
          token: $\{{ secrets.BOT_TOKEN }}
          text: 'You wrote: $\{{ matrix.on.messaging_bot.outputs.text }}'
`}function replyAction(e=(0,a.T)()){return e.replace("@","/reply@")}let m="node_modules/hookline/schema/hookline-workflow.json";function compiledText({name:e,sender:t,dispatch:n,uses:l,forge:a}){let c=(0,d.ix)(t??{}),p=t?(0,d.Pc)(t):(0,i.As)({webhook:{method:"post"}}),h=(0,o.existsSync)(m)?`../${m}`:`https://raw.githubusercontent.com/hookline/hookline/v${s.x}/schema/hookline-workflow.json`;return`# yaml-language-server: $schema=${h}
name: ${(0,i.As)(e).trim()}
${(0,u.n)(e,n&&(0,r.Pt)(n))}
${settingsText({dispatch:n,uses:l,forge:a})}on:
${indented(p.trimEnd(),2)}

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      - name: Show the event
${indented(showingStep(c,{kind:"source"}),8)}
${indented(t?(0,d.TR)(t,`on.${c}.outputs`,""):"",6)}`}function settingsText({dispatch:e,uses:t,forge:n}){let o=[...void 0===n?[]:[`forge: ${n}`],..."workflow"===e?[`dispatch: ${e}`]:[],...void 0===t?[]:[`uses: ${t}`]];return 0===o.length?"":`hookline:
${indented(o.join("\n"),2)}
`}}),63076:((e,t,n)=>{n.d(t,{T:()=>ownAction});var o=n(73024),i=n(76760),r=n(60997),s=n(51624);function ownAction(e=process.argv[1]??""){try{let t=(0,i.resolve)((0,o.realpathSync)(e),"../../../package.json"),n=(0,s.qF)((0,o.readFileSync)(t,"utf8"));if(!(0,s.Gv)(n)||"hookline"!==n.name)return r.hr;let{gitHead:u,version:l}=n;return"string"==typeof u&&/^[0-9a-f]{40}$/.test(u)?`hookline/hookline@${u} # v${l}`:r.hr}catch{return r.hr}}}),73418:((e,t,n)=>{n.d(t,{CO:()=>equalizeCommand,OY:()=>pushFacts,RS:()=>arePublished,Wf:()=>pushCommand,iE:()=>subfolderProblem,tk:()=>commitAndPush,v2:()=>publishLines});var o=n(59661),i=n(38565);function pushFacts(e){let t=(0,o.$)(".","symbolic-ref","--quiet","--short","HEAD"),n=e??clonedDefault(),i=stagedFiles(),r=isBehind(n)?n:void 0;if((void 0!==t||void 0===(0,o.$)(".","rev-parse","--verify","HEAD"))&&(void 0===n||n===t))return{refspec:"HEAD",isFirst:void 0===(0,o.$)(".","rev-parse","--abbrev-ref","@{upstream}"),staged:i,behind:r};let s=n??"<default branch>";return{defaultBranch:s,refspec:`HEAD:${s}`,staged:i,behind:r}}function clonedDefault(){let e=(0,o.$)(".","symbolic-ref","--quiet","--short","refs/remotes/origin/HEAD");return e?.replace(/^origin\//,"")}function stagedFiles(){let e=(0,o.$)(".","diff","--cached","--name-only","-z","--no-ext-diff","--no-textconv","--ignore-submodules=all");return e?.split("\0").filter(e=>""!==e)??[]}function publishLines(e){let{files:t,workflow:n,isCommitted:o,push:i,shell:r}=e,{defaultBranch:s,refspec:u,isFirst:l=!1,staged:a=[],behind:d}=i,c=t.join(" "),p=a.some(e=>!t.includes(e))?` -- ${c}`:"",h=o?[]:[`git add ${c}`,`git commit -m 'Add the workflow ${n}'${p}`],f=[...void 0===d?[]:[pullLine(r,d,!0)],`git push ${l?"-u ":""}origin ${quotedRef(u,r)}`];return void 0===s?[r.chained([...h,...f])]:[...h.length>0?[r.chained(h)]:[],`# GitHub runs the workflow of the branch ${s}. Merge your branch into it, or push to it:`,r.chained(f)]}function quotedRef(e,t){return/^[\w./:-]+$/.test(e)?e:t.quoted(e)}function areCommitted(e){return""===(0,o.$)(".","status","--porcelain","--ignore-submodules=all","--",...e)&&e.every(e=>void 0!==blobOf("HEAD",e))}function arePublished(e,t){let n=(0,o.$)(".","symbolic-ref","--quiet","--short","HEAD"),i=t??clonedDefault()??n,r=`refs/remotes/origin/${i}`;return areCommitted(e)&&e.every(e=>blobOf("HEAD",e)===blobOf(r,e))}function isContained(e=clonedDefault()){let t=`refs/remotes/origin/${e}`;return void 0!==(0,o.$)(".","merge-base","--is-ancestor","HEAD",t)}function isBehind(e){let t=`refs/remotes/origin/${e}`;return void 0!==(0,o.$)(".","rev-parse","--quiet","--verify",t)&&void 0===(0,o.$)(".","merge-base","--is-ancestor",t,"HEAD")}function areUnchanged(e,t){let n=(0,o.$)(".","merge-base","HEAD",`refs/remotes/origin/${t}`);return void 0!==n&&areCommitted(e)&&e.every(e=>blobOf("HEAD",e)===blobOf(n,e))}function pullLine(e,t=clonedDefault(),n=!isContained(t)){return`git pull ${n?"--no-rebase ":""}origin ${quotedRef(t??"HEAD",e)}`}function blobOf(e,t){return(0,o.$)(".","rev-parse","--quiet","--verify",`${e}:${t}`)}function subfolderProblem(){let e=(0,o.$)(".","rev-parse","--show-cdup")?.replace(/\/$/,"")??"";if(""!==e)return{message:"this is a subfolder of a repository, and GitHub reads workflows only at the root",hint:`Run: cd ${e}; or make this folder a repository: git init`}}function pushCommand(e,t){let n=areCommitted(e.files);return n&&isContained(t)?pullLine((0,i.vi)(),t):commitAndPush(e,t,n)}function equalizeCommand(e,t){return areUnchanged(e.files,t)?pullLine((0,i.vi)(),t):pushCommand(e,t)}function commitAndPush({files:e,workflow:t},n,o=!1){return publishLines({files:e,workflow:t,isCommitted:o,push:pushFacts(n),shell:(0,i.vi)()}).join("\n")}}),41330:((e,t,n)=>{n.d(t,{H:()=>LineCounter});let LineCounter=class LineCounter{constructor(){this.lineStarts=[],this.addNewLine=e=>this.lineStarts.push(e),this.linePos=e=>{let t=0,n=this.lineStarts.length;for(;t<n;){let o=t+n>>1;this.lineStarts[o]<e?t=o+1:n=o}if(this.lineStarts[t]===e)return{line:t+1,col:1};if(0===t)return{line:0,col:e};let o=this.lineStarts[t-1];return{line:t,col:e-o+1}}}}}),35765:((e,t,n)=>{n.d(t,{As:()=>stringify,Tp:()=>parseDocument,qg:()=>parse});var o=n(45569),i=n(42332),r=n(62826),s=n(65995),u=n(32193),l=n(41330),a=n(43446);function parseOptions(e){let t=!1!==e.prettyErrors;return{lineCounter:e.lineCounter||t&&new l.H||null,prettyErrors:t}}function parseDocument(e,t={}){let{lineCounter:n,prettyErrors:i}=parseOptions(t),s=new a.i(n?.addNewLine),u=new o.D(t),l=null;for(let t of u.compose(s.parse(e),!0,e.length))if(l){if("silent"!==l.options.logLevel){l.errors.push(new r.XT(t.range.slice(0,2),"MULTIPLE_DOCS","Source contains multiple documents; please use YAML.parseAllDocuments()"));break}}else l=t;return i&&n&&(l.errors.forEach((0,r.S1)(e,n)),l.warnings.forEach((0,r.S1)(e,n))),l}function parse(e,t,n){let o;"function"==typeof t?o=t:void 0===n&&t&&"object"==typeof t&&(n=t);let i=parseDocument(e,n);if(!i)return null;if(i.warnings.forEach(e=>(0,s.R)(i.options.logLevel,e)),i.errors.length>0)if("silent"!==i.options.logLevel)throw i.errors[0];else i.errors=[];return i.toJS(Object.assign({reviver:o},n))}function stringify(e,t,n){let o=null;if("function"==typeof t||Array.isArray(t)?o=t:void 0===n&&t&&(n=t),"string"==typeof n&&(n=n.length),"number"==typeof n){let e=Math.round(n);n=e<1?void 0:e>8?{indent:8}:{indent:e}}if(void 0===e){let{keepUndefined:e}=n??t??{};if(!e)return}return(0,u.wz)(e)&&!o?e.toString(n):new i.y(e,o,n).toString(n)}})};