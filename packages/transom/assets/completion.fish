# Completion of transom for fish: transom completion fish | source
function __transom_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l reply ($words[1] __complete fish $words[2..-1] "$current" 2>/dev/null)
    set -l option (string match -r -- '^--[^=]+=' "$current")
    set -l value (string replace -- "$option" '' "$current")
    switch "$reply[1]"
        case @files
            for path in (__fish_complete_path "$value")
                echo "$option$path"
            end
        case @folders
            for path in (__fish_complete_directories "$value")
                echo "$option$path"
            end
        case @programs
            __fish_complete_path "$value"
            complete -C (string escape -- "$value") | string match -v -- '-*'
        case '*'
            string join \n -- $reply
    end
end
complete -c transom -f -a '(__transom_complete)'
complete -c agent-tty -f -a '(__transom_complete)'
