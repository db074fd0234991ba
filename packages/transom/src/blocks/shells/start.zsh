# The end of the script: from here on the shell reports its blocks.

if [[ -o prompt_sp && -o prompt_cr ]]; then unsetopt prompt_sp; __transom_prints_eol=1; fi
{ __transom_hook } >/dev/null 2>&1
