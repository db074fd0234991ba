import type { CompletionTable, Described } from './completion-table.ts'

/**
 * Three scripts with one plan: walk over the words before the cursor to find the command and how many arguments it
 * has, then ask one `case` for what an option takes, one for what an argument is, or one for the options.
 */

export function bashScript(table: CompletionTable): string {
  return `${bashLookups(table)}
${bashFunction(table)}`
}

export function zshScript(table: CompletionTable): string {
  return `${zshLookups(table)}
${zshFunction(table)}`
}

export function fishScript(table: CompletionTable): string {
  return `${fishLookups(table)}
${fishFunction(table)}`
}

function bashLookups(table: CompletionTable): string {
  return `# Completion of transom for bash: source <(transom completion bash)
_transom_value() { # COMMAND OPTION: what the option takes
  case "$1 $2" in
${valueCases(table)}
  esac
}
_transom_argument() { # COMMAND COUNT: what stands behind that many arguments
  case "$1 $2" in
${argumentCases(table)}
  esac
}
_transom_options() { # COMMAND
  case $1 in
${optionCases(table, wordList)}
  esac
  reply+=' ${wordList(table.globalFlags)}'
}`
}

function bashFunction(table: CompletionTable): string {
  return `_transom() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local command= count=0 dashes= home=() reply= word i
  # bash takes --option=value for three words.
  [[ $prev == = ]] && prev=\${COMP_WORDS[COMP_CWORD - 2]}
  [[ $cur == = ]] && cur=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      dashes=1
    elif [[ $word == -* && -z $dashes ]]; then
      reply=
      _transom_value "$command" "$word"
      [[ -n $reply ]] || continue
      [[ \${COMP_WORDS[i + 1]} == = ]] && ((i++))
      ((i++))
      [[ $word == --home ]] && home=(--home "\${COMP_WORDS[i]/#\\~/$HOME}")
    elif [[ -z $command ]]; then
      command=$word
    else
      case $command in
${groupCases(table)}
        *) ((count++)) ;;
      esac
    fi
  done
  reply=
  [[ $prev == -* && -z $dashes ]] && _transom_value "$command" "$prev"
  if [[ -n $reply ]]; then
    :
  elif [[ $cur == -* && -z $dashes && ($count -eq 0 || $command != create) ]]; then
    _transom_options "$command"
  elif [[ -z $command ]]; then
    reply='${wordList(table.firstWords)}'
  else
    _transom_argument "$command" "$count"
  fi
  case $reply in
    @sessions)
      reply=
      while IFS=$'\\t' read -r word _; do reply+=" $word"; done \\
        < <("\${COMP_WORDS[0]}" "\${home[@]}" __complete sessions 2>/dev/null)
      ;;
    @files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); return ;;
    @folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
    @programs) mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return ;;
    @any) reply= ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$reply" -- "$cur")
  [[ \${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _transom transom agent-tty`
}

function zshLookups(table: CompletionTable): string {
  return `#compdef transom agent-tty
# Completion of transom for zsh: source <(transom completion zsh), or this file as _transom in a folder of $fpath
_transom_value() { # COMMAND OPTION: what the option takes
  case "$1 $2" in
${valueCases(table)}
  esac
}
_transom_argument() { # COMMAND COUNT: what stands behind that many arguments
  case "$1 $2" in
${argumentCases(table)}
  esac
}
_transom_options() { # COMMAND
  case $1 in
${optionCases(table, zshArray, 'described=', '')}
  esac
  described+=${zshArray(table.globalFlags)}
}`
}

function zshFunction(table: CompletionTable): string {
  return `_transom() {
  local command= count=0 dashes= reply= word i line
  local -a home described
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -- ]]; then
      dashes=1
    elif [[ $word == --home=* ]]; then
      home=(--home "\${\${(Q)word#*=}/#\\~/$HOME}")
    elif [[ $word == -*=* && -z $dashes ]]; then
      continue
    elif [[ $word == -* && -z $dashes ]]; then
      reply=
      _transom_value "$command" "$word"
      [[ -n $reply ]] || continue
      ((i++))
      [[ $word == --home ]] && home=(--home "\${\${(Q)words[i]}/#\\~/$HOME}")
    elif [[ -z $command ]]; then
      command=$word
    else
      case $command in
${groupCases(table)}
        *) ((count++)) ;;
      esac
    fi
  done
  reply=
  if [[ -z $dashes && \${words[CURRENT]} == --*=* ]]; then
    _transom_value "$command" "\${words[CURRENT]%%=*}"
    compset -P '*='
  elif [[ -z $dashes && \${words[CURRENT - 1]} == -* ]]; then
    _transom_value "$command" "\${words[CURRENT - 1]}"
  fi
  if [[ -n $reply ]]; then
    :
  elif [[ $PREFIX == -* && -z $dashes && ($count -eq 0 || $command != create) ]]; then
    _transom_options "$command"
    _describe -o option described
    return
  elif [[ -z $command ]]; then
    described=${zshArray(table.firstWords)}
    _describe command described
    return
  else
    _transom_argument "$command" "$count"
  fi
  case $reply in
    @sessions)
      for line in "\${(@f)$(_call_program sessions "\${(q)words[1]}" "\${(q)home[@]}" __complete sessions 2>/dev/null)}"; do
        [[ -n $line ]] && described+=("\${line/$'\\t'/:}")
      done
      _describe session described
      ;;
    @files) _files ;;
    @folders) _files -/ ;;
    @programs) _command_names -e ;;
    @any | '') return 1 ;;
    *) compadd -- \${=reply} ;;
  esac
}
if [[ $funcstack[1] == _transom ]]; then
  _transom "$@"
else
  compdef _transom transom agent-tty
fi`
}

function fishLookups(table: CompletionTable): string {
  return `# Completion of transom for fish: transom completion fish | source
function __transom_value -a command option # what the option takes
    switch "$command $option"
${fishCases(valueRows(table))}
    end
end
function __transom_argument -a command count # what stands behind that many arguments
    switch "$command $count"
${fishCases(argumentRows(table))}
    end
end
function __transom_options -a command
    switch $command
${table.commands.map(({ command, flags }) => fishDescribed(command, flags)).join('\n')}
    end
    printf '%s\\t%s\\n' ${table.globalFlags.map(fishPair).join(' ')}
end
function __transom_offer -a place current
    switch "$place"
        case @files
            __fish_complete_path $current
        case @folders
            __fish_complete_directories $current
        case @programs
            __fish_complete_path $current
            complete -C (string escape -- $current) | string match -v -- '-*'
        case @any ''
        case '*'
            string split ' ' -- $place
    end
end`
}

function fishFunction(table: CompletionTable): string {
  return `function __transom_complete
    set -l command ''
    set -l count 0
    set -l dashes
    set -l home
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -l option
    for word in $words[2..-1]
        if set -q option[1]
            test "$option" = --home; and set home --home (string replace -r '^~' -- "$HOME" $word)
            set -e option
        else if test "$word" = --
            set dashes 1
        else if string match -q -- '--home=*' $word
            set home --home (string replace -- --home= '' $word | string replace -r '^~' -- "$HOME")
        else if string match -q -- '-*' $word; and not set -q dashes[1]
            string match -q -- '*=*' $word; or test -z (__transom_value "$command" $word); or set option $word
        else if test -z "$command"
            set command $word
        else
            switch $command
${table.groups.map(({ first }) => `                case ${fishQuote(first)}\n                    set command "$command $word"`).join('\n')}
                case '*'
                    set count (math $count + 1)
            end
        end
    end
    if set -q option[1]
        __transom_offer (__transom_value "$command" $option) $current
    else if string match -q -- '--*=*' $current; and not set -q dashes[1]
        set option (string split -m 1 = -- $current)
        printf "$option[1]=%s\\n" (__transom_offer (__transom_value "$command" $option[1]) $option[2])
    else if string match -q -- '-*' $current; and not set -q dashes[1]
        __transom_options "$command"
    else if test -z "$command"
        printf '%s\\t%s\\n' ${table.firstWords.map(fishPair).join(' ')}
    else
        set -l place (__transom_argument "$command" $count)
        if test "$place" = @sessions
            $program $home __complete sessions 2>/dev/null
        else
            __transom_offer "$place" $current
        end
    end
end
complete -c transom -f -a '(__transom_complete)'
complete -c agent-tty -f -a '(__transom_complete)'`
}

/** A pattern, and what it is answered with. */
type CaseRow = readonly [pattern: string, place: string]

function valueRows({ commands }: CompletionTable): CaseRow[] {
  return [
    ...commands.flatMap(({ command, values }) =>
      values.map(({ flag, place }): CaseRow => [`${command} ${flag}`, place]),
    ),
    ['* --home', '@folders'],
  ]
}

function argumentRows({ groups, commands }: CompletionTable): CaseRow[] {
  return [
    ...groups.map(({ first, seconds }): CaseRow => [`${first} 0`, wordList(seconds)]),
    ...commands.flatMap(({ command, positionals, rest }) => [
      ...positionals.map((place, index): CaseRow => [`${command} ${index}`, place]),
      ...(rest === null ? [] : [[`${command} *`, rest] as const]),
    ]),
  ]
}

function valueCases(table: CompletionTable): string {
  return shellCases(valueRows(table))
}

function argumentCases(table: CompletionTable): string {
  return shellCases(argumentRows(table))
}

function shellCases(rows: readonly CaseRow[]): string {
  return rows
    .map(([pattern, place]) => `    ${shellPattern(pattern)}) reply=${shellQuote(place)} ;;`)
    .join('\n')
}

function optionCases(
  { commands }: CompletionTable,
  spell: (flags: readonly Described[]) => string,
  assign = 'reply=',
  quote = "'",
): string {
  return commands
    .map(({ command, flags }) => `    ${shellQuote(command)}) ${assign}${quote}${spell(flags)}${quote} ;;`)
    .join('\n')
}

function groupCases({ groups }: CompletionTable): string {
  return groups.map(({ first }) => `        ${shellQuote(first)}) command+=" $word" ;;`).join('\n')
}

function wordList(words: readonly Described[]): string {
  return words.map(({ word }) => word).join(' ')
}

function zshArray(words: readonly Described[]): string {
  const items = words.map(({ word, description }) =>
    shellQuote(`${word.replaceAll(':', '\\:')}:${description}`),
  )
  return `(${items.join(' ')})`
}

function fishCases(rows: readonly CaseRow[]): string {
  return rows
    .map(([pattern, place]) => `        case ${fishQuote(pattern)}\n            echo ${fishQuote(place)}`)
    .join('\n')
}

function fishDescribed(command: string, words: readonly Described[]): string {
  const pairs = words.length === 0 ? '' : `\n            printf '%s\\t%s\\n' ${words.map(fishPair).join(' ')}`
  return `        case ${fishQuote(command)}${pairs}`
}

function fishPair({ word, description }: Described): string {
  return `${fishQuote(word)} ${fishQuote(description)}`
}

/** Quoted but for a star. */
function shellPattern(pattern: string): string {
  return pattern
    .split('*')
    .map((part) => (part === '' ? '' : shellQuote(part)))
    .join('*')
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function fishQuote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
