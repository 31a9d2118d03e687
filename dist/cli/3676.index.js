"use strict";exports.id=3676;exports.ids=[3676];exports.modules={53676:((e,n,t)=>{t.r(n);t.d(n,{completionCommand:()=>completionCommand});var o=t(48179);var i=t(79815);const s={candidates:[],files:false};async function completionOf(e,n,t){const o=n.filter((e,t)=>"="!==e||t===n.length-1);const i="="===o.at(-1)?"":o.at(-1)??"";const{command:a,waiting:l,arguments:r,isOver:c}=placeAfter(e,o.slice(0,-1));if(l)return valuesOf(l,i,"",t);if(!c&&i.startsWith("-")){const[,e="",n]=/^(--[^=]+)=(.*)$/.exec(i)??[];const o=optionNamed(a,e);if(void 0===n)return{candidates:flagsOf(a,i),files:false};return o?valuesOf(o,n,`${e}=`,t):s}if(0===r.length&&a.commands.length>0){const e=a.createHelp().visibleCommands(a);const n=e.map(e=>({value:e.name(),about:e.description()}));return{candidates:startingWith(i,n),files:false}}const{registeredArguments:m}=a;const d=m[r.length]??m.at(-1);const f=r.length>=m.length&&!d?.variadic;return d&&!f?valuesOf(d,i,"",t):s}function placeAfter(e,n){let t=e;let o;const i=[];for(const[e,s]of n.entries()){if("--"===s)return{command:t,waiting:void 0,arguments:n.slice(e+1),isOver:true};if(o){o=o.variadic?o:void 0;if(!s.startsWith("-"))continue}if(s.startsWith("-")){const e=optionNamed(t,s);o=e&&(e.required||e.optional)?e:void 0;continue}const a=0===i.length?commandNamed(t,s):void 0;if(a)t=a;else i.push(s)}return{command:t,waiting:o,arguments:i,isOver:false}}function commandNamed(e,n){return e.commands.find(e=>e.name()===n)}function optionNamed(e,n){return e.options.find(({long:e,short:t})=>""!==n&&(n===e||n===t))}function flagsOf(e,n){const t=e.createHelp().visibleOptions(e);const o=t.map(({long:e,short:n,description:t})=>({value:e??n??"",about:t}));return startingWith(n,o)}async function valuesOf(e,n,t,o){const i=placeName(e);if(a.has(i))return{candidates:[],files:true};const s=e.argChoices??await o(i);const l=startingWith(n,s.map(e=>({value:e,about:""})));return{candidates:l.map(e=>({...e,value:t+e.value})),files:false}}const a=new Set(["file","files","folder","glob"]);function placeName(e){if(!("flags"in e))return e.name();const[,n=""]=/[<[]([^>\].]+)/.exec(e.flags)??[];return"name"===n?(e.long??"").slice(2):n}function startingWith(e,n){return n.filter(({value:n})=>n.startsWith(e))}const l="hookline completion words --";const r=":files";const c=`_hookline() {
  local line cur="$\{COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = '${r}' ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$\{cur#=}")
    elif [ -n "$line" ]; then
      COMPREPLY+=("$\{line%%$'\\t'*}")
    fi
  done < <(${l} "$\{COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hookline hookline`;const m=`#compdef hookline
_hookline() {
  local line files=0
  local -a values
  while IFS= read -r line; do
    if [[ $line == '${r}' ]]; then
      files=1
    elif [[ -n $line ]]; then
      values+=("$\{$\{line%%$'\\t'*}//:/\\\\:}:$\{line#*$'\\t'}")
    fi
  done < <(${l} "$\{(@)words[2,CURRENT]}" 2>/dev/null)
  (( files )) && _files
  (( $#values )) && _describe hookline values
}
compdef _hookline hookline`;const d=`function __hookline_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (${l} $words[2..] "$current" 2>/dev/null)
        if test "$line" = '${r}'
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c hookline -f -a '(__hookline_complete)'`;const f=`Register-ArgumentCompleter -Native -CommandName hookline -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or $_.Extent.Text -eq $wordToComplete } |
    ForEach-Object { $_.Extent.Text })
  # An empty argument does not reach a program from every version: a space stands for it.
  if ($wordToComplete -eq '') { $words += ' ' }
  ${l} @words 2>$null | ForEach-Object {
    if ($_ -eq '${r}') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    } else {
      $value, $about = $_ -split "\`t", 2
      if (-not $about) { $about = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}`;const u=[{shell:"bash",script:c,line:"source <(hookline completion bash)",startFile:"~/.bashrc"},{shell:"zsh",script:m,line:"source <(hookline completion zsh)",startFile:"~/.zshrc, behind compinit"},{shell:"fish",script:d,line:"hookline completion fish | source",startFile:"~/.config/fish/config.fish"},{shell:"powershell",script:f,line:"hookline completion powershell | Out-String | Invoke-Expression",startFile:"$PROFILE"}];var p=t(38565);const h=`
To enable completion, add the line of your shell to its start file:
${u.map(({line:e,startFile:n})=>`  ${n}\n    ${e}`).join("\n")}

Example:
  $ hookline completion bash`;function completionCommand(e){const n=new o.uB("completion").description("print a completion script for your shell");for(const{shell:e,script:t}of u){const i=`print the script for ${e}`;n.addCommand(new o.uB(e).description(i).action(()=>(0,p.yy)(t)))}const t=new o.uB("words").description("print the candidates for the end of a command line").argument("[words...]").helpOption(false).action(async n=>{const t=n.map(e=>" "===e?"":e);const o=await e(t);const i=candidatesText(await completionOf(o,t.length>0?t:[""],PLACE_NAMES));if(""!==i)(0,p.yy)(i)});return n.addCommand(t,{hidden:true}).addHelpText("after",h)}function candidatesText({candidates:e,files:n}){const t=e.filter(({value:e})=>/^[\w.=@/-]+$/.test(e));const o=t.map(({value:e,about:n})=>`${e}	${(0,i.g$)(n)}`);return[...o,...n?[r]:[]].join("\n")}const PLACE_NAMES=async e=>{const n=await $.get(e)?.();return[...new Set(n??[])]};const $=new Map([["workflow",async()=>(await triggers()).map(({workflow:e})=>e)],["trigger",async()=>(await triggers()).map(({trigger:e})=>e)],["path",async()=>(await triggers()).map(e=>`${e.workflow}/${e.trigger}`)],["sender",senders],["example",async()=>[...(await Promise.all([t.e(7221),t.e(1204),t.e(158)]).then(t.bind(t,80158))).EXAMPLES.keys()]],["scheme",async()=>(await Promise.all([t.e(7934),t.e(1281),t.e(5194),t.e(7221),t.e(1204),t.e(5072),t.e(2566),t.e(2714)]).then(t.bind(t,16647))).SIGNATURE_NAMES],["repository",originHere],["owner/name",originHere],["kind",async()=>(await t.e(4569).then(t.bind(t,74569))).UPDATE_KINDS],["secret-env",async()=>Object.keys(process.env)]]);async function triggers(){const{triggersHere:e}=await Promise.all([t.e(7934),t.e(1281),t.e(5194),t.e(8989),t.e(7221),t.e(1204),t.e(5072),t.e(2566),t.e(3153),t.e(6677)]).then(t.bind(t,10674));return e()}async function senders(){const{SENDERS:e}=await Promise.all([t.e(7221),t.e(1204),t.e(3788)]).then(t.bind(t,33788));return e.map(({name:e})=>e)}async function originHere(){const{originRepository:e}=await Promise.all([t.e(7934),t.e(1281),t.e(5194),t.e(7221),t.e(1204),t.e(5072),t.e(2566),t.e(9628)]).then(t.bind(t,82566));const n=e();return""===n?[]:[n]}})};