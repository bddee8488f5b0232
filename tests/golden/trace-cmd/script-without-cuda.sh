printf "#!/bin/sh\nexit 0\n" >app; chmod +x app; $strata trace -o out.strata -- ./app; code=$?; ls; exit $code
