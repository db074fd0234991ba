# The host types the text of a block (typed-text.ts) when it is asked for it. __transom_read_typed_text is
# read-typed-text.sh: what fish itself reads from a terminal goes through its line editor.

function __transom_fetch
    set -l saved (command stty -g </dev/tty)
    command stty -echo -isig icanon -inlcr </dev/tty
    __transom_mark 6
    sh -c $__transom_read_typed_text </dev/tty 2>/dev/null
    command stty $saved </dev/tty
end
