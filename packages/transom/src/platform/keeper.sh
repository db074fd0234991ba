# shellcheck shell=sh
# Reads until the host reports an orderly exit, or has died (end of file). In the second case it kills every process
# that carries the host's mark, until it has found none several times in a row, and removes the folders that the host has
# named. Arguments: the host's mark, how many bits of a mark are the session's, how many listings must be empty, and the
# folder with the host's control groups (empty if it has none), where what has lost its mark is found (ADR 051).
#
# The rounds are bounded, because a zombie that is never reaped keeps its mark. A process without a mark never gets one,
# and is looked at only once: a round must be faster than a process that forks and ends.

host_mark=$1 session_bits=$2 empty_listings=$3 groups=$4
shift 4
while IFS= read -r line; do
  case $line in leave) exit 0 ;; /*) set -- "$@" "$line" ;; esac
done

# Kills all in the groups below it, whatever they fork meanwhile (Linux 5.14).
if [ -n "$groups" ] && [ -w "$groups/cgroup.kill" ]; then echo 1 >"$groups/cgroup.kill"; fi

round=0 empty=0 unmarked=' '
while [ "$empty" -lt "$empty_listings" ] && [ "$round" -lt 500 ]; do
  empty=$((empty + 1)) round=$((round + 1))
  for folder in /proc/[0-9]*; do
    pid=${folder#/proc/}
    case $unmarked in *" $pid "*) continue ;; esac
    # The line of the limit is "Max realtime timeout SOFT HARD us".
    while read -r _ name kind soft _; do
      [ "$name $kind" = 'realtime timeout' ] || continue
      if [ "$soft" != unlimited ] && [ $((soft >> session_bits)) -eq "$host_mark" ]; then
        kill -KILL "$pid" && empty=0
      else
        unmarked="$unmarked$pid "
      fi
      break
    done <"$folder/limits"
  done 2>/dev/null
done
if [ -n "$groups" ]; then rmdir "$groups"/* "$groups" 2>/dev/null; fi
[ $# -eq 0 ] || rm -rf -- "$@"
