import { expect, test } from 'vitest'
import { asksForPassword } from './password-prompt.ts'

test.each([
  'Password: ',
  'password:',
  "me@box's password: ",
  '[sudo] password for me: ',
  'Enter passphrase for key \u0027/home/me/.ssh/id_ed25519\u0027: ',
  '(current) UNIX password: ',
  '? Enter your password: ***',
  'Enter PIN for token: ',
  'Verification code: ',
  'New passphrase >',
  'Client secret: ',
])('%j asks for one', (prompt) => expect(asksForPassword(prompt)).toBe(true))

test.each([
  '',
  '$ ',
  'me@box:~$ echo password: ',
  '# grep password: ',
  '~/src ❯ passwd: ',
  'Name: ',
  'password is wrong',
  'pinging: ',
  '>>> ',
  'Continue? [y/n] ',
])('%j does not', (prompt) => expect(asksForPassword(prompt)).toBe(false))
