printf '#!/bin/sh\necho "the program got $1"; exit 5\n' >app
chmod +x app
$strata trace -o out.strata ./app --flag
