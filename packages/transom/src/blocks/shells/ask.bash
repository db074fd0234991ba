# shellcheck shell=bash
# What a running bash or zsh evaluates to be integrated: asks the host for the script and evaluates it. It is typed or
# pasted as one line: the lines of this file, joined by `;`. It holds no secret: INVITATION stands for a nonce that is
# good for one question. Options that would show or export the nonce, or end the shell, are off while the script is read;
# restore-options.sh, the end of the script, turns them on again. A shell on another terminal than the session's goes on
# after nine seconds.

{ __transom_options=$-;set +aeuvx;} 2>/dev/null
__transom_tty=$(stty -g </dev/tty)
stty -echo -isig </dev/tty
printf '\033]7717;INVITATION;6\007' >/dev/tty
__transom_script=
{ IFS= read -t 9 -r __transom_length
while IFS= read -t 9 -r __transom_line&&[ -n "$__transom_line" ]
do __transom_script=$__transom_script$__transom_line
done
} </dev/tty
stty "$__transom_tty" </dev/tty
[ ${#__transom_script} = "$__transom_length" ]&&eval "$(printf %b "$__transom_script")"
unset __transom_length __transom_script __transom_line __transom_tty __transom_options
