"""Twenty PyTorch operators compared with the CPU; run on a GPU or over Strata's libraries. One line each."""
import sys

import torch


def operators():
    f = torch.nn.functional
    x, y, w = torch.randn(64, 64), torch.randn(64, 64), torch.randn(64, 64)
    i = torch.randint(0, 64, (32,))
    image, taps = torch.randn(1, 3, 16, 16), torch.randn(4, 3, 3, 3)
    return [
        ("add", lambda a, b: a + b, (x, y)), ("mul", lambda a, b: a * b, (x, y)), ("exp", torch.exp, (x,)),
        ("relu", torch.relu, (x,)), ("sigmoid", torch.sigmoid, (x,)), ("gelu", f.gelu, (x,)),
        ("sum", torch.sum, (x,)), ("mean", lambda a: a.mean(1), (x,)), ("max", lambda a: a.max(1).values, (x,)),
        ("softmax", lambda a: torch.softmax(a, 1), (x,)), ("layer_norm", lambda a: f.layer_norm(a, (64,)), (x,)),
        ("transpose", lambda a: a.t().contiguous(), (x,)), ("cat", lambda a, b: torch.cat((a, b)), (x, y)),
        ("index_select", lambda a, k: a.index_select(0, k), (x, i)), ("cumsum", lambda a: a.cumsum(1), (x,)),
        ("sort", lambda a: a.sort(1).values, (x,)), ("where", lambda a, b: torch.where(a > 0, a, b), (x, y)),
        ("embedding", f.embedding, (i, w)), ("matmul", torch.matmul, (x, y)), ("conv2d", f.conv2d, (image, taps)),
    ]


def main():
    failed = 0
    torch.manual_seed(1)
    for name, run, inputs in operators():
        try:
            got = run(*[t.to("cuda") for t in inputs]).cpu()
            good = torch.allclose(got, run(*inputs), atol=1e-2, rtol=1e-2)
            print(name, "agrees" if good else "DIFFERS", flush=True)
        except Exception as problem:  # noqa: BLE001  each operator is tried
            good = False
            print(name, "FAILED", type(problem).__name__, str(problem)[:200].replace("\n", " "), flush=True)
        failed += not good
    print(failed, "failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
