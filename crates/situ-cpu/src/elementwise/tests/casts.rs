//! Every conversion.

use situ_ir::Program;
use situ_types::DType;

use super::setting::{Case, TestOperand, check};

#[test]
fn every_pair_of_dtypes() {
    for from in DType::ALL {
        for to in DType::ALL {
            let program = Program::convert(from, to);
            for n in [0, 1, 65, 700] {
                check(&program, &Case::dense(&[n], 2), n as u64);
            }
            for (input, output) in [(-2, 1), (1, 2), (0, 1)] {
                let operands = vec![TestOperand::Strided(vec![input]), TestOperand::Strided(vec![output])];
                check(&program, &Case { shape: vec![300], operands }, 3);
            }
        }
    }
}
