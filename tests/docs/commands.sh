#!/bin/sh
# Every command of `strata help` has its place in docs/cli.md. Arguments: the tool and the source folder.
bad=0
for command in $("$1" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -qE "^## (.*, )?strata $command( |,|$)" "$2/docs/cli.md" || { echo "docs/cli.md has no section for strata $command"; bad=1; }
done
[ $bad = 0 ] && echo "every command is in docs/cli.md"
exit $bad
