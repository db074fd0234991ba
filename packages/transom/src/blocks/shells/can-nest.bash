# shellcheck shell=bash
# Whether this bash, which runs inside another program, can be integrated.

__transom_refusal=
if [[ -n ${__transom_nonce_1-} ]]; then __transom_refusal='this bash is integrated already'
elif ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] < 404)); then
  __transom_refusal='bash 4.4 or later is needed to integrate it'
elif [[ :$SHELLOPTS: != *:emacs:* && :$SHELLOPTS: != *:vi:* ]]; then
  __transom_refusal='this bash has no line editor, and cannot be integrated'
fi
