#!/usr/bin/env python3
"""Writes wgmma.h: one inline function per shape and type of wgmma.mma_async.

Operand lists of up to 128 registers are not for hands. A function is called
wgmma_<type>_<ss|rs><N>(d, a, b): d is the accumulator, a a descriptor or
registers, b a descriptor; the last argument of the 16-bit ones transposes B."""

TYPES = {  # name: (suffix of the instruction, K, accumulator's C type, constraint, has transpose)
    "f16": ("f32.f16.f16", 16, "float", "f", True),
    "bf16": ("f32.bf16.bf16", 16, "float", "f", True),
    "tf32": ("f32.tf32.tf32", 8, "float", "f", False),
    "e4m3": ("f32.e4m3.e4m3", 32, "float", "f", False),
    "s8": ("s32.s8.s8", 32, "int", "r", False),
}
SHAPES = {
    "f16": (8, 16, 32, 64, 96, 128, 192, 256),
    "bf16": (64, 128),
    "tf32": (64, 128, 256),
    "e4m3": (64, 128, 256),
    "s8": (64, 128, 256),
}


def function(kind, n, registers):
    suffix, k, ctype, constraint, transposes = TYPES[kind]
    count = n // 2
    a_count = 4 if registers else 1
    d = ", ".join(f"%{i}" for i in range(count))
    if registers:
        a = "{" + ", ".join(f"%{count + i}" for i in range(4)) + "}"
    else:
        a = f"%{count}"
    b = f"%{count + a_count}"
    is_int = kind == "s8"
    tail = "" if is_int else ", 1, 1"
    if transposes:
        tail += ", T" if registers else ", 0, T"
    name = f"wgmma_{kind}_{'rs' if registers else 'ss'}{n}"
    head = "template <int TRANSPOSE_B = 0>\n" if transposes else ""
    a_argument = "const uint32_t (&a)[4]" if registers else "uint64_t a"
    text = head
    text += f"__device__ __forceinline__ void {name}({ctype} (&d)[{count}], {a_argument}, uint64_t b)\n{{\n"
    shown = tail.replace("T", f"%{count + a_count + 1}")
    text += f'    asm volatile("wgmma.mma_async.sync.aligned.m64n{n}k{k}.{suffix} {{{d}}}, {a}, {b}, 1{shown};\\n"\n'
    text += "                 : " + ", ".join(f'"+{constraint}"(d[{i}])' for i in range(count)) + "\n"
    sources = [f'"r"(a[{i}])' for i in range(4)] if registers else ['"l"(a)']
    sources.append('"l"(b)')
    if transposes:
        sources.append('"n"(TRANSPOSE_B)')
    text += "                 : " + ", ".join(sources) + ");\n}\n"
    return text


def main():
    print("// wgmma.h - made by wgmma.py.\n#pragma once\n#include <cstdint>\n// clang-format off")
    for kind, shapes in SHAPES.items():
        for n in shapes:
            print(function(kind, n, False))
            print(function(kind, n, True))


main()
