# A tensor map whose fields do not go together is refused by the copy that uses it, a value no field can have by the instruction.
. "$src/tests/golden/hopper/kernels.inc"
made='tensormap.replace.tile.global_address.shared::cta.b1024.b64 [data], %rd1;
tensormap.replace.tile.rank.shared::cta.b1024.b32 [data], 1;
tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [data], 0, 8;
tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [data], 1, 2;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [data], 0, 32;
tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [data], 1, 8;
tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [data], 0, 128;
tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [data], 0, 1;
tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [data], 1, 1;
tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [data], 2;
mbarrier.init.shared.b64 [bar], 1;'
copy='cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1024], [%rd2, {0, 0}], [bar];'
with() { # NAME, lines between the map and the copy
    printf '%s\n' "$made" "$2" "$copy" | fails "$1"
}
replace='tensormap.replace.tile'
where='shared::cta.b1024'
with good ""
printf 'mbarrier.init.shared.b64 [bar], 1;\n%s\n' "$copy" | fails no-map
with no-type "st.shared.u32 [data], 0x544d;"
with address "add.u64 %rd3, %rd1, 8; $replace.global_address.$where.b64 [data], %rd3;"
with narrow-box "$replace.box_dim.$where.b32 [data], 0, 7;"
with box-wider-than-swizzle "$replace.box_dim.$where.b32 [data], 0, 16; $replace.swizzle_mode.$where.b32 [data], 1;"
with interleaved-matrix "$replace.interleave_layout.$where.b32 [data], 1;"
with huge-stride "$replace.global_stride.$where.b64 [data], 0, 0x10000000000;"
with odd-stride "$replace.global_stride.$where.b64 [data], 0, 72;"
with box-of-nothing "$replace.box_dim.$where.b32 [data], 0, 0;"
with box-of-300 "$replace.box_dim.$where.b32 [data], 1, 300;"
with element-stride "$replace.element_stride.$where.b32 [data], 0, 9;"
with type "$replace.elemtype.$where.b32 [data], 99;"
with rank "$replace.rank.$where.b32 [data], 5;"
copy='cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1024], [%rd2, {0, 0, 0}], [bar];'
with other-rank ""
copy='cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [data+1024], [%rd2, {0, 0, 0}], [bar], {0};'
with im2col-of-tiles "$replace.rank.$where.b32 [data], 2; $replace.box_dim.$where.b32 [data], 2, 1; $replace.element_stride.$where.b32 [data], 2, 1;"
copy='cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1024], [%rd1, {0, 0}], [bar];'
with map-in-no-map ""
copy='mov.u64 %rd2, 64; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [data+1024], [%rd2, {0, 0}], [bar];'
with map-nowhere ""
