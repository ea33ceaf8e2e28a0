"""Two packages, each on a queue of its own, in one program: neither knows of the other, and nothing global is set."""

import pkgA
import pkgB

import situ


def main():
    """Compute in one package and go on in the other."""
    device = "gpu" if situ.has_gpu_devices() else "cpu"
    a = pkgA.offload_to(device)
    b = pkgB.offload_to(device)
    print(a)
    print(b)

    signal = a.compute()
    signal.make_available(b.get_queue())  # no copy: both queues are in the device's context
    energy = b.compute(signal)  # without the line above, this would have done it
    print("energy:", float(energy))
    return signal, energy, b.get_queue()


if __name__ == "__main__":
    main()
