"""Kernels of Triton one after another on one matrix: `steps_triton.py [SIZE [STEPS [ROUNDS]]]`.

Runs on a GPU or over Strata's libraries; prints what each round took, in microseconds."""
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def scale_add(x, y, out, by, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) * by + tl.load(y + i, i < n), i < n)


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, i < columns, -float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, v / tl.sum(v, 0), i < columns)


@triton.jit
def normalise_rows(x, w, b, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, i < columns, 0.0)
    mean = tl.sum(v, 0) / columns
    v = tl.where(i < columns, v - mean, 0.0)
    v = v * tl.rsqrt(tl.sum(v * v, 0) / columns + 1e-5)
    tl.store(out + row * columns + i, v * tl.load(w + i, i < columns) + tl.load(b + i, i < columns), i < columns)


@triton.jit
def sum_columns(x, out, rows, columns, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK,), tl.float32)
    for r in range(ROWS):
        sum += tl.load(x + (tl.program_id(1) * ROWS + r) * columns + i, i < columns, 0.0)
    tl.atomic_add(out + i, sum, i < columns)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    torch.manual_seed(1)
    a, b, c = (torch.rand(n, n).cuda() for _ in range(3))
    w, bias, total = torch.ones(n).cuda(), torch.zeros(n).cuda(), torch.zeros(n).cuda()
    block = triton.next_power_of_2(n)

    def one_round():
        for _ in range(steps):
            scale_add[(triton.cdiv(n * n, 1024),)](a, b, c, 0.5, n * n, BLOCK=1024)
            softmax_rows[(n,)](c, a, n, BLOCK=block)
            normalise_rows[(n,)](a, w, bias, b, n, BLOCK=block)
            sum_columns[(triton.cdiv(n, 128), n // 32)](b, total, n, n, BLOCK=128, ROWS=32)

    torch.cuda.synchronize()
    took = []
    for _ in range(rounds):
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        before.record()
        one_round()
        after.record()
        after.synchronize()
        took.append(before.elapsed_time(after) * 1000)
    print("steps_triton size", n, "steps", steps, "us", " ".join("%.3f" % t for t in took))


if __name__ == "__main__":
    main()
