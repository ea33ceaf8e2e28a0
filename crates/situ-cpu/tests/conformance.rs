//! The processor passes what every backend must.

situ_conformance::suite!(Some(situ_cpu::platform()));
