printf "int main(void){return 0;}" >a.c; cc -o plain a.c; $strata tune --vary N=1 -- ./plain {N}
