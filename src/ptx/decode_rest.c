/* placeholder */
#include "ptx/decode.h"
bool ptx_decode_matrix(struct ptx_decoder *d)
{
    return ptx_dec_unsupported(d, "matrix instructions");
}
bool ptx_decode_texture(struct ptx_decoder *d)
{
    return ptx_dec_unsupported(d, "textures");
}
