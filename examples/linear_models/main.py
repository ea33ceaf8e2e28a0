"""One package under the three ways to say where it computes."""

import linear_models
import numpy

import situ
from situ import tensor


def two_places():
    """Return a queue on the CPU and another place: a GPU, or else a part of the CPU, or else the null device."""
    cpu = situ.Queue("cpu")
    if situ.has_gpu_devices():
        return cpu, situ.Queue("gpu")
    device = situ.Device("cpu")
    if device.partition_max_sub_devices > 1:
        return cpu, situ.Queue(device.create_sub_devices(partition=[1])[0])
    return cpu, situ.Queue("null")


def samples(count=2000):
    """Return a table on the host: two features, and 3 + 2 a - b with a little noise."""
    random = numpy.random.default_rng(7)
    features = random.uniform(-1, 1, size=(count, 2))
    response = 3 + features @ [2, -1] + 1e-3 * random.standard_normal(count)
    return numpy.column_stack([features, response])


def main():
    """Fit the same table three times."""
    cpu, other = two_places()
    table = samples()
    fits = {}

    # 1. Computation follows data: whoever has the array has decided.
    there = tensor.asarray(table, sycl_queue=other)
    fits["follows data"] = linear_models.linear_regression().compute(there)

    # 2. Explicit control: the package itself, bound to a queue. Two of them work side by side.
    halves = numpy.array_split(table, 2)
    on_cpu, on_other = linear_models.offload_to(cpu), linear_models.offload_to(other)
    first = on_cpu.linear_regression().compute(halves[0])
    second = on_other.linear_regression().compute(halves[1])
    fits["both halves"] = (first + second.to_device(cpu)) / 2

    # 3. A global queue: where new arrays go, for this thread, until it is reset.
    situ.set_global_queue(other)
    fits["global queue"] = linear_models.linear_regression().compute(table)
    situ.reset_global_queue()

    for name, fit in fits.items():
        print(f"{name:13} {tensor.asnumpy(fit).round(3)} on {fit.device}")
    return fits, cpu, other


if __name__ == "__main__":
    main()
