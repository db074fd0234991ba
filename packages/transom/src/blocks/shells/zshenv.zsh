# The .zshenv that zsh reads from our folder, because ZDOTDIR names it. It has the values in front: the nonce, the
# folder, __transom_norc, and __transom_zdotdir, which is ZDOTDIR as the user has it and is unset if that is.

command rm -f -- "$__transom_folder/.zshenv"
if [[ -z $__transom_norc ]]; then
  if [[ -n ${__transom_zdotdir+set} ]]; then export ZDOTDIR="$__transom_zdotdir"; else unset ZDOTDIR; fi
  [[ -r "${__transom_zdotdir-$HOME}/.zshenv" ]] && . "${__transom_zdotdir-$HOME}/.zshenv"
fi
export ZDOTDIR="$__transom_folder"
