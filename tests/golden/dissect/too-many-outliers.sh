"$strata" dissect --target model:gtx780 --outliers 0.5
