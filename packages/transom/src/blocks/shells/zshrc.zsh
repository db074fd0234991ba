# The .zshrc that zsh reads from our folder, after zprofile.zsh. blocks.zsh and others follow in the same file.

# The system's own zshrc may have put the history into our folder (macOS).
[[ ${HISTFILE-} == "$__transom_folder"/* ]] && HISTFILE="${__transom_zdotdir-$HOME}/.zsh_history"
if [[ -n ${__transom_zdotdir+set} ]]; then export ZDOTDIR="$__transom_zdotdir"; else unset ZDOTDIR; fi
[[ -z $__transom_norc && -r "${__transom_zdotdir-$HOME}/.zshrc" ]] && . "${__transom_zdotdir-$HOME}/.zshrc"
# The user's file may have changed it: what it is after it.
if [[ -n ${__transom_zdotdir+set} ]]; then export ZDOTDIR="$__transom_zdotdir"; else unset ZDOTDIR; fi
unset __transom_norc __transom_zdotdir
