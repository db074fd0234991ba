# The host puts the text of a block into a file.

function __transom_fetch
    cat $__transom_folder/next 2>/dev/null
end
