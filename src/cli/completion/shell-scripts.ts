/** Each script asks the command line for completions: one per line, with a tab and a description. */
const ASK = 'hookline completion words --'

/** The line that says that a file fits; no value begins with a colon. */
export const FILES_LINE = ':files'

const BASH = `_hookline() {
  local line cur="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = '${FILES_LINE}' ]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${cur#=}")
    elif [ -n "$line" ]; then
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(${ASK} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _hookline hookline`

const ZSH = `#compdef hookline
_hookline() {
  local line files=0
  local -a values
  while IFS= read -r line; do
    if [[ $line == '${FILES_LINE}' ]]; then
      files=1
    elif [[ -n $line ]]; then
      values+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done < <(${ASK} "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( files )) && _files
  (( $#values )) && _describe hookline values
}
compdef _hookline hookline`

const FISH = `function __hookline_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in (${ASK} $words[2..] "$current" 2>/dev/null)
        if test "$line" = '${FILES_LINE}'
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c hookline -f -a '(__hookline_complete)'`

const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName hookline -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or $_.Extent.Text -eq $wordToComplete } |
    ForEach-Object { $_.Extent.Text })
  # An empty argument does not reach a program from every version: a space stands for it.
  if ($wordToComplete -eq '') { $words += ' ' }
  ${ASK} @words 2>$null | ForEach-Object {
    if ($_ -eq '${FILES_LINE}') {
      [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
    } else {
      $value, $about = $_ -split "\`t", 2
      if (-not $about) { $about = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}`

/** A shell, what it is given to complete, and where that line belongs. */
export interface ShellScript {
  readonly shell: string
  readonly script: string
  /** The line for its start file. */
  readonly line: string
  readonly startFile: string
}

export const SCRIPTS: readonly ShellScript[] = [
  {
    shell: 'bash',
    script: BASH,
    line: 'source <(hookline completion bash)',
    startFile: '~/.bashrc',
  },
  {
    shell: 'zsh',
    script: ZSH,
    line: 'source <(hookline completion zsh)',
    startFile: '~/.zshrc, behind compinit',
  },
  {
    shell: 'fish',
    script: FISH,
    line: 'hookline completion fish | source',
    startFile: '~/.config/fish/config.fish',
  },
  {
    shell: 'powershell',
    script: POWERSHELL,
    line: 'hookline completion powershell | Out-String | Invoke-Expression',
    startFile: '$PROFILE',
  },
]
