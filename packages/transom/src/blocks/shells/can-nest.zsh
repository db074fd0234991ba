# Whether this zsh, which runs inside another program, can be integrated.

__transom_refusal=
if [[ -n ${__transom_nonce_1-} ]]; then __transom_refusal='this zsh is integrated already'
elif [[ ! -o zle ]]; then __transom_refusal='this zsh has no line editor, and cannot be integrated'
fi
