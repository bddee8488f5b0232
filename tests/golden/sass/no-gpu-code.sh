"$strata" sass /bin/sh 2>&1 | sed 's/.*: there/there/'
