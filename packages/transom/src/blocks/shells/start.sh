# shellcheck shell=sh
# The end of the file that a POSIX shell reads through ENV. The values in front of it: __transom_reads_env is 1 if ENV
# names a file of the user's that is to be read; a shell expands the parameters in that name.

if [ "$__transom_reads_env" = 1 ]; then
  eval "__transom_user_file=\"$ENV\""
  [ -r "$__transom_user_file" ] && . "$__transom_user_file"
fi
__transom_hook
