#!/bin/sh
# Every command has its place in docs/cli.md, every schema in docs/formats.md, and links lead somewhere. Arguments: the tool and the source folder.
bad=0
for command in $("$1" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    grep -qE "^## (.*, )?strata $command( |,|$)" "$2/docs/cli.md" || { echo "docs/cli.md has no section for strata $command"; bad=1; }
done
# Every schema that is written or read is in docs/formats.md.
for schema in $(grep -rhoE '"strata\.[a-z-]+/[0-9]+' "$2/src" "$2/tools" "$2/include" | tr -d '"' | sort -u); do
    grep -qF "\`$schema\`" "$2/docs/formats.md" || { echo "docs/formats.md does not tell about $schema"; bad=1; }
done
python3 "$2/tests/docs/links.py" "$2" || bad=1
[ $bad = 0 ] && echo "every command and schema is described, and every link leads somewhere"
exit $bad
