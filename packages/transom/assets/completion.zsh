#compdef transom agent-tty
# Completion of transom for zsh: source <(transom completion zsh), or this file as _transom in a folder of $fpath
_transom() {
  local -a typed reply
  typed=("${(@Q)words[2,CURRENT]}")
  reply=("${(@f)$(_call_program words "${(q)words[1]}" __complete zsh "${(@q)typed}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P '*='
  case $reply[1] in
    @files) _files ;;
    @folders) _files -/ ;;
    @programs) _command_names -e ;;
    '') return 1 ;;
    *) _describe word reply ;;
  esac
}
if [[ $funcstack[1] == _transom ]]; then
  _transom "$@"
else
  compdef _transom transom agent-tty
fi
