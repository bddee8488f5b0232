$strata trace --kill --launch-count 1 --no-record -- ./app
