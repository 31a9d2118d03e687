"use strict";exports.id=842;exports.ids=[842];exports.modules={82566:((e,t,o)=>{o.d(t,{Vp:()=>originRepository,_b:()=>findSourceFiles,ly:()=>writeSource,o$:()=>readSource});var n=o(31421);var r=o(73024);var i=o(76760);var s=o(62452);var a=o(41745);function findSourceFiles(e,t){const o=["workflows with triggers of Hookline stand in workflows/"];return(0,s.u)({root:e,globs:t,advice:o})()}function readSource(e,t){const o=(0,i.join)(e,t);try{const n=(0,i.relative)((0,r.realpathSync)(e),(0,r.realpathSync)(o));if(n.startsWith(".."))throw new a.yo({message:`${t} leads out by a link`});const s=(0,r.readFileSync)(o,"utf8").replace(/^\uFEFF/,"").replaceAll("\r\n","\n");return{name:t,file:t,text:s}}catch(e){if(e instanceof a.yo)throw e;throw new a.yo({message:`${t} cannot be read`},{cause:e})}}function writeSource(e,t,o){const n=(0,r.realpathSync)((0,i.join)(e,t));(0,r.writeFileSync)(`${n}.part`,o);(0,r.renameSync)(`${n}.part`,n)}function originRepository(){try{const e=["ignore","pipe","ignore"];const t=(0,n.execFileSync)("git",["remote","get-url","origin"],{encoding:"utf8",stdio:[...e]});return repositoryOf(t.trim())}catch{return""}}function repositoryOf(e){const[,t,o]=/[/:]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(e)??[];return t&&o?`${t}/${o}`:""}}),22842:((e,t,o)=>{o.r(t);o.d(t,{initCommand:()=>initCommand,nextSteps:()=>nextSteps});var n=o(73024);var r=o(76760);var i=o(48179);var s=o(30294);var a=o(41745);var c=o(94217);var l=o(82566);var u=o(25802);const h={name:"webhook",title:"a request to a URL, in a workflow of one file",workflow:"hook",trigger:"webhook",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:webhookText(e)}]};const w={name:"bot",title:"a message to a bot, which is polled on a schedule",workflow:"bot",trigger:"messaging_bot",secret:"BOT_TOKEN",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:botText(e)}]};const f={name:"compiled",title:"a request to a URL, in a workflow file with jobs for each request",workflow:"hook",trigger:"webhook",compile:"npx hookline build",files:e=>[{path:`workflows/${e.name}.yml`,text:compiledText(e)}]};const p=new Map([h,w,f].map(e=>[e.name,e]));function webhookText({name:e}){return`name: ${(0,u.As)(e).trim()}
on:
  repository_dispatch:
    types: [webhook]

permissions:
  contents: read

jobs:
  react:
    # Each dispatch starts every listening workflow; only ${e}/webhook is for this one.
    if: >-
      startsWith(format('{0}/', github.event.client_payload.path), '${e}/webhook/') ||
      startsWith(github.event.client_payload.path, '${e}/webhook?')
    runs-on: ubuntu-latest
    steps:
      - uses: hookline/hookline@v1
        id: hookline
        with:
          on: |
            webhook:
              method: post

      # What came from outside goes through env: in a script it would be run as shell code.
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          BODY: $\{{ steps.hookline.outputs.body }}
        run: echo "$BODY"
`}function botText({name:e}){return`name: ${(0,u.As)(e).trim()}
on:
  schedule:
    - cron: '*/5 * * * *'
  workflow_dispatch:

permissions: {}

# One poll after the other: two at once would get the same messages. A run waits its turn.
concurrency:
  group: ${(0,u.As)(e).trim()}
  queue: max

jobs:
  poll:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    outputs:
      items: $\{{ steps.hookline.outputs.items }}
    steps:
      - uses: hookline/hookline@v1
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
`}const d="https://raw.githubusercontent.com/hookline/hookline/v1/schema/hookline-workflow.json";function compiledText({name:e}){return`# yaml-language-server: $schema=${d}
name: ${(0,u.As)(e).trim()}
on:
  webhook:
    method: post

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      # What came from outside goes through env: in a script it would be run as shell code.
      - env:
          BODY: $\{{ toJSON(on.webhook.outputs.body) }}
        run: echo "$BODY"
`}var m=o(26848);var k=o(88375);var y=o(9766);const g="hook";const $="http://localhost:3000";function questions({repository:e}){return[{name:"kind",text:"What is to start the workflow?",choices:[...p.values()],fallback:()=>[...p.keys()][0]??"",check:checkKind},{name:"name",text:"Name of the workflow",fallback:({kind:e})=>p.get(e??"")?.workflow??g,check:e=>checkUrl({workflow:e})},{name:"repository",text:"Repository, as owner/name",fallback:()=>e,check:e=>checkUrl({repository:e})},{name:"relay",text:"Address of the relay",fallback:()=>$,matters:({kind:e})=>p.get(e??"")?.secret===void 0,check:e=>checkUrl({relay:e})}]}async function answered(e,t,o){const n={};for(const r of questions(t)){const t=r.fallback(n);const i=e[r.name];if(void 0!==i)r.check(i);const s=r.matters?.(n)??true;n[r.name]=i??(o&&s?await o(r,t):t)}const{kind:r="",name:i="",repository:s="",relay:a=""}=n;return{kind:r,name:i,repository:s,relay:a}}function checkKind(e){if(p.has(e))return;const t=[...p.keys()];const o=(0,y.a)(e,t);const n=`unknown kind of workflow ${JSON.stringify(e)}`;throw new a.yo({message:n,...o&&{hint:o},notes:[`kinds: ${t.join(", ")}`]})}function checkUrl(e){const{workflow:t=g,relay:o=$,repository:n}=e;if(/\.ya?ml$/.test(t))throw new a.yo({message:`leave the extension out: ${t}`});(0,c.vO)({relay:o,repository:n||void 0,workflow:t,trigger:"webhook"})}function askAt({input:e,output:t}){const o=(0,m.createInterface)({input:e,output:t});const n=o[Symbol.asyncIterator]();const line=async e=>{o.setPrompt(e);o.prompt();const{value:t,done:r}=await n.next();if(r)throw new a.yo({message:"no answer: nothing was written"});return t};return{async ask(e,o){for(;;){const n=(await line(questions_prompt(e,o))).trim()||o;const r=problemOf(e,n);if(void 0===r)return n;t.write(`${r}\n`)}},close:()=>o.close()}}function questions_prompt({text:e,choices:t=[]},o){const n=t.map(({name:e,title:t})=>`  ${e.padEnd(10)} ${t}\n`).join("");const r=""===o?"":` (${o})`;return t.length>1?`${e}\n${n}Which one?${r} `:`${e}${r} `}function problemOf(e,t){try{e.check(t);return}catch(e){if(!(e instanceof a.yo))throw e;return e.problems.map(e=>(0,k.y)(e)).join("\n")}}const b=`
Without a flag it asks for, on a terminal; elsewhere, and with --yes, the default is taken.
A file that is there already is never overwritten.

Examples:
  $ hookline init
  $ hookline init --yes --name deploy --repository octo/repo --relay https://relay.example.com`;const v="Try it here, each line in a terminal of its own:";const x="Try it here, line by line, then write to the bot; the second line waits for its token, unseen:";function initCommand(){const e=[...p.keys()];return new i.uB("init").description("write a first workflow, and say how to try it").addOption(new i.c$("--kind <kind>","what starts it").choices(e)).option("--name <name>","name of the workflow, and of its file").option("--repository <owner/name>","where it will run, by default the git remote origin").option("--relay <url>","address of the relay").option("--yes","ask nothing").option("--dry-run","show what would be written, and write nothing").option("--json","print one JSON object").addHelpText("after",b).action(run)}async function run(e){const{dryRun:t=false,json:o}=e;const n=await allAnswers(e);const r=p.get(n.kind);if(!r)return;const i=r.files(n);refuseExisting(process.cwd(),i);const s=nextSteps(r,n,i,process.env.PORT||"3000");if(!o)print(i.map(e=>preview(e)).join("\n"));if(!t)writeNew(process.cwd(),i);print(o?JSON.stringify({written:!t,files:i,...s}):told(i,t,s).trimEnd())}async function allAnswers({yes:e,json:t,kind:o,name:n,repository:r,relay:i}){const{stdin:s,stdout:a}=process;const c={kind:o,name:n,repository:r,relay:i};const u={repository:(0,l.Vp)()};if(!s.isTTY||!a.isTTY||e||t)return answered(c,u);const{ask:h,close:w}=askAt({input:s,output:a});try{return await answered(c,u,h)}finally{w()}}function preview({path:e,text:t}){return`${e}\n\n${indented(t)}\n`}function told(e,t,o){const n=e.map(({path:e})=>e).join(", ");if(t)return`Nothing was written: without --dry-run it would be ${n}`;const{tryOut:r,publish:i,url:s,curl:a}=o;return[`Wrote ${n}\n`,section(null===s?x:v,r),section("Then on GitHub, from the default branch; doctor needs the token in HOOKLINE_TOKEN:",i),section(titleOfUrl(o),s&&a?[s,a]:[])].join("")}function titleOfUrl({missing:e}){const t="The URL for the sender, and a line that fires it";return 0===e.length?`${t}:`:`${t}; put in ${e.join(" and ")}:`}function section(e,t){return 0===t.length?"":`\n${e}\n${indented(t.join("\n"))}\n`}function print(e){process.stdout.write(`${e}\n`)}function indented(e){return e.replace(/^(?=.)/gm,"  ")}const O="owner/name";const S={contentType:"application/json",body:'{"hello":"world"}'};function nextSteps(e,t,o,n){const r=pushLines(e,t,o);return void 0===e.secret?webhookSteps(e,t,r,n):pollingSteps(e.secret,t,r)}function webhookSteps({trigger:e},{name:t,relay:o,repository:n},r,i){const a=(0,c.vO)({relay:o,repository:n||O,workflow:t,trigger:e});const l=`http://localhost:${i}/webhook/${t}/${e}`;const u=(0,s.R8)(l,{...S,method:"POST",path:""});return{url:a,missing:[...n?[]:[`your repository for ${O}`],...o===$?[`your relay's address for ${$}`]:[]],curl:`curl -X POST '${a}' -H "X-Platform-Authorization: $HOOKLINE_TOKEN" -H 'content-type: ${S.contentType}' -d '${S.body}'`,tryOut:["npx hookline dev",u],publish:[...r,`${doctorLine(t,n)} --relay ${o}`]}}function pollingSteps(e,{name:t,repository:o},n){const r=[`gh secret set ${e}`,...n,doctorLine(t,o)];const i=["echo .env >> .gitignore",`read -rs ${e} && echo "${e}=$${e}" >> .env`,"npx hookline dev --poll"];return{url:null,missing:[],curl:null,tryOut:i,publish:[...r,`gh workflow run ${t}.yml`]}}function pushLines({compile:e},{name:t},o){const n=o.map(({path:e})=>e);const r=[`.github/workflows/${t}.yml`];const i=void 0===e?n:[...n,...r];return[...void 0===e?[]:[e],`git add ${i.join(" ")}`,`git commit -m 'Add the workflow ${t}'`,"git push"]}function doctorLine(e,t){return`npx hookline doctor --workflow ${e}${t&&` --repository ${t}`}`}function refuseExisting(e,t){const o=t.filter(({path:t})=>(0,n.existsSync)((0,r.join)(e,t)));if(0===o.length)return;throw new a.yo(o.map(({path:e})=>({message:`${e} is there already, and nothing is overwritten`,hint:"take another --name, or move the file away"})))}function writeNew(e,t){refuseExisting(e,t);for(const{path:o,text:i}of t){(0,n.mkdirSync)((0,r.dirname)((0,r.join)(e,o)),{recursive:true});(0,n.writeFileSync)((0,r.join)(e,o),i,{flag:"wx"})}}})};