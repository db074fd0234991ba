# Begins and ends blocks in fish. text-from-file.fish or text-from-terminal.fish follows. fish-integration.ts writes the
# values in front of it: __transom_nonce_1, __transom_nonce_2, __transom_folder and __transom_edited_line. The reasons
# and the marks are those of blocks.bash. fish parses all of a text before it runs any of it: a text with a syntax error
# is evaluated with its begin mark in front, because the one inside it would not be printed.

# The status of the last command, which the next one sees in $status.
set -g __transom_status 0
# 1 while a block runs.
set -g __transom_running 0
# 1 if the end of the block was reported, and the next prompt must not report it again.
set -g __transom_told 0
# 1 if the line that runs is ours.
set -g __transom_own 0
# The half-typed line that a block was run in place of.
set -g __transom_kept ''
# What is evaluated: the call that prints the begin mark, unless the text has it, and the text.
set -g __transom_head ''
set -g __transom_text ''

function __transom_mark
    printf '\e]7717;%s%s;%s\a' $__transom_nonce_1 $__transom_nonce_2 "$argv[1]" >/dev/tty
end

function __transom_begin
    set -g __transom_running 1
    printf '\e]7717;%s%s;1;%s\a' $__transom_nonce_1 $__transom_nonce_2 $argv[1] >/dev/tty
    return $__transom_status
end

function __transom_mark_end
    __transom_mark "3;$__transom_status;"(string escape -- $PWD)
end

function __transom_end
    set -g __transom_status $status
    set -g __transom_running 0
    set -g __transom_told 1
    set -g __transom_text ''
    set -g __transom_head ''
    __transom_mark_end
    return $__transom_status
end

# Reports the begin of a command that a person typed.
function __transom_preexec --on-event fish_preexec
    test $__transom_own = 1; and return
    set -l text (string sub -l 4000 -- "$argv[1]" | string collect)
    __transom_mark "2;"(string escape -- "$text")";"(string escape -- $PWD)
end

function __transom_prompt --on-event fish_prompt
    set -l code $status
    set -g __transom_own 0
    if test $__transom_told = 1
        set -g __transom_told 0
    else
        set -g __transom_status $code
        # A block that did not reach its end was interrupted or not parsed.
        if test $__transom_running = 1 -a $code = 0
            set -g __transom_status 1
        end
        set -g __transom_running 0
        __transom_mark_end
    end
    __transom_mark "4;$__transom_status"
end

# Bound to the key of the host: replaces the line by one that runs the next block. A half-typed line is kept.
function __transom_key
    set -l line (commandline | string collect)
    test -z "$line"; or set -g __transom_kept $line
    set -l text (__transom_fetch | string collect --no-trim-newlines --allow-empty)
    test -n "$text"; or return
    set -l begin (string split -m 1 -f 1 \n -- $text)
    set -l body (string replace -r '^[^\n]*\n' '' -- $text | string collect --no-trim-newlines --allow-empty)
    commandline -r -- $body
    set -g __transom_head ''
    set -g __transom_text $text
    set -g __transom_own 1
    if not commandline --is-valid
        set -g __transom_head $begin
        set -g __transom_text $body
    end
    commandline -r -- $__transom_edited_line
    commandline -f execute
end
# Bound to another key of the host: puts the half-typed line back, before what was typed since.
function __transom_restore
    commandline -C 0
    commandline -i -- $__transom_kept
    commandline -f end-of-buffer
    set -g __transom_kept ''
end
for map in default insert visual
    bind -M $map \e\[77\;17~ __transom_key
    bind -M $map \e\[77\;20~ __transom_restore
end
