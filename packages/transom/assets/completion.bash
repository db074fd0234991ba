# Completion of transom for bash: source <(transom completion bash)
_transom() {
  local cur=${COMP_WORDS[COMP_CWORD]}
  [[ $cur == = ]] && cur=
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case ${COMPREPLY[0]} in
    @files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
    @folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
    @programs) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
    *:) compopt -o nospace 2>/dev/null ;;
  esac
  return 0
}
complete -F _transom transom agent-tty
