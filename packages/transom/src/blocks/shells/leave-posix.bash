# shellcheck shell=bash
# Makes a bash that was started as a POSIX shell, to have it read $ENV, the ordinary one that was asked for.
# __transom_env and __transom_histfile are these variables as the user has them, and are unset if the user's are.

set +o posix
shopt -u inherit_errexit 2>/dev/null
unset POSIXLY_CORRECT
if [[ -n ${__transom_env+set} ]]; then ENV=$__transom_env; else unset ENV; fi
[[ -n ${__transom_histfile+set} ]] || HISTFILE=~/.bash_history
unset __transom_env __transom_histfile
