# shellcheck shell=sh
# Turns the options on again that ask.bash turned off, in bash and zsh.

case $__transom_options in *a*) set -a ;; esac
case $__transom_options in *e*) set -e ;; esac
case $__transom_options in *u*) set -u ;; esac
case $__transom_options in *v*) set -v ;; esac
case $__transom_options in *x*) set -x ;; esac
