"$strata" predct
