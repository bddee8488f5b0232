printf "int main(void){return 0;}" >a.c; cc -o plain a.c; $strata trace -o out.strata -- ./plain
