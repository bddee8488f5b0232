"""Triton over Strata's stand-in for the driver: `import strata.triton` before kernels are launched.

Triton hands machine code to the driver; Strata runs PTX. Each compiled kernel holds both, so this module gives the
PTX to the stand-in (strata_cuda_offer_ptx of its libcuda.so.1) just before Triton loads the machine code. Without
the stand-in - on a GPU - it changes nothing.
"""

import ctypes

__all__ = ["offer", "install", "is_standing_in"]


def _library():
    try:
        library = ctypes.CDLL("libcuda.so.1")
        return library.strata_cuda_offer_ptx
    except (OSError, AttributeError):
        return None


_offer = _library()


def is_standing_in():
    """Whether the driver of this process is Strata's."""
    return _offer is not None


def offer(cubin, ptx):
    """Gives the stand-in the PTX (str or bytes) that `cubin` (bytes) was made from."""
    if _offer is None:
        return False
    text = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
    return _offer(ctypes.c_char_p(cubin), ctypes.c_size_t(len(cubin)), ctypes.c_char_p(text),
                  ctypes.c_size_t(len(text))) == 0


def _offer_kernel(kernel):
    code = getattr(kernel, "asm", {})
    if "ptx" in code and "cubin" in code:
        offer(code["cubin"], code["ptx"])


def install():
    """Hooks Triton's loading of compiled kernels; called by the import."""
    from triton.compiler.compiler import CompiledKernel

    if getattr(CompiledKernel, "_strata_hooked", False):
        return
    load = CompiledKernel._init_handles

    def load_with_ptx(self, *arguments, **named):
        _offer_kernel(self)
        return load(self, *arguments, **named)

    CompiledKernel._init_handles = load_with_ptx
    CompiledKernel._strata_hooked = True


if is_standing_in():
    install()
