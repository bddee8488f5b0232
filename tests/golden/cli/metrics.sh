"$strata" metrics dram__bytes_read && "$strata" metrics lts__t_sector_op_read -f csv && "$strata" metrics lts__t_sector_op_read -f json
