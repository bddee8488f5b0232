# Addresses and sizes of copies that are no multiples of what the hardware needs, and copies to places that are not there.
. "$src/tests/golden/hopper/kernels.inc"
start='mbarrier.init.shared.b64 [bar], 1;'
load='cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes'
store='cp.async.bulk.global.shared::cta.bulk_group'
line() {
    printf '%s\n%s\n' "$start" "$2" | fails "$1"
}
line good "$load [data], [%rd1], 64, [bar];"
line load-of-24-bytes "$load [data], [%rd1], 24, [bar];"
line load-from-odd-address "$load [data], [%rd1+8], 16, [bar];"
line load-to-odd-address "$load [data+8], [%rd1], 16, [bar];"
line store-from-odd-address "$store [%rd1], [data+8], 16;"
line store-to-odd-address "$store [%rd1+4], [data], 16;"
line load-beyond-shared-memory "$load [data+2032], [%rd1], 64, [bar];"
line store-beyond-shared-memory "$store [%rd1], [data+2032], 64;"
line load-beyond-the-buffer "$load [data], [%rd1+4080], 64, [bar];"
line odd-copy-to-another-block "mapa.shared::cluster.u32 %r2, %r1, 0; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r2+8], [%r1], 16, [bar];"
line copy-to-nobody "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [data], [%rd1], 16, [bar], 6;"
line barrier-at-odd-address "$load [data], [%rd1], 16, [bar+4];"
line barrier-beyond "$load [data], [%rd1], 16, [bar+8192];"
line misaligned-box 'tensormap.replace.tile.global_address.shared::cta.b1024.b64 [data], %rd1;
tensormap.replace.tile.rank.shared::cta.b1024.b32 [data], 0;
tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [data], 0, 8;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [data], 0, 32;
tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [data], 0, 1;
tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [data], 2;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1040], [%rd2, {0}], [bar];'
line box-beyond-shared-memory 'tensormap.replace.tile.global_address.shared::cta.b1024.b64 [data], %rd1;
tensormap.replace.tile.rank.shared::cta.b1024.b32 [data], 0;
tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [data], 0, 256;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [data], 0, 1024;
tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [data], 0, 1;
tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [data], 2;
cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1920], [%rd2, {0}], [bar];'
