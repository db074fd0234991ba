# shellcheck shell=sh
# Reads a text that the host types (typed-text.ts) and prints it; nothing if it is not complete. `sh -c` runs it inside
# fish, which reads its terminal only through its line editor. Its lines are joined by `;`.

IFS= read -r length
text=
while IFS= read -r line&&[ -n "$line" ]
do text=$text$line
done
[ ${#text} = "$length" ]&&printf %b "$text"
