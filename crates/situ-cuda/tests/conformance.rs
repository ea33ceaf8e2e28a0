//! NVIDIA GPUs pass what every backend must, where there is one.

situ_conformance::suite!(situ_cuda::platform().ok());
