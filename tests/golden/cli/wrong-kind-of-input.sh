# Each of these has a command that leads on; the sentence names it.
"$strata" generate strided -q -o t.strata
"$strata" report t.strata -o r.html
"$strata" compare t.strata t.strata
cp /bin/sh program
"$strata" predict program --gpu h200
"$strata" advise program --gpu h200
echo 'int main() {}' >k.cu
"$strata" predict k.cu --gpu h200
"$strata" predict t.strata --gpu h200 --model coalesce -f json -o p.json
"$strata" predict p.json --gpu h200
echo x >full.ncu-rep
"$strata" correlate --measured full.ncu-rep p.json
"$strata" report p.json --measured full.ncu-rep -o r.html
"$strata" correlate --measured t.strata p.json
echo '<!doctype html>' >page.html
"$strata" report page.html -o r.html
mkdir folder && echo kernel-1.traceg >folder/kernelslist.g
"$strata" report folder -o r.html
cp "$data"/sass/small90.cubin code.cubin
"$strata" predict code.cubin --gpu h200
cp "$data"/ptx/saxpy.ptx k.ptx
"$strata" advise k.ptx --gpu h200
"$strata" trace k.ptx -o k.strata
cp "$data"/correlate/ncu_h200_raw.csv raw.csv
"$strata" report raw.csv -o r.html
"$strata" report "$data"/counters.csv -o r.html
cp "$src"/gpus/h200.yaml my.yaml
"$strata" predict my.yaml --gpu h200
# what is not there, or only damaged, is told as before
"$strata" predict none.cu --gpu h200
head -c 100 t.strata >cut.strata
"$strata" predict cut.strata --gpu h200
