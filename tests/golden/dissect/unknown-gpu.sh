"$strata" dissect --target model:moon
