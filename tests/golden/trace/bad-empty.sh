: >empty.strata; "$strata" info empty.strata
