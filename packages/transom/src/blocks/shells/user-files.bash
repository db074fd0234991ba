# shellcheck shell=bash
# Reads what bash would read at its start without us. __transom_user_files says which.

case $__transom_user_files in
  none) ;;
  rc) [[ -r ~/.bashrc ]] && . ~/.bashrc ;;
  login)
    [[ -r /etc/profile ]] && . /etc/profile
    if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
    elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
    elif [[ -r ~/.profile ]]; then . ~/.profile
    fi
    ;;
  file) [[ -r $__transom_rc_file ]] && . "$__transom_rc_file" ;;
esac
