#include <stdint.h>
#include <string.h>
#include <math.h>
static double sass_half_value(uint16_t h){int e=h>>10&31;double m=h&1023;double v=e==31?(m?NAN:INFINITY):e?ldexp(1024+m,e-25):ldexp(m,-24);return h>>15?-v:v;}
static double sass_bfloat_value(uint16_t h){uint32_t w=(uint32_t)h<<16;float f;memcpy(&f,&w,4);return f;}
