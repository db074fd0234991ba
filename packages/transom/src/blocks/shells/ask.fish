# What a running fish evaluates to be integrated: asks the host for the script and evaluates it. It is typed or pasted as
# one line: the lines of this file, joined by `;`. INVITATION stands for a nonce that is good for one question, and
# READ_TYPED_TEXT for read-typed-text.sh.

begin
set -l tty (stty -g </dev/tty)
stty -echo -isig </dev/tty
printf '\e]7717;INVITATION;6\a' >/dev/tty
set -l script (sh -c READ_TYPED_TEXT </dev/tty | string collect)
stty $tty </dev/tty
eval $script
end
