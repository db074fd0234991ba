#!/usr/bin/env bash
# Runs a command in a copy of this checkout as on a machine with Node, npm and Debian's essential packages alone: the
# PATH holds nothing else, the environment and the home are empty, and no Chromium is in its usual places. What is
# installed here in addition is thus hidden from it. The copy is removed afterwards. Needs root and Debian.
#
#   scripts/as-on-a-bare-machine.sh [--ordinary-user] [--offline] COMMAND [ARGUMENT…]
#
#   --ordinary-user   runs the command as "nobody", who owns the copy, instead of as root
#   --offline         npm's registry cannot be reached, so that no browser can be fetched
#
# CI is not passed on: the tests skip what needs a missing program, where they would fail with CI=true.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "$0: must be run as root, to hide programs and to change the user" >&2; exit 77; }
project=$(cd "$(dirname "$0")/.." && pwd)

user=() registry=${npm_config_registry:-}
while [[ ${1:-} == --* ]]; do
  case $1 in
    --ordinary-user) user=(setpriv --reuid=65534 --regid=65534 --clear-groups --) ;;
    --offline) registry=http://127.0.0.1:9/ ;; # the discard port: nothing listens there
    *) echo "$0: unknown option: $1" >&2; exit 64 ;;
  esac
  shift
done
[ $# -gt 0 ] || { echo "$0: which command?" >&2; exit 64; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
mkdir "$folder/bin" "$folder/home"

# Programs of packages that every Debian has.
dpkg-query -W -f '${Essential} ${Priority} ${Package}\n' | awk '$1 == "yes" || $2 == "required" { print $3 }' |
  xargs dpkg -L 2>/dev/null | grep -E '^(/usr)?/s?bin/[^/]+$' | while read -r file; do
  [ ! -x "$file" ] || ln -sf "$file" "$folder/bin/"
done
for program in node npm npx; do ln -sf "$(command -v "$program")" "$folder/bin/"; done

cp -a "$project" "$folder/project"
rm -rf "$folder/project/.git" "$folder"/project/packages/*/dist # as a fresh checkout: nothing is built
[ ! -r "$HOME/.npmrc" ] || cp "$HOME/.npmrc" "$folder/home/.npmrc" # the registry, as it is set up here
[ "${#user[@]}" -eq 0 ] || chown -R 65534:65534 "$folder/project" "$folder/home"

environment=(PATH="$folder/bin" HOME="$folder/home" TERM=dumb LANG=C.UTF-8)
[ -z "$registry" ] || environment+=("npm_config_registry=$registry")
for name in npm_config_userconfig npm_config_cafile NODE_EXTRA_CA_CERTS; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done

cd "$folder/project"
# The mounts are private to the command, and end with it.
unshare --mount -- bash -c '
  for folder in /usr/lib/chromium /usr/lib/chromium-browser /opt/google; do
    [ ! -d "$folder" ] || mount -t tmpfs none "$folder"
  done
  exec "$@"' mask "${user[@]}" env -i "${environment[@]}" "$@"
