import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWholeCommand } from './whole-command.ts'

const WHOLE = [
  '',
  'echo hi',
  'ls -la | grep "a b" | wc -l 2>&1 >file',
  'echo "$(date) ${x:-y} $((1 + 2))"',
  `echo 'a"b' $'it\\'s' "c'd"`,
  'for i in 1 2 3; do echo "$i"; done',
  'if [ -f x ]; then cat x; else echo none; fi',
  'while read -r l; do echo "$l"; done <file',
  'case $x in a|b) echo ab ;; (c) ;; *) false ;; esac',
  'f() { echo in f; }; f',
  '{ echo a; echo b; } 2>/dev/null',
  '(cd /tmp && ls) &',
  'set -x\necho one\necho two',
  '[[ -n $x && $y =~ ^(a|b)$ ]] && echo yes',
  'x=(a b c); echo ${x[@]}',
  'cat <<<hello',
  'echo hi # a comment',
  'find . -name x -exec rm {} \\;',
  '! true',
]

const IN_DOUBT = [
  "echo 'open",
  'echo "open',
  'echo $(open',
  'echo ${open',
  'cat <<EOF\nhi\nEOF',
  'cat <<EOF',
  'echo `date`',
  'echo a |',
  'echo a &&',
  'echo a \\',
  'if true; then',
  'if true; then echo fi',
  'for i in 1 2; do echo done',
  'case a in b) echo esac',
  'f()',
  'f() \n',
  'function f',
  '{ echo a',
  'echo }',
  'echo a; }',
  'echo )',
  '; echo',
  'echo a;; echo b',
  '[[ -n x',
  "echo a # don't",
  'if true; then echo >& fi',
  'a[1 + 1]=2',
  'a[',
]

test.each(WHOLE)('%j is whole', (text) => expect(isWholeCommand(text)).toBe(true))
test.each(IN_DOUBT)('%j is in doubt', (text) => expect(isWholeCommand(text)).toBe(false))

const WORDS = 'if then else fi for x in do done while case esac function echo a f() f'
const SIGNS = String.raw`{ } [[ ]] ( ) (( )) $( " ' $' \ # ! ; ;; & && | || |& > >& < << <<< 2>&1 = $ x=( x[ ] $[`
const PIECES = `${WORDS} ${SIGNS}`.split(' ').concat('${x}', '${', '`', '\n', '\t')

/**
 * Has bash read each text with a line after it that must be read for itself; nothing of it is run but a return. A text that
 * closes the `if` itself may redirect that: hence a folder that is removed.
 */
const TELL_UNFINISHED = String.raw`
folder=$(mktemp -d)
cd "$folder" || exit
errors=$folder/errors
read_only() { eval "if return 0;then $1"$'\nfi'; }
while IFS= read -rd '' text; do
  (read_only "$text") 2>"$errors" # a shell that is not interactive ends at some errors
  case $(<"$errors") in *EOF*|*'end of file'*) echo 1 ;; *) echo 0 ;; esac
done
rm -rf -- "$folder"
`

test('bash waits for no more input after a text that is judged whole', () => {
  const piece = fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom('', ' ', ' ', '\n'))
  const text = fc.array(piece, { minLength: 1, maxLength: 14 }).map((all) => all.flat().join(''))
  const samples = fc.sample(text, { numRuns: 30_000, seed: 11 })
  const whole = [...new Set([...samples, ...WHOLE])].filter((each) => isWholeCommand(each))
  expect(whole.length).toBeGreaterThan(200)
  const input = whole.map((each) => `${each}\0`).join('')
  const { stdout } = spawnSync('bash', ['-c', TELL_UNFINISHED], { input, encoding: 'utf8' })
  const unfinished = stdout.trim().split(/\s+/)
  expect(unfinished.length).toBe(whole.length)
  expect(whole.filter((_, index) => unfinished[index] !== '0')).toEqual([])
}, 120_000)
