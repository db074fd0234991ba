# shellcheck shell=bash
# The host puts the text of a block into a file, and types an Enter after the key.

__transom_fetch() { IFS= read -rd '' __transom_text <"$__transom_folder/next" || :; }

__transom_bind_key() {
  local map
  for map in emacs vi-insert vi-command; do
    bind -m "$map" -x '"\e[77;17~":__transom_key'
  done
}
