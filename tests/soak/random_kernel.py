#!/usr/bin/env python3
"""Random kernels as PTX text: random_kernel.py SEED [sm_NN [COUNT]]; each is called k and its seed.

It reads 16 words a thread from its first buffer, works on them with integers, floats, doubles, pairs of
halves, shared and local memory, shuffles, branches, loops and a function, and stores all its registers into
its second buffer. Only operations whose result PTX fixes to the last bit are used, so that the PTX and the
machine code ptxas makes of it must leave the same memory."""
import random
import sys

R, RD, F, D, H, P = 16, 6, 8, 4, 4, 6


class Kernel:
    def __init__(self, seed):
        self.seed = seed
        self.rng = random.Random(seed)
        self.lines = []
        self.labels = 0
        self.depth = 0

    def put(self, text):
        self.lines.append("\t" + text.replace("\n\t", " "))

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def pick(self, *choices):
        return self.rng.choice(choices)

    def r(self): return f"%r{self.rng.randrange(R)}"
    def rd(self): return f"%rd{self.rng.randrange(RD)}"
    def f(self): return f"%f{self.rng.randrange(F)}"
    def d(self): return f"%d{self.rng.randrange(D)}"
    def h(self): return f"%h{self.rng.randrange(H)}"
    def p(self): return f"%p{self.rng.randrange(P)}"

    def ri(self):
        """A register, or now and then a constant."""
        if self.rng.random() < 0.7:
            return self.r()
        return str(self.pick(0, 1, -1, 2, 31, 32, 255, 0x7fffffff, self.rng.randrange(1 << 31), self.rng.randrange(64)))

    def place(self):
        """A position or length of a bit field. Beyond 31 only in a register: ptxas takes immediate ones modulo
        32, or folds them to -1, and so does the card."""
        return str(self.rng.randrange(32)) if self.rng.random() < 0.7 else self.r()

    def place64(self):
        """The same for 64 bits, where machine code does not cut a register to its low byte."""
        return str(self.rng.randrange(64)) if self.rng.random() < 0.7 else "%r17"

    def guard(self):
        return f"@{self.pick('', '!')}{self.p()} " if self.rng.random() < 0.15 else ""

    # ---- families ----

    def integer(self):
        t = self.pick("u32", "s32")
        g = self.guard()
        kind = self.rng.randrange(30)
        a, b, c, d = self.r(), self.ri(), self.ri(), self.r()
        if kind == 0: self.put(f"{g}add.{t} {d}, {a}, {b};")
        elif kind == 1: self.put(f"{g}sub.{t} {d}, {a}, {b};")
        elif kind == 2: self.put(f"{g}mul.{self.pick('lo', 'hi')}.{t} {d}, {a}, {b};")
        elif kind == 3: self.put(f"{g}mad.{self.pick('lo', 'hi')}.{t} {d}, {a}, {b}, {self.r()};")
        elif kind == 4: self.put(f"{g}mul.wide.{t} {self.rd()}, {a}, {b};")
        elif kind == 5: self.put(f"{g}mad.wide.{t} {self.rd()}, {a}, {self.r()}, {self.rd()};")
        elif kind == 6: self.put(f"{g}{self.pick('and', 'or', 'xor')}.b32 {d}, {a}, {b};")
        elif kind == 7: self.put(f"{g}lop3.b32 {d}, {a}, {self.r()}, {self.r()}, {self.rng.randrange(256)};")
        elif kind == 8: self.put(f"{g}{self.pick('shl.b32', 'shr.u32', 'shr.s32')} {d}, {a}, {b};")
        elif kind == 9: self.put(f"{g}shf.{self.pick('l', 'r')}.{self.pick('wrap', 'clamp')}.b32 {d}, {a}, {self.r()}, {self.ri()};")
        elif kind == 10: self.put(f"{g}bfe.{t} {d}, {a}, {self.place()}, {self.place()};")
        elif kind == 11: self.put(f"{g}bfi.b32 {d}, {a}, {self.r()}, {self.place()}, {self.place()};")
        elif kind == 12: self.put(f"{g}{self.pick('popc.b32', 'clz.b32', 'brev.b32', 'not.b32', 'neg.s32', 'abs.s32')} {d}, {a};")
        elif kind == 13: self.put(f"{g}bfind.{self.pick('', 'shiftamt.')}{t} {d}, {a};")
        elif kind == 14: self.put(f"{g}prmt.b32{self.pick('', '', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16')} {d}, {a}, {self.r()}, {self.ri()};")
        elif kind == 15: self.put(f"{g}{self.pick('min', 'max')}.{t} {d}, {a}, {b};")
        elif kind == 16: self.put(f"{g}selp.b32 {d}, {a}, {b}, {self.p()};")
        elif kind == 17: self.put(f"{g}dp4a.{self.pick('u32', 's32')}.{self.pick('u32', 's32')} {d}, {a}, {self.r()}, {self.r()};")
        elif kind == 18: self.put(f"cvt.{self.pick('u8', 's8', 'u16', 's16')}.u32 %x0, {a};\n\tcvt.{self.pick('u32.u16', 's32.s16')} {d}, %x0;")
        elif kind == 19: self.put(f"{g}sad.{t} {d}, {a}, {b}, {self.r()};")
        elif kind == 20:
            self.put(f"add.cc.u32 {d}, {a}, {self.r()};\n\taddc.u32 {self.r()}, {self.r()}, {self.r()};")
        elif kind == 21:
            self.put(f"sub.cc.u32 {d}, {a}, {self.r()};\n\tsubc.u32 {self.r()}, {self.r()}, {self.r()};")
        elif kind == 22: self.put(f"or.b32 %r16, {self.r()}, 1;\n\t{self.pick('div', 'rem')}.{t} {d}, {a}, %r16;")
        elif kind == 23: self.put(f"{g}bmsk.{self.pick('clamp', 'wrap')}.b32 {d}, {a}, {b};")
        elif kind == 24: self.put(f"{g}mul24.{self.pick('lo', 'hi')}.{t} {d}, {a}, {b};")
        elif kind == 25: self.put(f"{g}slct.{self.pick('u32', 's32', 'b32')}.s32 {d}, {a}, {b}, {self.r()};")
        elif kind == 26: self.put(f"{g}set.{self.pick('lt', 'ge', 'ne')}.u32.{t} {d}, {a}, {b};")
        elif kind == 27: self.put(f"{g}dp2a.{self.pick('lo', 'hi')}.{self.pick('u32', 's32')}.{self.pick('u32', 's32')} {d}, {a}, {self.r()}, {self.r()};")
        elif kind == 28: self.put(f"cvt.u16.u32 %x0, {a};\n\tcvt.u16.u32 %x1, {self.r()};\n\t{self.pick('add.u16', 'sub.s16', 'mul.lo.u16', 'mul.hi.s16', 'min.s16', 'max.u16', 'xor.b16', 'shr.s16')} %x2, %x0, %x1;\n\tcvt.u32.u16 {d}, %x2;".replace("shr.s16 %x2, %x0, %x1", "shr.s16 %x2, %x0, 3"))
        else: self.put(f"{g}szext.{self.pick('clamp', 'wrap')}.{t} {d}, {a}, {b};")

    def wide(self):
        t = self.pick("u64", "s64")
        a, b, d = self.rd(), self.rd(), self.rd()
        kind = self.rng.randrange(14)
        if kind == 0: self.put(f"{self.pick('add', 'sub', 'min', 'max')}.{t} {d}, {a}, {b};")
        elif kind == 1: self.put(f"mul.{self.pick('lo', 'hi')}.{t} {d}, {a}, {b};")
        elif kind == 2: self.put(f"{self.pick('and', 'or', 'xor')}.b64 {d}, {a}, {b};")
        elif kind == 3: self.put(f"{self.pick('shl.b64', 'shr.u64', 'shr.s64')} {d}, {a}, {self.ri()};")
        elif kind == 4: self.put(f"setp.{self.pick('lt', 'le', 'gt', 'ge', 'eq', 'ne')}.{t} {self.p()}, {a}, {b};")
        elif kind == 5: self.put(f"{self.pick('popc.b64', 'clz.b64')} {self.r()}, {a};")
        elif kind == 6: self.put(f"mov.b64 {{{self.r()}, %r16}}, {a};")
        elif kind == 7: self.put(f"mov.b64 {d}, {{{self.r()}, {self.r()}}};")
        elif kind == 8: self.put(f"and.b32 %r17, {self.r()}, 63;\n\tbfe.{t} {d}, {a}, {self.place64()}, {self.place64()};")
        elif kind == 9: self.put(f"and.b32 %r17, {self.r()}, 63;\n\tbfi.b64 {d}, {a}, {b}, {self.place64()}, {self.place64()};")
        elif kind == 10: self.put(f"mad.lo.{t} {d}, {a}, {b}, {self.rd()};")
        elif kind == 11: self.put(f"{self.pick('brev.b64', 'not.b64', 'neg.s64', 'abs.s64')} {d}, {a};")
        elif kind == 12: self.put(f"bfind.{self.pick('', 'shiftamt.')}{t} {self.r()}, {a};")
        else: self.put(f"or.b64 %rd6, {b}, 1;\n\t{self.pick('div', 'rem')}.{t} {d}, {a}, %rd6;")

    def single(self):
        g = self.guard()
        ftz = self.pick("", "", ".ftz")
        a, b, c, d = self.f(), self.f(), self.f(), self.f()
        rnd = self.pick(".rn", ".rn", ".rn", ".rz", ".rm", ".rp")
        kind = self.rng.randrange(13)
        if kind < 2: self.put(f"{g}{self.pick('add', 'sub', 'mul')}{rnd}{ftz}.f32 {d}, {a}, {b};")
        elif kind == 2: self.put(f"{g}fma{rnd}{ftz}{self.pick('', '', '.sat')}.f32 {d}, {a}, {b}, {c};")
        elif kind == 3: self.put(f"{g}{self.pick('min', 'max')}{ftz}.f32 {d}, {a}, {b};")
        elif kind == 4: self.put(f"{g}{self.pick('neg', 'abs')}.f32 {d}, {a};")
        elif kind == 5: self.put(f"{g}setp.{self.pick('lt', 'le', 'gt', 'ge', 'eq', 'ne', 'ltu', 'geu', 'num', 'nan', 'equ', 'neu')}{ftz}.f32 {self.p()}, {a}, {b};")
        elif kind == 6: self.put(f"{g}cvt.{self.pick('rni', 'rzi', 'rmi', 'rpi')}.{self.pick('s32', 'u32')}.f32 {self.r()}, {a};")
        elif kind == 7: self.put(f"{g}cvt.{self.pick('rn', 'rz', 'rm', 'rp')}.f32.{self.pick('s32', 'u32')} {d}, {self.r()};")
        elif kind == 8: self.put(f"{g}cvt.{self.pick('rni', 'rzi', 'rmi', 'rpi')}.f32.f32 {d}, {a};")
        elif kind == 9: self.put(f"div.rn.f32 {d}, {a}, {b};")
        elif kind == 10: self.put(f"{self.pick('sqrt.rn', 'rcp.rn')}.f32 {d}, {a};")
        elif kind == 11: self.put(f"{g}selp.f32 {d}, {a}, {b}, {self.p()};")
        else: self.put(f"cvt.{self.pick('rn', 'rz')}.f16.f32 %x0, {a};\n\tcvt.f32.f16 {d}, %x0;")

    def double(self):
        rnd = self.pick(".rn", ".rn", ".rz", ".rm", ".rp")
        a, b, c, d = self.d(), self.d(), self.d(), self.d()
        kind = self.rng.randrange(13)
        if kind < 2: self.put(f"{self.pick('add', 'sub', 'mul')}{rnd}.f64 {d}, {a}, {b};")
        elif kind == 2: self.put(f"fma{rnd}.f64 {d}, {a}, {b}, {c};")
        elif kind == 3: self.put(f"setp.{self.pick('lt', 'le', 'gt', 'ge', 'eq', 'ne', 'ltu', 'nan')}.f64 {self.p()}, {a}, {b};")
        elif kind == 4: self.put(f"cvt.rn.f32.f64 {self.f()}, {a};")
        elif kind == 5: self.put(f"cvt.f64.f32 {d}, {self.f()};")
        elif kind == 6: self.put(f"cvt.rn.f64.{self.pick('s32', 'u32')} {d}, {self.r()};")
        elif kind == 7: self.put(f"div.rn.f64 {d}, {a}, {b};")
        elif kind == 8: self.put(f"cvt.{self.pick('rni', 'rzi', 'rmi', 'rpi')}.{self.pick('s32', 'u32')}.f64 {self.r()}, {a};")
        elif kind == 9: self.put(f"cvt.{self.pick('rni', 'rzi', 'rmi', 'rpi')}.{self.pick('s64', 'u64')}.{self.pick('f64 ' + self.rd() + ', ' + a, 'f32 ' + self.rd() + ', ' + self.f())};")
        elif kind == 10: self.put(f"cvt.{self.pick('rn', 'rz', 'rm', 'rp')}.{self.pick('f64.' + self.pick('s64', 'u64') + ' ' + d, 'f32.' + self.pick('s64', 'u64') + ' ' + self.f())}, {self.rd()};")
        elif kind == 11: self.put(f"{self.pick('min', 'max')}.f64 {d}, {a}, {b};")
        else: self.put(f"{self.pick('sqrt.rn', 'rcp.rn', 'neg', 'abs')}.f64 {d}, {a};")

    def half(self):
        a, b, c, d = self.h(), self.h(), self.h(), self.h()
        kind = self.rng.randrange(5)
        if kind == 0: self.put(f"{self.pick('add', 'sub', 'mul')}{self.pick('', '.rn')}.f16x2 {d}, {a}, {b};")
        elif kind == 1: self.put(f"fma.rn{self.pick('', '.ftz', '.sat', '.relu')}.f16x2 {d}, {a}, {b}, {c};")
        elif kind == 2: self.put(f"{self.pick('add', 'mul')}.f16x2 {d}, {a}, {a};")
        elif kind == 3: self.put(f"cvt.rn.f16x2.f32 {d}, {self.f()}, {self.f()};")
        else: self.put(f"{self.pick('min', 'max')}.f16x2 {d}, {a}, {b};")

    def lanes(self):
        kind = self.rng.randrange(6)
        a, d = self.r(), self.r()
        if kind == 0: self.put(f"shfl.sync.{self.pick('up.b32', 'down.b32', 'bfly.b32', 'idx.b32')} {d}|{self.p()}, {a}, {self.rng.randrange(32)}, {self.pick('0x1f', '0x0', '0x181f', '0x1c1f')}, -1;")
        elif kind == 1: self.put(f"vote.sync.{self.pick('all', 'any', 'uni')}.pred {self.p()}, {self.p()}, -1;")
        elif kind == 2: self.put(f"vote.sync.ballot.b32 {d}, {self.p()}, -1;")
        elif kind == 3: self.put(f"redux.sync.{self.pick('add.u32', 'min.s32', 'max.u32', 'and.b32', 'or.b32', 'xor.b32')} {d}, {a}, -1;")
        elif kind == 4: self.put(f"and.b32 %r16, {a}, 3;\n\tmatch.any.sync.b32 {d}, %r16, -1;")
        else: self.put(f"activemask.b32 {d};")

    def shared(self):
        self.put("bar.sync 0;")
        kind = self.rng.randrange(4)
        if kind == 0:
            self.put(f"st.shared.u32 [%r20], {self.r()};\n\tbar.sync 0;\n\tld.shared.u32 {self.r()}, [%r21];")
        elif kind == 1:
            self.put(f"red.shared.add.u32 [%r22], {self.r()};\n\tbar.sync 0;\n\tld.shared.u32 {self.r()}, [%r22];")
        elif kind == 2:
            self.put(f"st.shared.v2.u32 [%r23], {{{self.r()}, {self.r()}}};\n\tbar.sync 0;\n\tld.shared.v2.u32 {{%r16, %r17}}, [%r23];\n\txor.b32 {self.r()}, %r16, %r17;")
        else:
            self.put(f"atom.shared.{self.pick('max', 'min', 'or', 'xor')}.{'b32'} %r16, [%r22], {self.r()};".replace("max.b32", "max.u32").replace("min.b32", "min.u32"))
            self.put("bar.sync 0;")
            self.put(f"ld.shared.u32 {self.r()}, [%r22];")

    def local(self):
        self.put(f"and.b32 %r16, {self.r()}, 15;\n\tmul.wide.u32 %rd6, %r16, 4;\n\tadd.u64 %rd6, %rd7, %rd6;")
        self.put(f"st.local.u32 [%rd6], {self.r()};" if self.rng.random() < 0.5 else f"ld.local.u32 {self.r()}, [%rd6];")

    def compare(self):
        self.put(f"setp.{self.pick('lt', 'le', 'gt', 'ge', 'eq', 'ne')}{self.pick('', '.and', '.or', '.xor')}.{self.pick('u32', 's32')} {self.p()}, {self.r()}, {self.ri()};"
                 if self.rng.random() < 0.5 else f"setp.{self.pick('lt', 'ge', 'eq', 'ne')}.s32 {self.p()}, {self.r()}, {self.ri()};")
        if ".and" in self.lines[-1] or ".or" in self.lines[-1] or ".xor" in self.lines[-1]:
            self.lines[-1] = self.lines[-1][:-1] + f", {self.p()};"

    # ---- control ----

    def branch(self):
        other, end = self.label(), self.label()
        self.put(f"@{self.p()} bra {other};")
        self.body(self.rng.randrange(1, 8), False)
        self.put(f"bra {end};")
        self.lines.append(f"{other}:")
        self.body(self.rng.randrange(0, 6), False)
        self.lines.append(f"{end}:")

    def loop(self):
        top = self.label()
        count = f"%r{24 + self.depth}"
        self.put(f"and.b32 {count}, {self.r()}, {self.pick(3, 7)};")
        self.lines.append(f"{top}:")
        self.body(self.rng.randrange(1, 6), False)
        self.put(f"sub.u32 {count}, {count}, 1;")
        self.put(f"setp.lt.s32 %p{P + self.depth}, {count}, 0;")
        self.put(f"@!%p{P + self.depth} bra {top};")

    def switch(self):
        arms = [self.label() for _ in range(4)]
        end, table = self.label(), self.label()
        self.put(f"and.b32 %r16, {self.r()}, 3;")
        self.lines.append(f"{table}: .branchtargets {', '.join(arms)};")
        self.put(f"brx.idx %r16, {table};")
        for arm in arms:
            self.lines.append(f"{arm}:")
            self.body(self.rng.randrange(1, 4), False)
            self.put(f"bra {end};")
        self.lines.append(f"{end}:")

    def call(self):
        self.put(f"{{ .param .b32 p0; .param .b32 p1; .param .b32 q0; st.param.b32 [p0], {self.r()}; st.param.b32 [p1], {self.r()};\n\t"
                 f"call.uni (q0), helper, (p0, p1); ld.param.b32 {self.r()}, [q0]; }}")

    def body(self, n, uniform):
        self.depth += 1
        for _ in range(n):
            x = self.rng.random()
            if x < 0.34: self.integer()
            elif x < 0.44: self.wide()
            elif x < 0.60: self.single()
            elif x < 0.67: self.double()
            elif x < 0.71: self.half()
            elif x < 0.79: self.compare()
            elif x < 0.82: self.local()
            elif uniform and x < 0.86: self.lanes()
            elif uniform and x < 0.90: self.shared()
            elif self.depth < 3 and x < 0.94: self.branch()
            elif self.depth < 3 and x < 0.97: self.loop()
            elif self.depth < 3 and x < 0.98: self.switch()
            elif x < 0.99: self.call()
            else: self.integer()
        self.depth -= 1

    @staticmethod
    def head(target):
        return (f".version 8.0\n.target {target}\n.address_size 64\n"
               ".func (.param .b32 q) helper(.param .b32 a, .param .b32 b)\n{\n\t.reg .b32 %r<4>; .reg .pred %p;\n"
               "\tld.param.b32 %r0, [a]; ld.param.b32 %r1, [b];\n\tsetp.lt.s32 %p, %r0, %r1;\n"
               "\tmad.lo.s32 %r2, %r0, 7, %r1;\n\t@%p xor.b32 %r2, %r2, %r0;\n\tst.param.b32 [q], %r2;\n\tret;\n}\n")

    def text(self):
        self.body(self.rng.randrange(10, 60), True)
        out = [f".visible .entry k{self.seed}(.param .u64 source, .param .u64 result)\n{{",
               f"\t.reg .b32 %r<40>; .reg .b64 %rd<16>; .reg .f32 %f<{F}>; .reg .f64 %d<{D}>; .reg .b32 %h<{H}>;",
               "\t.reg .b16 %x<4>; .reg .pred %p<16>; .shared .align 16 .b8 area[2048]; .local .align 16 .b8 own[64];",
               "\tld.param.u64 %rd8, [source]; ld.param.u64 %rd9, [result];",
               "\tmov.u32 %r30, %tid.x; mov.u32 %r31, %ctaid.x; mov.u32 %r32, %ntid.x; mad.lo.u32 %r33, %r31, %r32, %r30;",
               "\tmul.wide.u32 %rd10, %r33, 64; add.u64 %rd8, %rd8, %rd10; mul.wide.u32 %rd10, %r33, 256; add.u64 %rd9, %rd9, %rd10;"]
        for i in range(R):
            out.append(f"\tld.global.u32 %r{i}, [%rd8+{4 * i}];")
        for i in range(RD):
            out.append(f"\tmov.b64 %rd{i}, {{%r{2 * i}, %r{2 * i + 1}}};")
        for i in range(F):  # numbers of all sizes, and the bits themselves now and then
            out.append(f"\tcvt.rn.f32.s32 %f{i}, %r{i};" if i % 4 else f"\tmov.b32 %f{i}, %r{i};")
            if i % 4 == 1:
                out.append(f"\tmul.f32 %f{i}, %f{i}, 0f2f800000;")
        for i in range(D):
            out.append(f"\tcvt.rn.f64.s32 %d{i}, %r{i + 8};" if i % 2 else f"\tcvt.f64.f32 %d{i}, %f{i + 1};")
        for i in range(H):
            out.append(f"\tcvt.rn.f16x2.f32 %h{i}, %f{i + 1}, %f{i + 2};")
        for i in range(P):
            out.append(f"\tsetp.lt.s32 %p{i}, %r{i}, %r{i + 5};")
        out += ["\tmov.u32 %r20, area; shl.b32 %r21, %r30, 2; xor.b32 %r34, %r21, 4; add.u32 %r21, %r20, %r34; shl.b32 %r35, %r30, 2; add.u32 %r22, %r20, 1024;",
                "\tshl.b32 %r36, %r30, 3; add.u32 %r23, %r20, %r36; add.u32 %r20, %r20, %r35;",
                "\tmov.u64 %rd7, own; st.local.v4.u32 [own], {%r0, %r1, %r2, %r3}; st.local.v4.u32 [own+16], {%r4, %r5, %r6, %r7};",
                "\tst.local.v4.u32 [own+32], {%r8, %r9, %r10, %r11}; st.local.v4.u32 [own+48], {%r12, %r13, %r14, %r15};",
                "\tst.shared.u32 [%r20], 0; st.shared.u32 [%r20+1024], 0; bar.sync 0;"]
        out += self.lines
        at = 0
        for name, n, size in (("r", R, 4), ("rd", RD, 8), ("f", F, 4), ("d", D, 8), ("h", H, 4)):
            for i in range(n):
                if name in ("f", "d"):  # NaN is NaN: its bits are not fixed
                    bits = 32 if name == "f" else 64
                    out.append(f"\tsetp.nan.f{bits} %p15, %{name}{i}, %{name}{i}; mov.b{bits} %{'r18' if bits == 32 else 'rd11'}, %{name}{i};")
                    out.append(f"\t@%p15 mov.u{bits} %{'r18' if bits == 32 else 'rd11'}, 1;")
                    out.append(f"\tst.global.u{bits} [%rd9+{at}], %{'r18' if bits == 32 else 'rd11'};")
                else:
                    out.append(f"\tst.global.u{8 * size} [%rd9+{at}], %{name}{i};")
                at += size
        for i in range(P):
            out.append(f"\tselp.u32 %r18, 1, 0, %p{i}; st.global.u8 [%rd9+{at + i}], %r18;")
        out.append("\tret;\n}")
        return "\n".join(out) + "\n"


if __name__ == "__main__":
    seed, target, count = int(sys.argv[1]), (sys.argv[2:] + ["sm_80"])[0], int((sys.argv[3:] + ["1"])[0])
    sys.stdout.write(Kernel.head(target) + "".join(Kernel(seed + i).text() for i in range(count)))
