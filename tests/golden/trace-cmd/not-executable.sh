printf "#!/bin/sh\nexit 0\n" >app; $strata trace -o out.strata -- ./app
