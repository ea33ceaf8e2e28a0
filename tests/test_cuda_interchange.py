"""CUDA arrays from and to other libraries: the same memory, in the right order, with PyTorch, CuPy and JAX."""

import contextlib
import gc
import os
import warnings

import numpy as np
import pytest
from capsules import Interface
from strategies import DTYPES, KINDS, LAYOUTS, laid_out, same, steps

import situ
from situ import tensor

CUDA = [device for device in situ.get_devices() if device.backend.name == "cuda"]
needs_cuda = pytest.mark.skipif(not CUDA, reason="no CUDA device")
# Large enough for a chain of operations to outlast the calls that submit it.
MANY, STEPS, ROUNDS = 1 << 24, 100, 5


@pytest.fixture(scope="module")
def queue():
    return situ.get_device_cached_queue(CUDA[0])


@pytest.fixture(scope="module", params=["torch", "cupy", "jax"])
def library(request):
    """Another library, by what the tests do with it."""
    return LIBRARIES[request.param]()


class Torch:
    dtypes, strides, writes = DTYPES, True, True

    def __init__(self):
        self.torch = torch = quietly(lambda: pytest.importorskip("torch"))
        if not torch.cuda.is_available():
            pytest.skip("this PyTorch has no CUDA")
        self.share = torch.from_dlpack

    def make(self, host):
        return self.torch.from_numpy(np.array(host)).cuda()

    def host(self, there):
        return there.cpu().numpy()

    def pointer(self, there):
        return there.data_ptr()

    def full(self, value):
        return self.torch.full((MANY,), value, dtype=self.torch.float32, device="cuda")

    def chain(self, there):
        for _ in range(STEPS):
            there += 1
        return there

    def double(self, there):
        return there * 2

    def streams(self):
        return [contextlib.nullcontext(), self.torch.cuda.stream(self.torch.cuda.Stream())]


class CuPy:
    dtypes, strides, writes = DTYPES, True, True

    def __init__(self):
        self.cupy = quietly(lambda: pytest.importorskip("cupy"))
        self.share = self.cupy.from_dlpack

    def make(self, host):
        return self.cupy.asarray(host)

    def host(self, there):
        return self.cupy.asnumpy(there)

    def pointer(self, there):
        return there.data.ptr

    def full(self, value):
        return self.cupy.full(MANY, value, "f4")

    def chain(self, there):
        for _ in range(STEPS):
            there += 1
        return there

    def double(self, there):
        return there * 2

    def streams(self):
        stream = self.cupy.cuda.Stream
        return [contextlib.nullcontext(), stream(), stream(non_blocking=True)]


class Jax:
    # JAX chooses the order of elements itself.
    dtypes, strides, writes = DTYPES, False, False

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        self.jax = jax = quietly(lambda: pytest.importorskip("jax"))
        if not any(device.platform == "gpu" for device in quietly(jax.devices)):
            pytest.skip("this JAX has no CUDA")
        jax.config.update("jax_enable_x64", True)
        self.share = jax.dlpack.from_dlpack

    def make(self, host):
        return self.jax.device_put(np.array(host))

    def host(self, there):
        return np.asarray(there)

    def pointer(self, there):
        return there.unsafe_buffer_pointer()

    def full(self, value):
        return self.jax.numpy.full(MANY, value, "float32")

    def chain(self, there):
        for _ in range(STEPS):
            there = there + 1
        return there

    def double(self, there):
        return there * 2

    def streams(self):
        return [contextlib.nullcontext()]


LIBRARIES = {"torch": Torch, "cupy": CuPy, "jax": Jax}


def quietly(call):
    """The result of a call whose own warnings are none of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def busy(queue, value=0.0):
    """An array that its queue is still counting up, to `value + STEPS`."""
    array = tensor.full(MANY, value, dtype="f4", sycl_queue=queue)
    for _ in range(STEPS):
        array += 1
    return array


@needs_cuda
class TestLibraries:
    """Both ways, without a copy."""

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_same_memory(self, library, queue, dtype):
        host = np.arange(6).reshape(2, 3).astype(dtype)
        array = tensor.asarray(host, sycl_queue=queue)
        there = library.share(array)
        assert library.pointer(there) == array._pointer
        np.testing.assert_array_equal(library.host(there), host)
        mine = library.make(host)
        back = tensor.from_dlpack(mine)
        assert (back._pointer, back.usm_type, back.sycl_queue) == (library.pointer(mine), "device", queue)
        same(back, host)
        assert tensor.from_dlpack(mine, copy=True)._pointer != library.pointer(mine)
        same(tensor.asarray(mine), host)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_layouts(self, library, queue, layout):
        if not library.strides and layout != "C":
            pytest.skip("this library has no such strides")
        if isinstance(library, Torch) and layout == "reversed":
            pytest.skip("PyTorch has no negative strides")
        host = np.arange(24.0).reshape(2, 3, 4)
        array, view = laid_out(host, layout, queue)
        there = library.share(array)
        np.testing.assert_array_equal(library.host(there), view)
        if isinstance(library, CuPy) and layout == "reversed":
            with pytest.raises(BufferError, match="reaches too far"):  # it exports negative strides as huge ones
                tensor.from_dlpack(there)
            return
        again = tensor.from_dlpack(there)
        assert again._pointer == array._pointer and steps(again) == steps(array)
        same(again, np.ascontiguousarray(view))

    @pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0, 2)])
    def test_few_elements(self, library, queue, shape):
        host = np.ones(shape, "f4")
        np.testing.assert_array_equal(library.host(library.share(tensor.asarray(host, sycl_queue=queue))), host)
        same(tensor.from_dlpack(library.make(host)), host)

    def test_they_see_our_work(self, library, queue):
        for stream in library.streams():
            for _ in range(ROUNDS):
                array = busy(queue)
                with stream:
                    there = library.double(library.share(array))
                    result = library.host(there)
                assert (result == 2 * STEPS).all()

    def test_we_see_their_work(self, library, queue):
        for stream in library.streams():
            for value in range(ROUNDS):
                with stream:
                    there = library.chain(library.full(value))
                    array = tensor.from_dlpack(there)
                # On another queue, which has to wait, too.
                elsewhere = array.to_device(situ.Queue(CUDA[0])) * 2
                assert (tensor.asnumpy(array) == value + STEPS).all()
                assert (tensor.asnumpy(elsewhere) == 2 * (value + STEPS)).all()

    def test_both_see_what_either_writes(self, library, queue):
        if not library.writes:
            pytest.skip("this library's arrays cannot be written to")
        array = tensor.zeros(4, dtype="f4", sycl_queue=queue)
        there = library.share(array)
        there += 3
        again = tensor.from_dlpack(there)
        again += 4
        assert library.host(library.share(again)).tolist() == [7] * 4
        assert tensor.asnumpy(array).tolist() == [7] * 4

    def test_they_let_go_while_they_work(self, library, queue):
        # Results of computations may get memory that the queue's own commands still use, but not what others use.
        ones = tensor.ones(MANY, dtype="f4", sycl_queue=queue)
        for stream in library.streams():
            for value in range(ROUNDS):
                array = ones * value
                with stream:
                    slow = library.chain(library.full(0))
                    result = library.double(library.share(array)) + slow
                    del array
                    gc.collect()
                    others = [-ones for _ in range(3)]
                    result = library.host(result)
                assert (result == 2 * value + STEPS).all()
                del others

    def test_we_let_go_while_we_work(self, library, queue):
        for value in range(ROUNDS):
            there = library.full(value)
            array, slow = tensor.from_dlpack(there), busy(queue)
            result = array * 2 + slow
            del array, there
            gc.collect()
            other = library.full(-1)
            assert (tensor.asnumpy(result) == 2 * value + STEPS).all()
            del other

    def test_placement(self, library, queue):
        host = np.arange(6.0)
        mine = library.make(host)
        other = situ.Queue(CUDA[0])
        assert tensor.from_dlpack(mine, device=other).sycl_queue == other
        assert tensor.asarray(mine).sycl_device == CUDA[0]
        there = tensor.from_dlpack(mine, device="cpu")
        assert there.sycl_device.is_cpu
        same(there, host)
        same(tensor.asarray(mine, device="cpu", dtype="i4"), host.astype("i4"))
        with pytest.raises(BufferError, match="cuda:gpu:0.*native:cpu:0.*copy"):
            tensor.from_dlpack(mine, device="cpu", copy=False)
        with pytest.raises(ValueError, match="from_dlpack"):
            tensor.asarray(mine, copy=False)


@needs_cuda
class TestOneLibrary:
    """What only some libraries have."""

    def test_pinned_memory_of_torch(self, queue):
        torch = Torch().torch
        host = torch.arange(6.0).pin_memory()
        array = tensor.from_dlpack(host, device=queue)
        assert array._pointer == host.data_ptr() and array.sycl_queue.sycl_device == CUDA[0]
        same(array + 1, host.numpy() + 1)

    def test_complex_numbers_where_only_their_parts_are_at_home(self, queue):
        cupy = CuPy().cupy
        there = cupy.arange(41.0)[1:].view("complex128")
        array, host = tensor.from_dlpack(there), np.arange(41.0)[1:].view("complex128")
        assert array._pointer % 16 == 8
        indices, mask = np.array([3, 19, 0, 7]), host.real % 3 == 0
        same(array * 2, host * 2)
        same(array[tensor.asarray(indices, sycl_queue=queue)], host[indices])
        same(array[tensor.asarray(mask, sycl_queue=queue)], host[mask])
        array[tensor.asarray(indices, sycl_queue=queue)] = tensor.asarray(host[:4], sycl_queue=queue)
        array[tensor.asarray(mask, sycl_queue=queue)] = 1j
        expected = host.copy()
        expected[indices], expected[mask] = host[:4], 1j
        same(array, expected)

    def test_managed_memory_of_cupy(self, queue):
        library = CuPy()
        there = library.cupy.ndarray(6, "f8", library.cupy.cuda.malloc_managed(48))
        there[...] = library.cupy.arange(6.0)
        array = tensor.from_dlpack(there)
        assert (array._pointer, array.usm_type) == (there.data.ptr, "shared")
        same(array + 1, np.arange(6.0) + 1)

    def test_our_managed_memory_in_cupy(self, queue):
        library, array = CuPy(), tensor.arange(6.0, usm_type="shared", sycl_queue=queue)
        there = library.share(array)
        assert there.data.ptr == array._pointer and library.host(there).tolist() == list(range(6))

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_interface_in_cupy(self, queue, kind):
        library = CuPy()
        for _ in range(ROUNDS):
            array = busy(queue)
            there = library.cupy.asarray(array)
            assert there.data.ptr == array._pointer
            assert (library.host(there) == STEPS).all()
        array = tensor.arange(24.0, usm_type=kind, sycl_queue=queue)
        array.shape = (2, 3, 4)
        for view in (array, array.mT, array[:, ::2], array[0, 0, 0]):
            there = library.cupy.asarray(view)
            assert there.data.ptr == view._pointer
            np.testing.assert_array_equal(library.host(there), tensor.asnumpy(view))

    def test_the_interface_of_cupy(self, queue):
        library = CuPy()
        for value in range(ROUNDS):
            with library.cupy.cuda.Stream(non_blocking=True):
                there = library.chain(library.full(value))
                array = tensor.from_dlpack(Interface(there))
            assert array._pointer == there.data.ptr
            assert (tensor.asnumpy(array) == value + STEPS).all()

    def test_the_interface_in_torch(self, queue):
        torch, array = Torch().torch, busy(queue)
        there = torch.as_tensor(array, device="cuda")
        assert there.data_ptr() == array._pointer and bool((there == STEPS).all())

    def test_cupy_lets_go_of_the_interface_while_it_works(self, queue):
        library, ones = CuPy(), tensor.ones(MANY, dtype="f4", sycl_queue=queue)
        for stream in library.streams():
            for value in range(ROUNDS):
                array = ones * value
                with stream:
                    slow = library.chain(library.full(0))
                    result = library.double(library.cupy.asarray(array)) + slow
                    del array
                    gc.collect()
                    others = [-ones for _ in range(3)]
                    result = library.host(result)
                assert (result == 2 * value + STEPS).all()
                del others

    def test_a_stream_may_go_before_the_memory(self, queue):
        library = CuPy()
        for _ in range(ROUNDS):
            stream, array = library.cupy.cuda.Stream(non_blocking=True), tensor.ones(MANY, sycl_queue=queue)
            with stream:
                there = library.share(array)
            del stream
            gc.collect()
            streams = [library.cupy.cuda.Stream() for _ in range(8)]
            del there, array
            del streams
        queue.wait()
