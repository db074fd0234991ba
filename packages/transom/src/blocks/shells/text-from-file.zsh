# The host puts the text of a block into a file.

__transom_fetch() { { __transom_text=$(<"$__transom_folder/next") } 2>/dev/null }
