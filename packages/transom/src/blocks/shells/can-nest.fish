# Whether this fish, which runs inside another program, can be integrated.

set -g __transom_refusal ''
if set -q __transom_nonce_1
    set -g __transom_refusal 'this fish is integrated already'
end
