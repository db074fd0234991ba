# The .zprofile that zsh reads from our folder, after zshenv.zsh.

if [[ -z $__transom_norc ]]; then
  if [[ -n ${__transom_zdotdir+set} ]]; then export ZDOTDIR="$__transom_zdotdir"; else unset ZDOTDIR; fi
  [[ -r "${__transom_zdotdir-$HOME}/.zprofile" ]] && . "${__transom_zdotdir-$HOME}/.zprofile"
fi
export ZDOTDIR="$__transom_folder"
