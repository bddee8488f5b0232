"""Twenty-odd operators of PyTorch one after another on one matrix: `steps_torch.py [SIZE [ROUNDS]]`.

Runs on a GPU or over Strata's libraries; prints what each round took, in microseconds."""
import sys

import torch
import torch.nn.functional as f


def one_round(d):
    h = f.layer_norm(d["x"], (d["n"],), d["w"], d["b"])
    g = f.gelu(h)
    s = torch.softmax(g, 1)
    m = s.sum(1, keepdim=True)
    t = torch.addcmul(g, s, h)
    u = t.t().contiguous()
    v = torch.where(u > 0, u, d["x"])
    r = torch.cat((v, h))
    q = r.index_select(0, d["rows"])
    e = torch.exp(torch.neg(q))
    k = torch.sigmoid(e)
    square = (k - d["x"]).pow(2).mean()
    d["momentum"].mul_(0.9).add_(k, alpha=0.1)
    d["x"].sub_(d["momentum"], alpha=0.01)
    return torch.addcmul(m, m, square)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 2048
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    torch.manual_seed(1)
    d = {"n": n, "x": torch.rand(n, n).cuda(), "w": torch.ones(n).cuda(), "b": torch.zeros(n).cuda(),
         "momentum": torch.ones(n, n).cuda(), "rows": ((torch.arange(n) * 37) % (2 * n)).cuda()}
    torch.cuda.synchronize()
    took = []
    for _ in range(rounds):
        before, after = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        before.record()
        one_round(d)
        after.record()
        after.synchronize()
        took.append(before.elapsed_time(after) * 1000)
    print("steps_torch size", n, "us", " ".join("%.3f" % t for t in took))


if __name__ == "__main__":
    main()
