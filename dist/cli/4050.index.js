"use strict";exports.id=4050;exports.ids=[4050,1407,6133];exports.modules={5687:((e,t,o)=>{o.d(t,{FH:()=>usesLine,GW:()=>l,eh:()=>actionInputs,gu:()=>indented,uF:()=>workflowHead});var s=o(73024);var n=o(35765);var r=o(14070);var a=o(86273);var i=o(68764);var c=o(90181);const d={name:"webhook",title:"a webhook, in one workflow file",workflow:"hook",trigger:"webhook",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:webhookText(e)}]};const u={name:"bot",title:"messages to a bot, polled on a schedule",workflow:"bot",trigger:"messaging_bot",secret:"BOT_TOKEN",files:e=>[{path:`.github/workflows/${e.name}.yml`,text:botText(e)}]};const h={name:"compiled",title:"a webhook, in a file that hookline build compiles",workflow:"hook",trigger:"webhook",compile:"hookline build",files:e=>[{path:`workflows/${e.name}.yml`,text:compiledText(e)}]};const l=new Map([d,u,h].map(e=>[e.name,e]));const p="${{ '${{' }}";const v="# The action inserts secrets into `on` itself, so that they cannot change the YAML.";function actionInputs({sender:e,relay:t},o){const s=e?(0,c.Pc)(e,p,o):(0,n.As)({webhook:{method:"post",...o&&{config:o}}});const r=e?(0,c.Fj)(e):[];const a=r.map(e=>`"${e}": $\{{ toJSON(secrets.${e}) }}`);const i=a.length>0?[v,`secrets: '{${a.join(", ")}}'`]:[];const d=isPublic(t)?[`relay-url: ${t}`]:[];return[...i,...d,"on: |",indented(s.trimEnd(),2)].join("\n")}function isPublic(e){return e.startsWith("https://")}function webhookText(e){const{sender:t,uses:o}=e;const[s,n]="webhook"===(0,c.ix)(t??{})?["BODY","body"]:["ON","on"];const{head:r,condition:a}=workflowHead(e);return`${r}
permissions:
  contents: read

jobs:
  react:
${indented(a,4)}
    runs-on: ubuntu-latest
    steps:
${indented(usesLine(o),6)}
        id: hookline
        with:
${indented(actionInputs(e),10)}

      # Pass untrusted input by env:, never inside the script.
      - if: steps.hookline.outputs.triggered == 'true'
        env:
          ${s}: $\{{ steps.hookline.outputs.${n} }}
        run: echo "$${s}"
`}function workflowHead({name:e,sender:t,dispatch:o}){const{listens:s,condition:i}="workflow"===o?m:dispatched(`${e}/${(0,c.ix)(t??{})}`);const d=`name: ${(0,n.As)(e).trim()}
${(0,a.n)(e,o&&(0,r.Pt)(o))}
on:
${indented(s,2)}
`;return{head:d,condition:i}}const m={listens:`workflow_dispatch:
  inputs:
    ${r.Xy}:
      description: The relay sets this input. Leave it empty for a manual run.
      type: string`,condition:`# The input is empty in a manual run.
if: inputs.${r.Xy} != ''`};function dispatched(e){return{listens:`repository_dispatch:
  types: [webhook]`,condition:`if: startsWith(github.event.client_payload.path, '${e}')`}}function usesLine(e=(0,i.T)()){return`- uses: ${e}`}function indented(e,t){return e.replace(/^(?=.)/gm," ".repeat(t))}function botText({name:e,uses:t}){return`name: ${(0,n.As)(e).trim()}
on:
  schedule:
    # Each hour, because a poll costs a minute in a private repository. In a public one, it is free: '*/5 * * * *'.
    - cron: '17 * * * *'
  workflow_dispatch:

permissions: {}

# Concurrent polls would get the same messages, so runs wait for each other.
concurrency:
  group: ${(0,n.As)(e).trim()}
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
`}function replyAction(e=(0,i.T)()){return e.replace("@","/reply@")}const b="node_modules/hookline/schema/hookline-workflow.json";function compiledText({name:e,sender:t,dispatch:o,uses:d,relay:u,forge:h}){const l=(0,c.ix)(t??{});const p=t?(0,c.Pc)(t):(0,n.As)({webhook:{method:"post"}});const[v,m]="webhook"===l?["BODY",".body"]:["ITEM",""];const f=(0,i.X)();const g="unknown"===f?"main":`v${f}`;const w=(0,s.existsSync)(b)?`../${b}`:`https://raw.githubusercontent.com/hookline/hookline/${g}/schema/hookline-workflow.json`;return`# yaml-language-server: $schema=${w}
name: ${(0,n.As)(e).trim()}
${(0,a.n)(e,o&&(0,r.Pt)(o))}
${settingsText({dispatch:o,uses:d,relay:u,forge:h})}on:
${indented(p.trimEnd(),2)}

jobs:
  react:
    runs-on: ubuntu-latest
    steps:
      # Pass untrusted input by env:, never inside the script.
      - env:
          ${v}: $\{{ toJSON(on.${l}.outputs${m}) }}
        run: echo "$${v}"
`}function settingsText({dispatch:e,uses:t,relay:o,forge:s}){const n=[...void 0===s?[]:[`forge: ${s}`],..."workflow"===e?[`dispatch: ${e}`]:[],...void 0===t?[]:[`uses: ${t}`],...isPublic(o)?[`relay-url: ${o}`]:[]];return 0===n.length?"":`hookline:\n${indented(n.join("\n"),2)}\n`}}),33788:((e,t,o)=>{o.d(t,{SENDERS:()=>e_,h:()=>senderNamed});var s=o(35254);var n=o(89297);var r=o(59691);var a=o(92407);var i=o(61684);var c=o(29616);var d=o(5984);var u=o(3486);var h=o(36928);var l=o(82991);var p=o(28613);var v=o(44912);var m=o(80368);var b=o(11181);var f=o(41221);var g=o(78357);var w=o(51787);var _=o(11795);var y=o(73638);var x=o(4246);var k=o(78742);var I=o(62217);var S=o(51711);var $=o(83761);var T=o(26317);var O=o(53694);var E=o(71482);var A=o(32517);var R=o(12136);var N=o(10524);var j=o(22111);var G=o(45150);var L=o(15280);var M=o(61104);var P=o(78281);var C=o(6740);var K=o(65396);var H=o(34332);var Y=o(22331);var q=o(85521);var U=o(92474);var B=o(97361);var V=o(15355);var z=o(71703);var D=o(3319);var F=o(25894);var W=o(70255);var J=o(34851);var X=o(6066);var Z=o(32067);var Q=o(90273);var ee=o(5681);var et=o(47998);var eo=o(96843);var es=o(3796);var en=o(75912);var er=o(22674);var ea=o(82452);var ei=o(19435);var ec=o(15299);var ed=o(3210);var eu=o(6483);var eh=o(53705);var el=o(73278);var ep=o(12431);var ev=o(17198);var em=o(66103);var eb=o(29857);var ef=o(17293);var eg=o(89526);const ew={adyen:s.Ix,airtable:n.Ix,asana:r.Ix,"aws-sns":a.Ix,"azure-event-grid":i.Ix,bitbucket:c.Ix,box:d.Ix,buildkite:u.Ix,calcom:h.Ix,calendly:l.Ix,circleci:p.Ix,clerk:v.I,clickup:m.Ix,contentful:b.Ix,discord:f.Ix,docusign:g.Ix,dropbox:w.Ix,feishu:_.Ix,ghost:y.Ix,github:x.Ix,gitlab:k.Ix,"google-calendar":I.Ix,"google-drive":S.Ix,"google-form":$.Ix,grafana:T.Ix,hubspot:O.Ix,intercom:E.Ix,jira:A.Ix,lemonsqueezy:R.Ix,linear:N.Ix,mailchimp:j.Ix,mailgun:G.Ix,meta:L.Ix,"microsoft-graph":M.Ix,monday:P.Ix,netlify:C.Ix,notion:K.Ix,okta:H.Ix,openai:Y.I,paddle:q.Ix,pagerduty:U.Ix,persona:B.Ix,plaid:V.Ix,razorpay:z.Ix,recurly:D.Ix,resend:F.I,sanity:W.Ix,sendgrid:J.Ix,sentry:X.Ix,shopify:Z.Ix,slack:Q.Ix,smartsheet:ee.Ix,square:et.Ix,"standard-webhooks":eo.Ix,storyblok:es.Ix,strapi:en.Ix,strava:er.Ix,stripe:ea.Ix,supabase:ei.I,teams:ec.Ix,telegram:ed.Ix,trello:eu.Ix,twilio:eh.Ix,twitch:el.Ix,typeform:ep.Ix,vercel:ev.Ix,webflow:em.Ix,woocommerce:eb.Ix,zendesk:ef.Ix,zoom:eg.Ix};const e_=Object.entries(ew).map(([e,t])=>({name:e,...t})).sort((e,t)=>e.title.localeCompare(t.title,"en"));function senderNamed(e){const t=e.replaceAll("_","-");return e_.find(e=>e.name===t)}}),61684:((e,t,o)=>{o.d(t,{Ix:()=>i,eR:()=>d,gk:()=>c});var s=o(38178);var n=o(4342);var r=o(51624);var a=o(72748);const i={title:"Azure Event Grid",scheme:"token",options:{query:"key"},secret:"EVENT_GRID_KEY",shown:"a string that you choose and add to the URL as `key=\u2026`",handshake:"relay",retries:"By default, Event Grid makes up to 30 attempts within a day. After 400, 401, 403 or 413 it makes no other.",events:["body.eventType","Microsoft.Storage.BlobCreated"]};const c={method:"POST",challenge:({headers:e,body:t})=>{if("SubscriptionValidation"!==(0,s.Z)(e,"aeg-event-type"))return;const o=(0,a.IL)(t);const[n,...i]=Array.isArray(o)?o:[];const c=(0,r.Gv)(n)&&0===i.length?n.data:void 0;return(0,r.Gv)(c)?c.validationCode:void 0},answer:e=>(0,n.Yf)({validationResponse:e})};const d={blob_created:({id:e,now:t})=>({headers:{"aeg-event-type":"Notification"},body:[{id:e,topic:"/subscriptions/1/resourceGroups/a/providers/Microsoft.Storage/storageAccounts/b",subject:"/blobServices/default/containers/c/blobs/d.txt",eventType:"Microsoft.Storage.BlobCreated",eventTime:t.toISOString(),data:{api:"PutBlob",contentType:"text/plain"}}]})}}),44912:((e,t,o)=>{o.d(t,{I:()=>s,e:()=>n});const s={title:"Clerk",scheme:"standard-webhooks",secret:"CLERK_SIGNING_SECRET",shown:"the *Signing Secret* of the endpoint, `whsec_\u2026`",retries:"Clerk retries seven times within 28 hours.",repeat:"headers.svix-id",events:["body.type","user.created","user.updated"]};const n={"user.created":({now:e})=>({body:{type:"user.created",object:"event",timestamp:e.getTime(),data:{id:"user_29w83sxmDNGwOuEthce5gg56FcC",first_name:"Ada"}}})}}),83761:((e,t,o)=>{o.d(t,{Ix:()=>s,MY:()=>a,eR:()=>r});const s={title:"Google Forms",trigger:"google_form",scheme:"standard-webhooks",secret:"FORM_SECRET",shown:"the value `whsec_\u2026` that the script of the form creates",retries:"The script retries four times within 21 seconds after 429 and 5xx. Then Google sends an email to the owner of the form.",repeat:"event_id"};const n={id:0x34dc7e8f,title:"Name",type:"TEXT",index:0};const r={response:({id:e,now:t})=>({body:{event_id:e,event_type:"form_response",form_response:{form_id:"118EoaS7eK2qvWv8tQy3xLKa",email:"ada@example.com",submitted_at:t.toISOString(),definition:{title:"Registration",fields:[n]},answers:[{response:"Ada",field:n}]}}})};const a={click:"Google Forms has no webhooks, so a script of the form posts each response.\n\n1. In the form, open the three dots > *Apps Script*. Replace the code by [google-form.gs](google-form.gs).\n2. Open *Project Settings > Script Properties*. Set `HOOKLINE_URL` to the URL. If the URL contains `?__token=\u2026`, set `HOOKLINE_URL` to the part before the question mark, and `HOOKLINE_CREDENTIAL` to the token. The script then sends the token in a header.\n3. Run `setUp` once, and allow the requested permissions. `setUp` writes the secret to the log.\n\n",outputs:"`answers_map` contains the answers by the title of their question; several choices are a list. `form_response` contains `form_id`, `email` (if the form collects it), `submitted_at`, `definition` and `answers`. `event_type` is `form_response`, and `event_id` is Google's id of the response.",signature:"The script signs the id, the time and the body with HMAC-SHA256, as [Standard Webhooks](standard-webhooks.md) says. `scheme: standard-webhooks` verifies the signature.",retries:"An edited response has the same id."}}),22111:((e,t,o)=>{o.d(t,{Ix:()=>s,MY:()=>r,eR:()=>n});const s={title:"Mailchimp",scheme:"token",options:{query:"key"},secret:"MAILCHIMP_KEY",shown:"a string that you choose and add to the URL as `key=\u2026`",handshake:"both",retries:"Mailchimp retries for up to 75 minutes. Mailchimp waits ten seconds for a response, and a 410 disables the webhook.",events:["body.type","subscribe","unsubscribe","profile"]};const n={subscribe:({now:e})=>({headers:{"content-type":"application/x-www-form-urlencoded"},body:new URLSearchParams({type:"subscribe",fired_at:e.toISOString().slice(0,19).replace("T"," "),"data[id]":"8a25ff1d98","data[list_id]":"a6b5da1054","data[email]":"ada@example.com"}).toString()})};const r={notes:"Mailchimp does not sign requests. Mailchimp tests the URL with a GET request, which fires nothing because the trigger has `method: post`."}}),34332:((e,t,o)=>{o.d(t,{Ix:()=>r,eR:()=>i,gk:()=>a});var s=o(38178);var n=o(4342);const r={title:"Okta",scheme:"token",options:{header:"authorization"},secret:"OKTA_HOOK_SECRET",shown:"the *Authentication secret* of the event hook, which you choose",handshake:"relay",retries:"Okta retries once after a timeout.",repeat:"eventId",events:["body.data.events.eventType","user.session.start","user.lifecycle.create"]};const a={method:"GET",challenge:({headers:e})=>(0,s.Z)(e,"x-okta-verification-challenge"),answer:e=>(0,n.Yf)({verification:e})};const i={"user.session.start":({id:e,now:t})=>({body:{eventType:"com.okta.event_hook",eventId:e,eventTime:t.toISOString(),data:{events:[{eventType:"user.session.start",displayMessage:"User login to Okta"}]}}})}}),22331:((e,t,o)=>{o.d(t,{I:()=>n,e:()=>r});var s=o(14595);const n={title:"OpenAI",scheme:"standard-webhooks",secret:"OPENAI_WEBHOOK_SECRET",shown:"the signing secret that is shown once, `whsec_\u2026`",retries:"OpenAI retries for up to three days.",repeat:"headers.webhook-id",events:["body.type","response.completed","batch.completed"]};const r={"response.completed":({id:e,now:t})=>({body:{id:`evt_${e.replaceAll("-","")}`,object:"event",created_at:(0,s.Y)(t),type:"response.completed",data:{id:"resp_abc123"}}})}}),25894:((e,t,o)=>{o.d(t,{I:()=>s,e:()=>n});const s={title:"Resend",scheme:"standard-webhooks",secret:"RESEND_SIGNING_SECRET",shown:"the *Signing secret* of the webhook, `whsec_\u2026`",retries:"Resend retries seven times within 28 hours.",repeat:"headers.svix-id",events:["body.type","email.delivered","email.bounced"]};const n={"email.delivered":({now:e})=>({body:{type:"email.delivered",created_at:e.toISOString(),data:{email_id:"56761188-7520-42d8-8898-ff6fc54ce618",subject:"Hello",to:["a@b.example"]}}})}}),75912:((e,t,o)=>{o.d(t,{Ix:()=>s,MY:()=>r,eR:()=>n});const s={title:"Strapi",scheme:"bearer",secret:"STRAPI_TOKEN",shown:"a string that you choose and send as the header `Authorization: Bearer \u2026`",retries:"Strapi does not retry.",events:["body.event","entry.create","entry.update","entry.publish"]};const n={"entry.create":({now:e})=>({headers:{"x-strapi-event":"entry.create"},body:{event:"entry.create",createdAt:e.toISOString(),model:"address",uid:"api::address.address",entry:{id:1,city:"Paris"}}})};const r={notes:"Set the header at the webhook under *Settings > Webhooks*, or for all webhooks in `config/server`, as `webhooks.defaultHeaders`."}}),22674:((e,t,o)=>{o.d(t,{Ix:()=>a,MY:()=>d,eR:()=>c,gk:()=>i});var s=o(4342);var n=o(72748);var r=o(14595);const a={title:"Strava",scheme:"token",options:{query:"key"},secret:"STRAVA_KEY",shown:"a string that you choose and add to the `callback_url` as `key=\u2026`",handshake:"relay",retries:"Strava sends up to three requests. Strava waits two seconds for a response.",events:["body.aspect_type","create","update"]};const i={method:"GET",isNarrow:true,challenge:({path:e})=>{const t=(0,n.E2)(e,"hub.");const o=t?.get("hub.mode")==="subscribe";return o&&"STRAVA"===(0,n.j6)(t,"hub.verify_token")?(0,n.j6)(t,"hub.challenge"):void 0},answer:e=>(0,s.Yf)({"hub.challenge":e})};const c={activity_created:({now:e})=>({body:{aspect_type:"create",event_time:(0,r.Y)(e),object_id:0x5111e9ac,object_type:"activity",owner_id:134815,subscription_id:120475,updates:{}}})};const d={notes:"Use `STRAVA` as the `verify_token` of the subscription, so that the relay answers the challenge with JSON. Strava does not sign requests."}}),19435:((e,t,o)=>{o.d(t,{I:()=>s,e:()=>n});const s={title:"Supabase (auth hooks)",scheme:"standard-webhooks",secret:"SUPABASE_HOOK_SECRET",shown:"the secret of the hook, `v1,whsec_\u2026`",retries:"Supabase retries three times after 429 and 503.",repeat:"headers.webhook-id"};const n={send_email:()=>({body:{user:{id:"8484b834-f29e-4af2-bf42-80644d154f76",email:"ada@example.com"},email_data:{email_action_type:"signup"}}})}}),89187:((e,t,o)=>{o.d(t,{Gt:()=>n,M3:()=>retiredActionReason,Oc:()=>actionReference,RK:()=>actionVersion,YO:()=>currentVersion});const s={"actions/cache":{current:"v5",node24:5,served:4},"actions/cache/restore":{current:"v5",node24:5,served:4},"actions/cache/save":{current:"v5",node24:5,served:4},"actions/checkout":{current:"v6",node24:5},"actions/download-artifact":{current:"v7",node24:7,served:4},"actions/github-script":{current:"v8",node24:8},"actions/labeler":{current:"v6",node24:6},"actions/setup-dotnet":{current:"v5",node24:5},"actions/setup-go":{current:"v6",node24:6},"actions/setup-java":{current:"v5",node24:5},"actions/setup-node":{current:"v6",node24:5},"actions/setup-python":{current:"v6",node24:6},"actions/stale":{current:"v10",node24:10},"actions/upload-artifact":{current:"v6",node24:6,served:4},"anthropics/claude-code-action":{current:"v1"},"docker/build-push-action":{current:"v7",node24:7},"docker/login-action":{current:"v4",node24:4},"docker/setup-buildx-action":{current:"v4",node24:4},"google-github-actions/run-gemini-cli":{current:"v0"},"openai/codex-action":{current:"v1"}};function actionReference(e){return`${e}@${s[e].current}`}function currentVersion(e){return versionsOf(e)?.current}function actionVersion(e){const[,t]=/@v?(\d{1,3})(?:\.\d+){0,2}$/.exec(e)??[];return void 0===t?void 0:Number(t)}function retiredActionReason(e,t){const{served:o=0,node24:s=0}=versionsOf(e)??{};if(t<o)return"uses a service that GitHub has shut down";return t<s?"needs Node 20 or older, which GitHub removed on 2026-09-23":void 0}function versionsOf(e){return Object.hasOwn(s,e)?s[e]:void 0}const n=new Map([["ubuntu-18.04",{since:"2023-04-03",use:"ubuntu-latest"}],["ubuntu-20.04",{since:"2025-04-15",use:"ubuntu-latest"}],["macos-11",{since:"2024-06-28",use:"macos-latest"}],["macos-12",{since:"2024-12-03",use:"macos-latest"}],["macos-13",{since:"2025-12-08",use:"macos-15-intel"}],["macos-14",{since:"2026-11-02",use:"macos-latest"}],["windows-2019",{since:"2025-06-30",use:"windows-latest"}]])})};