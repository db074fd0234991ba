#!/usr/bin/env bash
# Opens a news page and prints the top two stories with the beginning of their comment threads, ready for a model to
# summarise:   examples/top-threads.sh https://news.example/   (a page of your own: ALLOW_HOST=localhost:8080)
set -euo pipefail
export AWI_SOCK="${AWI_SOCK:-$(mktemp -d)/web.sock}"
awi-tty open "$1" --agent-socket "$AWI_SOCK" ${ALLOW_HOST:+--allow-host "$ALLOW_HOST"} &
trap 'kill %1; wait' EXIT
until awi-tty ping --quiet; do sleep 0.1; done
awi-tty wait-for --text comments --timeout-ms 20000 --quiet

for story in 1 2; do
  awi-tty snapshot --plain | grep -m1 "^ *$story\. "
  awi-tty click-text comments --nth "$story" --quiet
  awi-tty wait-for --idle 300 --network-idle 300 --quiet
  awi-tty snapshot --plain --trim | grep -v '^$' | head -15
  awi-tty go-back --quiet
  awi-tty wait-for --text comments --quiet
done
